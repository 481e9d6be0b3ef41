//===- SearchOptimizers.h - Optimizers of a search file ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_SEARCHOPTIMIZERS_H
#define INGOT_COMPILER_ENSEMBLE_SEARCHOPTIMIZERS_H

#include "ingot/graph.h"

#include "proto/AdaNetSearch.pb.h"

namespace ingot::ensemble {

/// Makes the optimizer that message `it` of the search file describes. The file
/// must have passed checkSearch().
graph::Optimizer makeOptimizer(const proto::SearchOptimizer &it);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_SEARCHOPTIMIZERS_H
