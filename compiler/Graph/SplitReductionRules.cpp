//===- SplitReductionRules.cpp - Split rules for reductions ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/BatchSplitRules.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/ReductionOps.h"
#include "dialects/Ingot/IR/ShapeInference.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

/// The rule that splits reductions over slices of the batch. If the operand is
/// split along a reduced dimension, the results of the slices are combined by
/// `combine`. Without `combine`, such a reduction is not split.
template <typename OpTy>
static std::optional<OpBatchSplit>
splitReduction(OpTy op, const OperandSplitDims &cuts,
               std::optional<ingot_exchange_kind> combine) {
  std::optional<SmallVector<int64_t>> axes = getConstantInts(op.getAxes());
  if (!axes || cuts[0] == whole)
    return std::nullopt;
  int64_t rank = rankOf(op.getInput()), below = 0;
  bool isReduced = false;
  for (int64_t axis : *axes) {
    axis += axis < 0 ? rank : 0;
    isReduced |= axis == cuts[0];
    below += axis < cuts[0];
  }
  if (!isReduced)
    return splitOne(op, 0, cuts[0],
                    op.getKeepDims() ? cuts[0] : cuts[0] - below);
  if (!combine)
    return std::nullopt;
  OpBatchSplit split = splitOne(op, 0, cuts[0], whole);
  split.combine = *combine;
  return split;
}

static std::optional<OpBatchSplit> splitSum(SumOp op,
                                            const OperandSplitDims &cuts) {
  return splitReduction(op, cuts, INGOT_EXCHANGE_SUM);
}
static std::optional<OpBatchSplit> splitMax(MaxOp op,
                                            const OperandSplitDims &cuts) {
  return splitReduction(op, cuts, INGOT_EXCHANGE_MAX);
}
static std::optional<OpBatchSplit> splitMin(MinOp op,
                                            const OperandSplitDims &cuts) {
  return splitReduction(op, cuts, INGOT_EXCHANGE_MIN);
}
// A mean over the split dimension is not handled here, because it was replaced
// by a sum and a division (ExpandMeansToSums.h).
static std::optional<OpBatchSplit> splitMean(MeanOp op,
                                             const OperandSplitDims &cuts) {
  return splitReduction(op, cuts, std::nullopt);
}
static std::optional<OpBatchSplit> splitProd(ProdOp op,
                                             const OperandSplitDims &cuts) {
  return splitReduction(op, cuts, std::nullopt);
}

static std::optional<OpBatchSplit>
splitBiasGradient(BiasAddGradOp op, const OperandSplitDims &cuts) {
  int64_t channel =
      op.getDataFormat() == "NCHW" ? 1 : rankOf(op.getGradient()) - 1;
  return cuts[0] == channel ? std::nullopt
                            : std::optional(splitOne(op, 0, cuts[0], whole));
}

static std::optional<OpBatchSplit>
splitSumToShape(SumToShapeOp op, const OperandSplitDims &cuts) {
  int64_t missing = rankOf(op.getInput()) - rankOf(op.getOutput());
  if (cuts[0] == whole)
    return std::nullopt;
  int64_t dim = cuts[0] - missing;
  if (dim < 0 || cuts.sizeOf(op.getOutput(), dim) == 1)
    return splitOne(op, 0, cuts[0], whole);
  if (cuts.sizeOf(op.getOutput(), dim) != cuts.sizeOf(op.getInput(), cuts[0]))
    return std::nullopt;
  OpBatchSplit split = splitOne(op, 0, cuts[0], dim);
  split.shape = 1;
  return split;
}

static std::optional<OpBatchSplit> splitArgMax(ArgMaxOp op,
                                               const OperandSplitDims &cuts) {
  std::optional<int64_t> axis = getConstantInt(op.getAxis());
  if (!axis || cuts[0] == whole)
    return std::nullopt;
  int64_t place = *axis < 0 ? *axis + rankOf(op.getInput()) : *axis;
  return place == cuts[0] ? std::nullopt
                          : std::optional(splitOne(
                                op, 0, cuts[0], cuts[0] - (place < cuts[0])));
}

static std::optional<OpBatchSplit>
splitCumulative(CumulativeOp op, const OperandSplitDims &cuts) {
  std::optional<int64_t> axis = getConstantInt(op.getAxis());
  if (!axis || cuts[0] == whole ||
      (*axis < 0 ? *axis + rankOf(op.getInput()) : *axis) == cuts[0])
    return std::nullopt;
  return splitOne(op, 0, cuts[0], cuts[0]);
}

void addReductionSplitRules(BatchSplitRules &rules) {
  rules.add<SumOp>(splitSum);
  rules.add<MaxOp>(splitMax);
  rules.add<MinOp>(splitMin);
  rules.add<MeanOp>(splitMean);
  rules.add<ProdOp>(splitProd);
  rules.add<BiasAddGradOp>(splitBiasGradient);
  rules.add<SumToShapeOp>(splitSumToShape);
  rules.add<ArgMaxOp>(splitArgMax);
  rules.add<CumulativeOp>(splitCumulative);
}

} // namespace ingot::graph
