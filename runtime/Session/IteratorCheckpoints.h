//===- IteratorCheckpoints.h - Checkpoints of iterators only ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints with iterators only, for CheckpointInputPipelineHook. Keys and
// states are the same as in a model's checkpoint.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_ITERATORCHECKPOINTS_H
#define INGOT_RUNTIME_SESSION_ITERATORCHECKPOINTS_H

#include "runtime/Session/CheckpointContents.h"

namespace ingot {

/// Collects the positions of all iterators that have been made.
Expected<StateToSave> collectIterators(ingot_context &context);

/// Immediately moves iterators to their positions in checkpoint `prefix`.
/// Iterators without a position in it do not move, and variables do not change.
Status restoreIterators(ingot_context &context, const std::string &prefix);

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_ITERATORCHECKPOINTS_H
