//===- Batches.h - Batch sizes of iterators ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_BATCHES_H
#define INGOT_COMPILER_GRAPH_BATCHES_H

#include "dialects/Ingot/InputOps.h"
#include "dialects/Ingot/IteratorOps.h"

#include <optional>

namespace ingot::graph {

/// The op that batches the iterator's elements, seen through datasets that pass
/// elements on unchanged (prefetch, repeat, …); null if there is none.
mlir::ingot::BatchDatasetOp batchOf(mlir::ingot::IteratorOp iterator);

/// The size of its batches but the last one.
std::optional<int64_t> batchSizeOf(mlir::ingot::IteratorOp iterator);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_BATCHES_H
