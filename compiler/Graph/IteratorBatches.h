//===- IteratorBatches.h - Batch sizes of iterators -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_ITERATORBATCHES_H
#define INGOT_COMPILER_GRAPH_ITERATORBATCHES_H

#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"

#include <optional>

namespace ingot::graph {

/// Returns the op that batches the elements of `iterator`, looking through
/// datasets that pass elements on unchanged (prefetch, repeat, …). Returns null
/// if there is no such op, or if several pipelines may initialize the iterator.
mlir::ingot::BatchDatasetOp batchOf(mlir::ingot::IteratorOp iterator);

/// Returns the batch size of `iterator`, which all batches but the last one
/// have. Returns std::nullopt if there is no batch op, or if its size is not a
/// constant.
std::optional<int64_t> batchSizeOf(mlir::ingot::IteratorOp iterator);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_ITERATORBATCHES_H
