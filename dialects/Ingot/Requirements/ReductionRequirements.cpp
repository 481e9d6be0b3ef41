//===- ReductionRequirements.cpp - Sizes of segments and of reduced axes --===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/ReductionOps.h"
#include "dialects/Ingot/Requirements/ShapeRequirementBuilder.h"

namespace mlir::ingot {

static void require(ArgMaxOp op, ShapeRequirementBuilder &r) {
  Value input = op.getInput();
  if (!isRanked(input))
    return;
  if (std::optional<int64_t> axis = axisOf(op.getAxis(), rankOf(input)))
    r.require(r.less(r.number(0), r.size(input, *axis)),
              r.says() << "Reduction axis " << Twine(*axis)
                       << " is empty in shape " << input);
}

static void require(SegmentReduceOp op, ShapeRequirementBuilder &r) {
  Value data = op.getData(), ids = op.getSegmentIds();
  Value indices = op.getIndices();
  if (hasElements(op.getNumSegments())) {
    Number count = r.element(op.getNumSegments());
    r.require(r.isNatural(count), r.says() << "Input num_segments == " << count
                                           << " must not be negative.");
  }
  if (!areRanked({data, ids}))
    return;
  if (indices) {
    if (isRanked(indices) && rankOf(indices) == rankOf(ids))
      r.require(r.sameSizes(r.sizes(indices), r.sizes(ids)),
                r.says() << "segment_ids and indices should have same size: "
                         << ids << " vs. " << indices);
    return;
  }
  if (rankOf(ids) <= rankOf(data))
    r.require(
        r.sameSizes(ArrayRef<Number>(r.sizes(data)).take_front(rankOf(ids)),
                    r.sizes(ids)),
        r.says() << "data.shape = " << data
                 << " does not start with segment_ids.shape = " << ids);
}

static void require(InTopKOp op, ShapeRequirementBuilder &r) {
  Value predictions = op.getPredictions(), targets = op.getTargets();
  if (areRanked({predictions, targets}))
    r.require(
        r.equal(r.size(predictions, 0), r.size(targets, 0)),
        r.says() << "First dimension of predictions " << r.size(predictions, 0)
                 << " must match length of targets " << r.size(targets, 0));
}

static void require(TopKOp op, ShapeRequirementBuilder &r) {
  Value input = op.getInput();
  if (!isRanked(input) || rankOf(input) == 0 || !hasElements(op.getK()))
    return;
  Number k = r.element(op.getK());
  Number columns = r.size(input, rankOf(input) - 1);
  r.require(r.isNatural(k), r.says() << "Need k >= 0, got " << k);
  r.require(r.atMost(k, columns),
            r.says() << "input must have at least k columns. Had " << columns
                     << ", needed " << k);
}

void attachReductionRequirements(MLIRContext &context) {
  attachModels<ArgMaxOp, SegmentReduceOp, InTopKOp, TopKOp>(context);
}

} // namespace mlir::ingot
