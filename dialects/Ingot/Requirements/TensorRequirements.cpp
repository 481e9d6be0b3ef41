//===- TensorRequirements.cpp - Sizes of reshapes, fills and ranges -------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/TensorOps.h"
#include "dialects/Ingot/Requirements/ShapeRequirementBuilder.h"

namespace mlir::ingot {

static void require(FillOp op, ShapeRequirementBuilder &r) {
  r.requireSizes(op.getDims());
}

namespace {
/// Two products of sizes that are to be compared. Factors that occur in both
/// are moved to `common`, so that `a` and `b` have only the remaining ones.
struct SizeProductComparison {
  SmallVector<Number> a, b, common;

  SizeProductComparison(ArrayRef<Number> x, ArrayRef<Number> y) : b(y) {
    for (Number each : x) {
      auto *same = llvm::find(b, each);
      if (same == b.end() || ShapeRequirementBuilder::known(each)) {
        a.push_back(each);
        continue;
      }
      common.push_back(each);
      b.erase(same);
    }
  }
};
} // namespace

/// Returns the condition that the product of `part` divides the product of
/// `whole`.
static Number divides(ArrayRef<Number> part, ArrayRef<Number> whole,
                      ShapeRequirementBuilder &r) {
  std::optional<APInt> divisor = r.standInOf(part), all = r.standInOf(whole);
  if (divisor && all && *divisor != 0 && all->urem(*divisor) == 0)
    return r.number(1);
  Number pieces = r.number(1);
  for (Number each : part)
    pieces = r.multiply(pieces, r.larger(each, r.number(1)));
  return r.equal(r.remainder(r.product(whole), pieces), r.number(0));
}

/// Requires that the size for -1 in a reshape can be inferred from the other
/// sizes. If `isStated` is true at run time, no size is -1 and nothing is
/// required.
static void requireInferable(const SizeProductComparison &rest,
                             ArrayRef<Number> sizes, Number isStated,
                             ShapeRequirementBuilder &r) {
  Number count = r.product(sizes), pieces = r.number(1);
  for (Number each : rest.b) {
    Number isEmpty =
        r.both(r.equal(each, r.number(0)), r.equal(count, r.number(0)));
    r.require(r.either(isStated,
                       r.either(r.isNot(r.equal(each, r.number(0))), isEmpty)),
              r.says() << "Input to reshape is a tensor with " << count
                       << " values, which has no shape with a size of "
                       << each);
    pieces = r.multiply(pieces, r.larger(each, r.number(1)));
  }
  r.require(r.either(isStated, divides(rest.b, rest.a, r)),
            r.says() << "Input to reshape is a tensor with " << count
                     << " values, but the requested shape requires a multiple "
                        "of "
                     << pieces);
}

static void require(ReshapeOp op, ShapeRequirementBuilder &r) {
  if (!isRanked(op.getInput()) || !hasElements(op.getShape()))
    return;
  SmallVector<Number> sizes = r.sizes(op.getInput());
  SmallVector<Number> wanted = r.elements(op.getShape());
  auto *inferred = llvm::find_if(wanted, [](Number each) {
    return ShapeRequirementBuilder::known(each) == -1;
  });
  if (inferred != wanted.end()) {
    wanted.erase(inferred);
    for (auto [i, each] : llvm::enumerate(wanted))
      r.require(r.isNatural(each), r.says() << "Size " << Twine(i)
                                            << " must be non-negative, not "
                                            << each);
    return requireInferable(SizeProductComparison(sizes, wanted), sizes,
                            r.number(0), r);
  }
  std::optional<APInt> before = r.standInOf(sizes), after = r.standInOf(wanted);
  if (before && after && *before == *after)
    return;
  // If the target shape is computed at run time, any of its sizes may turn out
  // to be -1. `anyOpen` is the condition that at least one size is -1, and
  // `onlyOneOpen` the condition that at most one size is -1.
  SizeProductComparison rest(sizes, wanted);
  Number anyOpen = r.number(0), onlyOneOpen = r.number(1), all = r.number(1);
  for (auto [i, each] : llvm::enumerate(rest.b)) {
    r.require(r.atMost(r.number(-1), each),
              r.says() << "Size " << Twine(i) << " must be non-negative, not "
                       << each);
    for (Number other : ArrayRef<Number>(rest.b).take_front(i))
      onlyOneOpen =
          r.both(onlyOneOpen, r.either(r.isNatural(each), r.isNatural(other)));
    anyOpen = r.either(anyOpen, r.isNegative(each));
    all = r.multiply(all, each);
  }
  r.require(onlyOneOpen, r.says() << "Only one input size may be -1");
  if (ShapeRequirementBuilder::known(anyOpen) != 0)
    requireInferable(rest, sizes, r.isNot(anyOpen), r);
  // If a size that is a factor of both products is zero, the products are
  // equal, whatever their other factors are.
  Number fits = r.either(anyOpen, r.equal(all, r.product(rest.a)));
  for (Number each : rest.common)
    fits = r.either(fits, r.equal(each, r.number(0)));
  r.require(fits, r.says() << "Input to reshape is a tensor with "
                           << r.product(sizes)
                           << " values, but the requested shape has "
                           << r.product(wanted));
}

static void require(SqueezeOp op, ShapeRequirementBuilder &r) {
  Value input = op.getInput();
  if (!isRanked(input))
    return;
  for (int64_t listed : op.getDims()) {
    int64_t dim = listed < 0 ? listed + rankOf(input) : listed;
    if (dim >= 0 && dim < rankOf(input))
      r.require(r.equal(r.size(input, dim), r.number(1)),
                r.says() << "Can not squeeze dim[" << Twine(dim)
                         << "], expected a dimension of 1, got "
                         << r.size(input, dim));
  }
}

static void require(TileOp op, ShapeRequirementBuilder &r) {
  if (!hasElements(op.getMultiples()))
    return;
  for (auto [i, each] : llvm::enumerate(r.elements(op.getMultiples())))
    r.require(r.isNatural(each), r.says() << "Expected multiples[" << Twine(i)
                                          << "] >= 0, but got " << each);
}

static void require(RangeOp op, ShapeRequirementBuilder &r) {
  Value first = op.getStart(), last = op.getLimit(), step = op.getDelta();
  if (llvm::all_of(op->getOperands(), hasElements)) {
    Number start = r.element(first), limit = r.element(last);
    Number delta = r.element(step), zero = r.number(0);
    Number isUp = r.less(zero, delta), isDown = r.less(delta, zero);
    r.require(r.either(isUp, isDown), r.says()
                                          << "Requires delta != 0: " << delta);
    r.require(r.either(isDown, r.atMost(start, limit)),
              r.says() << "Requires start <= limit when delta > 0: " << start
                       << "/" << limit);
    r.require(r.either(isUp, r.atMost(limit, start)),
              r.says() << "Requires start >= limit when delta < 0: " << start
                       << "/" << limit);
  } else if (areRanked(op->getOperands()) &&
             isa<FloatType>(getElementTypeOrSelf(first))) {
    // The messages of these requirements contain no numbers: messages can only
    // contain integers, and the bounds of this range are floats.
    Number isUp = r.isLess(nullptr, step), isDown = r.isLess(step, nullptr);
    Number isForward = r.isAtMost(first, last),
           isBack = r.isAtMost(last, first);
    r.require(r.either(isUp, isDown), r.says() << "Requires delta != 0");
    r.require(r.either(isDown, isForward),
              r.says() << "Requires start <= limit when delta > 0");
    r.require(r.either(isUp, isBack),
              r.says() << "Requires start >= limit when delta < 0");
  }
}

static void require(BitcastOp op, ShapeRequirementBuilder &r) {
  Value input = op.getInput();
  Type from = getElementTypeOrSelf(input);
  unsigned fromBits = from.getIntOrFloatBitWidth();
  unsigned toBits = op.getDst().getIntOrFloatBitWidth();
  if (fromBits >= toBits || !isRanked(input) || rankOf(input) == 0)
    return;
  Number pieces = r.number(toBits / fromBits);
  r.require(r.equal(r.size(input, rankOf(input) - 1), pieces),
            r.says() << "Cannot bitcast: an element of the result is made of "
                     << pieces << " in the last dimension of " << input);
}

void attachTensorRequirements(MLIRContext &context) {
  attachModels<FillOp, ReshapeOp, SqueezeOp, TileOp, RangeOp, BitcastOp>(
      context);
}

} // namespace mlir::ingot
