//===- IteratorBatches.cpp - Batch sizes of iterators ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/IteratorBatches.h"

#include "dialects/Ingot/IR/DatasetOps.h"
#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

BatchDatasetOp batchOf(IteratorOp iterator) {
  // If several pipelines may initialize an iterator of the graph, each pipeline
  // has an iterator op with the attribute `madeIntoAttrName`. The pipelines
  // have different batch ops, so there is no single batch op to return.
  if (iterator->hasAttr(madeIntoAttrName))
    return {};
  auto yield = cast<YieldOp>(iterator.getBody().front().getTerminator());
  Operation *dataset = yield.getDataset().getDefiningOp();
  while (isa_and_nonnull<RepeatDatasetOp, TakeDatasetOp, SkipDatasetOp,
                         PrefetchDatasetOp, ShuffleDatasetOp,
                         AssertCardinalityDatasetOp>(dataset))
    dataset = dataset->getOperand(0).getDefiningOp();
  return dyn_cast_or_null<BatchDatasetOp>(dataset);
}

std::optional<int64_t> batchSizeOf(IteratorOp iterator) {
  BatchDatasetOp batch = batchOf(iterator);
  std::optional<int64_t> size =
      batch ? getConstantInt(batch.getBatchSize()) : std::nullopt;
  return size && *size > 0 ? size : std::nullopt;
}

} // namespace ingot::graph
