//===- SplitIndexingRules.cpp - Split rules for gathers and slice ops -----===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/BatchSplitRules.h"

#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/StridedSlices.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

static std::optional<OpBatchSplit> splitGather(GatherOp op,
                                               const OperandSplitDims &cuts) {
  std::optional<int64_t> constant = getConstantInt(op.getAxis());
  if (!constant)
    return std::nullopt;
  int64_t rank = rankOf(op.getInput()), batch = op.getBatchDims();
  int64_t axis = *constant < 0 ? *constant + rank : *constant;
  int64_t added = rankOf(op.getIndices()) - batch;
  // The input and the indices share the batch dimensions of the gather
  // (batch_dims), so both are split.
  int64_t shared = std::max(cuts[0], cuts[1]);
  if (shared < batch) {
    OpBatchSplit split = splitOne(op, 0, shared, shared);
    split.cuts[1] = shared;
    return split;
  }
  if (cuts[1] != whole && cuts[0] == whole)
    return splitOne(op, 1, cuts[1], axis + cuts[1] - batch);
  if (cuts[0] == whole || cuts[0] == axis || cuts[1] != whole)
    return std::nullopt;
  return splitOne(op, 0, cuts[0],
                  cuts[0] < axis ? cuts[0] : cuts[0] - 1 + added);
}

static std::optional<OpBatchSplit> splitGatherNd(GatherNdOp op,
                                                 const OperandSplitDims &cuts) {
  if (cuts[0] != whole || cuts[1] >= rankOf(op.getIndices()) - 1)
    return std::nullopt;
  return splitOne(op, 1, cuts[1], cuts[1]);
}

static std::optional<OpBatchSplit> splitSlice(SliceOp op,
                                              const OperandSplitDims &cuts) {
  std::optional<SmallVector<int64_t>> begin = getConstantInts(op.getBegin());
  if (!begin || cuts[0] == whole || (*begin)[cuts[0]] != 0 ||
      cuts.sizeOf(op.getOutput(), cuts[0]) !=
          cuts.sizeOf(op.getInput(), cuts[0]) ||
      ShapedType::isDynamic(cuts.sizeOf(op.getOutput(), cuts[0])))
    return std::nullopt;
  OpBatchSplit split = splitOne(op, 0, cuts[0], cuts[0]);
  split.shape = 2;
  return split;
}

/// Returns the dimension of the result of the strided slice `op` that
/// corresponds to the input's dimension `cut`. If there is none, because `op`
/// drops some elements of that dimension, returns the constant `whole`: the
/// result is then not split.
template <typename OpTy>
static int64_t keptDimension(OpTy op, const OperandSplitDims &cuts, Value input,
                             int64_t cut) {
  FailureOr<SlicePlan> plan =
      planStridedSlice(std::nullopt, rankOf(input), op.getBegin(), op.getEnd(),
                       op.getStrides(), SliceMasks(op));
  if (failed(plan))
    return whole;
  int64_t place = 0;
  for (const SlicedDim &dim : *plan) {
    if (dim.kind == SlicedDim::Range && dim.dim == cut) {
      std::optional<StridedRange> range = dim.rangeOf(cuts.sizeOf(input, cut));
      // If the strided slice takes a whole dimension, the end of its range may
      // be larger than this dimension's size in a slice of the batch. This is
      // correct, as strided slices clamp their ends.
      bool takesAll = range && range->begin == 0 && range->stride == 1 &&
                      range->count == cuts.sizeOf(input, cut);
      return takesAll && (dim.beginMasked || dim.begin == 0) &&
                     (dim.endMasked || dim.end > 0)
                 ? place
                 : whole;
    }
    place += dim.kind != SlicedDim::Index;
  }
  return whole;
}

static std::optional<OpBatchSplit>
splitStridedSlice(StridedSliceOp op, const OperandSplitDims &cuts) {
  if (cuts[0] == whole)
    return std::nullopt;
  int64_t place = keptDimension(op, cuts, op.getInput(), cuts[0]);
  return place == whole ? std::nullopt
                        : std::optional(splitOne(op, 0, cuts[0], place));
}

static std::optional<OpBatchSplit>
splitStridedSliceUpdate(StridedSliceUpdateOp op, const OperandSplitDims &cuts) {
  unsigned last = op->getNumOperands() - 1;
  for (int64_t dim = 0; dim < rankOf(op.getInput()); ++dim) {
    int64_t place = keptDimension(op, cuts, op.getInput(), dim);
    if (place == whole || (cuts[0] != dim && cuts[last] != place) ||
        place >= rankOf(op.getValue()) ||
        cuts.sizeOf(op.getValue(), place) != cuts.sizeOf(op.getInput(), dim))
      continue;
    OpBatchSplit split = splitOne(op, 0, dim, dim);
    split.cuts[last] = place;
    return split;
  }
  return std::nullopt;
}

void addIndexingSplitRules(BatchSplitRules &rules) {
  rules.add<GatherOp>(splitGather);
  rules.add<GatherNdOp>(splitGatherNd);
  rules.add<SliceOp>(splitSlice);
  rules.add<StridedSliceOp>(splitStridedSlice);
  rules.add<StridedSliceUpdateOp>(splitStridedSliceUpdate);
}

} // namespace ingot::graph
