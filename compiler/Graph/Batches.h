//===- Batches.h - The batches that an iterator hands out -------*- C++ -*-===//
#ifndef INGOT_COMPILER_GRAPH_BATCHES_H
#define INGOT_COMPILER_GRAPH_BATCHES_H

#include "dialects/Ingot/InputOps.h"
#include "dialects/Ingot/IteratorOps.h"

#include <optional>

namespace ingot::graph {

/// The op that forms what the iterator hands out, seen through those that hand
/// elements on as they are; null where that is no batch.
mlir::ingot::BatchDatasetOp batchOf(mlir::ingot::IteratorOp iterator);

/// How many elements its batches have, but for the last one.
std::optional<int64_t> batchSizeOf(mlir::ingot::IteratorOp iterator);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_BATCHES_H
