//===- SplitShapeRules.cpp - Split rules for reshapes, transposes ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/BatchSplitRules.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/BroadcastOps.h"
#include "dialects/Ingot/IR/RearrangeOps.h"
#include "dialects/Ingot/IR/ShapeInference.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

static int64_t normalized(int64_t axis, int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}

/// Returns the product of sizes of the dimensions before `dim`; std::nullopt if
/// one is unknown.
static std::optional<int64_t> elementsBefore(const OperandSplitDims &cuts,
                                             Value value, int64_t dim) {
  int64_t product = 1;
  for (int64_t i = 0; i < dim; ++i) {
    if (ShapedType::isDynamic(cuts.sizeOf(value, i)))
      return std::nullopt;
    product *= cuts.sizeOf(value, i);
  }
  return product;
}

/// A reshape can be split if its result has a dimension for which the product
/// of the sizes of all preceding dimensions is the same as for the split
/// dimension of the input. Splitting both dimensions into equal parts then
/// gives parts with the same elements.
static std::optional<OpBatchSplit> splitReshape(ReshapeOp op,
                                                const OperandSplitDims &cuts) {
  if (cuts[0] == whole)
    return std::nullopt;
  Value input = op.getInput(), output = op.getOutput();
  std::optional<int64_t> before = elementsBefore(cuts, input, cuts[0]);
  int64_t size = cuts.sizeOf(input, cuts[0]);
  for (int64_t dim = 0; before && dim < rankOf(output); ++dim) {
    if (elementsBefore(cuts, output, dim) != before)
      continue;
    int64_t made = cuts.sizeOf(output, dim);
    if (made == 1 && size != 1)
      continue;
    OpBatchSplit split = splitOne(op, 0, cuts[0], dim);
    split.shape = 1;
    return split;
  }
  return std::nullopt;
}

static std::optional<OpBatchSplit>
splitExpandDims(ExpandDimsOp op, const OperandSplitDims &cuts) {
  std::optional<int64_t> axis = getConstantInt(op.getAxis());
  if (!axis || cuts[0] == whole)
    return std::nullopt;
  int64_t place = normalized(*axis, rankOf(op.getOutput()));
  return splitOne(op, 0, cuts[0], cuts[0] + (place <= cuts[0]));
}

static std::optional<OpBatchSplit> splitSqueeze(SqueezeOp op,
                                                const OperandSplitDims &cuts) {
  // A squeeze that does not list its dimensions would remove the batch
  // dimension in a slice of one row. ExpandMeansToSums.h makes squeezes list
  // their dimensions where this is possible.
  if (op.getDims().empty())
    return std::nullopt;
  int64_t below = llvm::count_if(op.getDims(), [&](int64_t axis) {
    return normalized(axis, rankOf(op.getInput())) < cuts[0];
  });
  return splitOne(op, 0, cuts[0], cuts[0] - below);
}

static std::optional<OpBatchSplit>
splitTranspose(TransposeOp op, const OperandSplitDims &cuts) {
  std::optional<SmallVector<int64_t>> order =
      getConstantInts(op.getPermutation());
  if (!order || cuts[0] == whole)
    return std::nullopt;
  for (auto [to, from] : llvm::enumerate(*order))
    if (normalized(from, rankOf(op.getInput())) == cuts[0])
      return splitOne(op, 0, cuts[0], static_cast<int64_t>(to));
  return std::nullopt;
}

static std::optional<OpBatchSplit> splitTile(TileOp op,
                                             const OperandSplitDims &cuts) {
  std::optional<SmallVector<int64_t>> multiples =
      getConstantInts(op.getMultiples());
  if (!multiples || cuts[0] == whole || (*multiples)[cuts[0]] != 1)
    return std::nullopt;
  return splitOne(op, 0, cuts[0], cuts[0]);
}

static std::optional<OpBatchSplit>
splitBroadcast(BroadcastToOp op, const OperandSplitDims &cuts) {
  if (cuts[0] == whole)
    return std::nullopt;
  int64_t dim = cuts[0] + rankOf(op.getOutput()) - rankOf(op.getInput());
  if (cuts.sizeOf(op.getOutput(), dim) != cuts.sizeOf(op.getInput(), cuts[0]))
    return std::nullopt;
  OpBatchSplit split = splitOne(op, 0, cuts[0], dim);
  split.shape = 1;
  return split;
}

static std::optional<OpBatchSplit> splitConcat(ConcatOp op,
                                               const OperandSplitDims &cuts) {
  std::optional<int64_t> axis = getConstantInt(op.getAxis());
  int64_t cut = *llvm::max_element(cuts.drop_front());
  if (!axis || cut == whole || normalized(*axis, rankOf(op.getOutput())) == cut)
    return std::nullopt;
  OpBatchSplit split = splitOne(op, 0, whole, cut);
  for (int64_t &each : MutableArrayRef(split.cuts).drop_front())
    each = cut;
  return split;
}

static std::optional<OpBatchSplit> splitSplit(SplitOp op,
                                              const OperandSplitDims &cuts) {
  std::optional<int64_t> axis = getConstantInt(op.getAxis());
  if (!axis || cuts[1] == whole ||
      normalized(*axis, rankOf(op.getInput())) == cuts[1])
    return std::nullopt;
  return splitOne(op, 1, cuts[1], cuts[1]);
}

/// The rule that splits pads over slices of the batch: the dimension along
/// which the input is split must not be padded.
static std::optional<OpBatchSplit> splitPadding(Operation *op,
                                                const OperandSplitDims &cuts) {
  std::optional<SmallVector<int64_t>> paddings =
      getConstantInts(op->getOperand(1));
  if (!paddings || cuts[0] == whole || (*paddings)[2 * cuts[0]] != 0 ||
      (*paddings)[2 * cuts[0] + 1] != 0)
    return std::nullopt;
  return splitOne(op, 0, cuts[0], cuts[0]);
}

static std::optional<OpBatchSplit> splitReverse(ReverseOp op,
                                                const OperandSplitDims &cuts) {
  std::optional<SmallVector<int64_t>> axes = getConstantInts(op.getAxes());
  if (!axes || cuts[0] == whole || llvm::any_of(*axes, [&](int64_t axis) {
        return normalized(axis, rankOf(op.getInput())) == cuts[0];
      }))
    return std::nullopt;
  return splitOne(op, 0, cuts[0], cuts[0]);
}

static std::optional<OpBatchSplit> splitOneHot(OneHotOp op,
                                               const OperandSplitDims &cuts) {
  if (cuts[0] == whole)
    return std::nullopt;
  int64_t axis = normalized(op.getAxis(), rankOf(op.getOutput()));
  return splitOne(op, 0, cuts[0], cuts[0] + (axis <= cuts[0]));
}

void addShapeSplitRules(BatchSplitRules &rules) {
  rules.add<ReshapeOp>(splitReshape);
  rules.add<ExpandDimsOp>(splitExpandDims);
  rules.add<SqueezeOp>(splitSqueeze);
  rules.add<TransposeOp>(splitTranspose);
  rules.add<TileOp>(splitTile);
  rules.add<BroadcastToOp>(splitBroadcast);
  rules.add<ConcatOp>(splitConcat);
  rules.add<SplitOp>(splitSplit);
  rules.add<ReverseOp>(splitReverse);
  rules.add<OneHotOp>(splitOneHot);
  rules.addForEach<PadOp, MirrorPadOp, MirrorPadGradOp>(splitPadding);
}

} // namespace ingot::graph
