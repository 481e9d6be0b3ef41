//===- IteratorPositions.h - Where a session's input stands -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints of the iterators alone, as CheckpointInputPipelineHook keeps
// them: the same keys and states as beside the variables of a model's
// checkpoint.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_ITERATORPOSITIONS_H
#define INGOT_RUNTIME_SESSION_ITERATORPOSITIONS_H

#include "runtime/Session/SavedState.h"

namespace ingot {

/// The positions of all iterators that are made.
Expected<StateToSave> collectIterators(ingot_context &context);

/// Puts the iterators that checkpoint `prefix` has at their places, at once.
/// The others, and the variables, stay as they are.
Status restoreIterators(ingot_context &context, const std::string &prefix);

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_ITERATORPOSITIONS_H
