//===- RandomRequirements.cpp - Sizes of random tensors -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/RandomOps.h"
#include "dialects/Ingot/Requirements/ShapeRequirementBuilder.h"

namespace mlir::ingot {

static void require(StatelessRandomGetKeyCounterOp op,
                    ShapeRequirementBuilder &r) {
  Value seed = op.getSeed();
  if (isRanked(seed) && rankOf(seed) == 1)
    r.require(r.equal(r.size(seed, 0), r.number(2)),
              r.says() << "seed must have shape [2], not " << seed);
}

static void require(StatelessRandomUniformOp op, ShapeRequirementBuilder &r) {
  r.requireSizes(op.getShape());
}
static void require(StatelessRandomUniformIntOp op,
                    ShapeRequirementBuilder &r) {
  r.requireSizes(op.getShape());
  if (!hasElements(op.getMinval()) || !hasElements(op.getMaxval()))
    return;
  Number low = r.element(op.getMinval()), high = r.element(op.getMaxval());
  r.require(r.less(low, high),
            r.says() << "Need minval < maxval, got " << low << " >= " << high);
}
static void require(StatelessRandomUniformFullIntOp op,
                    ShapeRequirementBuilder &r) {
  r.requireSizes(op.getShape());
}
static void require(StatelessRandomNormalOp op, ShapeRequirementBuilder &r) {
  r.requireSizes(op.getShape());
}
static void require(StatelessTruncatedNormalOp op, ShapeRequirementBuilder &r) {
  r.requireSizes(op.getShape());
}

static void require(ThreefryBitsOp op, ShapeRequirementBuilder &r) {
  Value key = op.getKey(), first = op.getFirst();
  if (isRanked(key) && isRanked(first)) {
    int64_t last = rankOf(first);
    r.require(r.equal(r.size(key, last), r.number(2)),
              r.says() << "the last dimension of keys must be 2, not " << key);
    for (int64_t dim = 0; dim < last; ++dim)
      r.require(r.equal(r.size(key, dim), r.size(first, dim)),
                r.says() << "counters must have the shape of keys, " << key
                         << ", not " << first);
  }
  r.requireSizes(op.getShape());
}

static void require(RandomGammaOp op, ShapeRequirementBuilder &r) {
  r.requireSizes(op.getShape());
}
static void require(RandomPoissonOp op, ShapeRequirementBuilder &r) {
  r.requireSizes(op.getShape());
}

void attachRandomRequirements(MLIRContext &context) {
  attachModels<StatelessRandomGetKeyCounterOp, StatelessRandomUniformOp,
               StatelessRandomUniformIntOp, StatelessRandomUniformFullIntOp,
               StatelessRandomNormalOp, StatelessTruncatedNormalOp,
               ThreefryBitsOp, RandomGammaOp, RandomPoissonOp>(context);
}

} // namespace mlir::ingot
