//===- ApproximateMath.cpp - Functions of floats as polynomials -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// Replaces functions of floats by arithmetic as in Cephes (expf.c): range
// reduction, a minimax polynomial, and reconstruction. The code is the same for
// scalars and vectors, with selects in place of branches. So the results have
// the same bits whether a loop is vectorized or not.
//
//===----------------------------------------------------------------------===//

#include "codegen/Math/F64ArithmeticBuilder.h"
#include "codegen/Math/Passes.h"

#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>

namespace ingot::mathlib {
#define GEN_PASS_DEF_APPROXIMATEMATHPASS
#include "codegen/Math/Passes.h.inc"
} // namespace ingot::mathlib

using namespace mlir;
using namespace ::ingot::mathlib;

namespace {

/// Replaces FMA by a multiplication and an addition, for targets without an FMA
/// instruction, for which LLVM would call the library's fma(). The polynomials
/// here tolerate the second rounding. Code that does not tolerate it uses
/// F64ArithmeticBuilder::exact instead.
struct ExpandFMA : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    Value product =
        arith::MulFOp::create(rewriter, op.getLoc(), op.getA(), op.getB());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op.getC());
    return success();
  }
};

/// Returns a constant of the given type; if it is a vector, `value` is in every
/// lane.
Value splat(ImplicitLocOpBuilder &b, Type type, double value) {
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  TypedAttr attribute = b.getFloatAttr(element, value);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, attribute);
  return arith::ConstantOp::create(b, attribute);
}

Value equals(ImplicitLocOpBuilder &b, Value x, Value y) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, y);
}

/// Evaluates the polynomial of `x` with the coefficients `factors`, that of x^0
/// first, by Horner's scheme.
Value polynomial(ImplicitLocOpBuilder &b, Value x, ArrayRef<double> factors) {
  Value sum = splat(b, x.getType(), factors.back());
  for (double factor : llvm::reverse(factors.drop_back()))
    sum = math::FmaOp::create(b, sum, x, splat(b, x.getType(), factor));
  return sum;
}

/// Whether `x` is greater than `limit`; false for NaN.
Value isOver(ImplicitLocOpBuilder &b, Value x, double limit) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x,
                               splat(b, x.getType(), limit));
}

/// Returns `x`, or `limit` if `x` is greater; NaN stays NaN.
Value boundedBy(ImplicitLocOpBuilder &b, Value x, double limit) {
  return arith::SelectOp::create(b, isOver(b, x, limit),
                                 splat(b, x.getType(), limit), x);
}

/// Returns `x` clamped to [`least`, `most`]. NaN becomes `most`, so that
/// arithmetic on the result stays in range; callers restore NaN at the end.
Value clamped(ImplicitLocOpBuilder &b, Value x, double least, double most) {
  Value upper = splat(b, x.getType(), most),
        lower = splat(b, x.getType(), least);
  Value below = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, upper);
  x = arith::SelectOp::create(b, below, x, upper);
  Value above = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, lower);
  return arith::SelectOp::create(b, above, x, lower);
}

/// The parts of an exponential: e^x = 2^k e^r, with |r| at most log(2) / 2.
/// Cody and Waite's scheme computes r = x - k log(2), with log(2) split into
/// two parts as in Cephes: the high part has so few bits that its product with
/// k is exact.
struct FloatExpRangeReduction {
  Value k, r;
  Value lessOne; // e^r - 1 = r + r^2 p(r), with a minimax polynomial p
};

FloatExpRangeReduction reduceExp(ImplicitLocOpBuilder &b, Value x) {
  constexpr double log2e = 1.4426950408889634;
  constexpr double ln2High = 0.693359375, ln2Low = -2.1219444005469057e-4;
  constexpr double factors[] = {4.999999404e-01, 1.666651964e-01,
                                4.166839644e-02, 8.368796669e-03,
                                1.381443348e-03};
  Type type = x.getType();
  Value k = math::RoundEvenOp::create(
      b, arith::MulFOp::create(b, x, splat(b, type, log2e)));
  Value r = math::FmaOp::create(b, k, splat(b, type, -ln2High), x);
  r = math::FmaOp::create(b, k, splat(b, type, -ln2Low), r);
  Value square = arith::MulFOp::create(b, r, r);
  Value lessOne = math::FmaOp::create(b, polynomial(b, r, factors), square, r);
  return {k, r, lessOne};
}

/// Returns `x` times 2^k, by adding k to the exponent field of `x`, which
/// starts at bit 23. The result must be a normal number.
Value scaledBy(ImplicitLocOpBuilder &b, Value x, Value k) {
  Type bits = b.getI32Type();
  TypedAttr places = b.getI32IntegerAttr(23);
  if (auto vector = dyn_cast<VectorType>(x.getType())) {
    bits = vector.cloneWith(std::nullopt, bits);
    places = DenseElementsAttr::get(cast<ShapedType>(bits), places);
  }
  Value exponent = arith::ShLIOp::create(b, arith::FPToSIOp::create(b, bits, k),
                                         arith::ConstantOp::create(b, places));
  Value scaled =
      arith::AddIOp::create(b, arith::BitcastOp::create(b, bits, x), exponent);
  return arith::BitcastOp::create(b, x.getType(), scaled);
}

/// Returns e^x. The result must be finite and not denormal.
Value boundedExp(ImplicitLocOpBuilder &b, Value x) {
  FloatExpRangeReduction reduced = reduceExp(b, x);
  Value power =
      arith::AddFOp::create(b, reduced.lessOne, splat(b, x.getType(), 1));
  return scaledBy(b, power, reduced.k);
}

/// The largest float whose exponential is finite, and the smallest float whose
/// exponential is a normal number.
constexpr double mostOfExp = 88.72283172607422, leastOfExp = -87.33654022216797;

/// Returns infinity if `x` is greater than `most`, NaN if `x` is NaN, and
/// otherwise `result`.
Value withEnds(ImplicitLocOpBuilder &b, Value x, Value result, double most) {
  Value infinity = splat(b, x.getType(), INFINITY);
  result = arith::SelectOp::create(b, isOver(b, x, most), infinity, result);
  Value isNone = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  return arith::SelectOp::create(b, isNone, x, result);
}

/// Expands e^x. A denormal result becomes 0, as in TensorFlow.
struct ExpandExpOfFloats : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "expected an f32 exponential");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = op.getOperand();
    Type type = x.getType();
    Value power = boundedExp(b, clamped(b, x, leastOfExp, mostOfExp));
    Value isTiny = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x,
                                         splat(b, type, leastOfExp));
    power = arith::SelectOp::create(b, isTiny, splat(b, type, 0), power);
    rewriter.replaceOp(op, withEnds(b, x, power, mostOfExp));
    return success();
  }
};

/// `sum` is half of e^x + more, for x of at most `mostOfExp`, and `lost` is the
/// rounding error of this half. With x = k log(2) + r, the sum is computed as
/// 2^k (e^r - 1) + (2^k + more). The summand 2^k + more is exact unless 2^k is
/// very large or very small; then its rounding error does not matter. As 2^k
/// may be 2^128, which overflows a float, all terms are halved.
struct ExpPlusConstantWithRoundingError {
  Value sum, lost;
};

ExpPlusConstantWithRoundingError halfOfExpAnd(ImplicitLocOpBuilder &b, Value x,
                                              double more) {
  constexpr double end = -20; // for x below it, e^x is lost in the sum
  Type type = x.getType();
  FloatExpRangeReduction reduced = reduceExp(b, clamped(b, x, end, mostOfExp));
  Value scale = scaledBy(b, splat(b, type, 0.5), reduced.k);
  Value rest = arith::AddFOp::create(b, scale, splat(b, type, more / 2));
  Value sum = math::FmaOp::create(b, scale, reduced.lessOne, rest);
  Value lost = math::FmaOp::create(b, scale, reduced.lessOne,
                                   arith::SubFOp::create(b, rest, sum));
  return {sum, lost};
}

/// Returns e^x + more.
Value expAnd(ImplicitLocOpBuilder &b, Value x, double more) {
  Value half = halfOfExpAnd(b, x, more).sum;
  return withEnds(b, x, arith::AddFOp::create(b, half, half), mostOfExp);
}

/// Expands e^x - 1, such that the result loses no digits near 0.
struct ExpandExpM1OfFloats : OpRewritePattern<math::ExpM1Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpM1Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "expected f32 operands");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = op.getOperand();
    // The result for a zero is x itself, so that it has the sign of the zero.
    rewriter.replaceOpWithNewOp<arith::SelectOp>(
        op, equals(b, x, splat(b, x.getType(), 0)), x, expAnd(b, x, -1));
    return success();
  }
};

/// Replaces 1 + e^x by arithmetic that rounds once. If the exponential and the
/// sum were computed separately, each of them would round.
struct ExpandOnePlusExpOfFloats : OpRewritePattern<math::ExpOp> {
  explicit ExpandOnePlusExpOfFloats(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    Operation *sum = sumWithOne(op);
    if (!getElementTypeOrSelf(op.getType()).isF32() || !sum)
      return rewriter.notifyMatchFailure(op, "expected 1 + e^x in f32");
    rewriter.setInsertionPoint(sum);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(sum, expAnd(b, op.getOperand(), 1));
    rewriter.eraseOp(op);
    return success();
  }
};

/// Replaces 1 / (1 + e^x), a sigmoid, by 0.5 / ((1 + e^x) / 2). The denominator
/// is halved because `halfOfExpAnd` computes it from 2^k, which may be 2^128
/// and would overflow a float. A Newton step then corrects the rounding errors
/// of the sum and the quotient.
struct ExpandSigmoidOfFloats : OpRewritePattern<math::ExpOp> {
  ExpandSigmoidOfFloats(MLIRContext *context, bool useFMA)
      : OpRewritePattern(context, /*benefit=*/3), useFMA(useFMA) {}

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    Operation *one = sumWithOne(op);
    if (!getElementTypeOrSelf(op.getType()).isF32() || !one ||
        !one->hasOneUse())
      return rewriter.notifyMatchFailure(
          op, "expected 1 + e^x in f32 with one use");
    auto inverse = dyn_cast<arith::DivFOp>(*one->getUsers().begin());
    if (!inverse || !matchPattern(inverse.getLhs(), m_OneFloat()))
      return rewriter.notifyMatchFailure(op, "expected 1 / (1 + e^x)");
    rewriter.setInsertionPoint(inverse);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(inverse, sigmoid(b, op.getOperand()));
    rewriter.eraseOp(one);
    rewriter.eraseOp(op);
    return success();
  }

private:
  Value sigmoid(ImplicitLocOpBuilder &b, Value x) const {
    Type type = x.getType();
    ExpPlusConstantWithRoundingError half = halfOfExpAnd(b, x, 1);
    Value numerator = splat(b, type, 0.5);
    Value quotient = arith::DivFOp::create(b, numerator, half.sum);
    Value minus = arith::NegFOp::create(b, quotient);
    Value error = arith::MulFOp::create(b, minus, half.lost);
    // On targets with FMA the error of the quotient itself, 0.5 - quotient *
    // sum, is corrected, too. It needs an exact product, which other targets do
    // not have.
    if (useFMA)
      error = arith::AddFOp::create(
          b, error, math::FmaOp::create(b, minus, half.sum, numerator));
    Value twice = arith::AddFOp::create(b, quotient, quotient);
    Value result = math::FmaOp::create(b, error, twice, quotient);
    result = arith::SelectOp::create(b, isOver(b, x, mostOfExp),
                                     splat(b, type, 0), result);
    Value isNone = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
    return arith::SelectOp::create(b, isNone, x, result);
  }

  bool useFMA;
};

/// Expands log(1 + x) = log(u) + (x - (u - 1)) / u, where u is 1 + x rounded:
/// the second summand corrects that rounding, to first order.
struct ExpandLog1pOfFloats : OpRewritePattern<math::Log1pOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Log1pOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "expected f32 operands");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = op.getOperand(), one = splat(b, x.getType(), 1);
    Value u = arith::AddFOp::create(b, x, one);
    Value log = math::LogOp::create(b, u);
    Value lost = arith::SubFOp::create(b, x, arith::SubFOp::create(b, u, one));
    Value sum =
        arith::AddFOp::create(b, log, arith::DivFOp::create(b, lost, u));
    // The correction (x - (u - 1)) / u is left out if u is 0, because it would
    // be a division by 0. It is also left out if u = x, because it is not
    // needed then, and would be NaN for an infinite x.
    Value isEnd = arith::OrIOp::create(b, equals(b, u, x),
                                       equals(b, u, splat(b, x.getType(), 0)));
    Value result = arith::SelectOp::create(b, isEnd, log, sum);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, equals(b, u, one), x,
                                                 result);
    return success();
  }
};

/// Expands erf. Up to `border`, erf(x) = x + x p(x^2). Beyond it,
///   erf(|x|) = 1 - e^(|x| q(|x|)),
/// in which the exponential's error is small compared to 1. The polynomials p
/// and q are minimax, found by weighted least squares against erf in f64
/// (Lawson's iteration).
struct ExpandErfOfFloats : OpRewritePattern<math::ErfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &rewriter) const override {
    constexpr double border = 0.9277; // between the two formulas
    constexpr double end = 4;         // for |x| above it, |erf(x)| rounds to 1
    constexpr double near[] = {1.283791512e-01, -3.761248589e-01,
                               1.128172129e-01, -2.676312439e-02,
                               4.988004453e-03, -5.964254960e-04};
    constexpr double far[] = {-1.128511906e+00, -6.357265711e-01,
                              -1.052510366e-01, 2.288305946e-02,
                              -3.212809097e-03, 2.137252595e-04};
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "expected f32 operands");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = op.getOperand();
    Type type = x.getType();
    Value size = math::AbsFOp::create(b, x);
    Value square = arith::MulFOp::create(b, x, x);
    Value inside = math::FmaOp::create(b, polynomial(b, square, near), x, x);
    Value bounded = boundedBy(b, size, end);
    Value exponent =
        arith::MulFOp::create(b, polynomial(b, bounded, far), bounded);
    Value rest =
        arith::SubFOp::create(b, splat(b, type, 1), boundedExp(b, exponent));
    Value outside = math::CopySignOp::create(b, rest, x);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isOver(b, size, border),
                                                 outside, inside);
    return success();
  }
};

/// Expands tanh. Up to `border`, tanh(x) = x + x^3 p(x^2), with p found as in
/// ExpandErfOfFloats; beyond it, tanh(|x|) = 1 - 2 / (1 + e^(2|x|)), in which
/// the exponential's error is small compared to 1.
struct ExpandTanhOfFloats : OpRewritePattern<math::TanhOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::TanhOp op,
                                PatternRewriter &rewriter) const override {
    constexpr double border = 0.6; // between the two formulas
    constexpr double end = 10;     // for |x| above it, |tanh(x)| rounds to 1
    constexpr double near[] = {-3.333329856e-01, 1.333192438e-01,
                               -5.378383026e-02, 2.079597116e-02,
                               -5.895158276e-03};
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "expected f32 operands");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = op.getOperand();
    Type type = x.getType();
    Value size = math::AbsFOp::create(b, x);
    Value square = arith::MulFOp::create(b, x, x);
    Value cube = arith::MulFOp::create(b, square, x);
    Value inside = math::FmaOp::create(b, polynomial(b, square, near), cube, x);
    Value bounded = boundedBy(b, size, end);
    Value power = boundedExp(b, arith::AddFOp::create(b, bounded, bounded));
    Value one = splat(b, type, 1);
    Value rest = arith::DivFOp::create(b, splat(b, type, 2),
                                       arith::AddFOp::create(b, power, one));
    Value outside =
        math::CopySignOp::create(b, arith::SubFOp::create(b, one, rest), x);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isOver(b, size, border),
                                                 outside, inside);
    return success();
  }
};

/// Counts the patterns that were applied.
struct AppliedPatternCounter : RewriterBase::Listener {
  unsigned count = 0;

  void notifyPatternEnd(const Pattern &, LogicalResult status) override {
    count += succeeded(status);
  }
};

struct ApproximateMath
    : ::ingot::mathlib::impl::ApproximateMathPassBase<ApproximateMath> {
  using ApproximateMathPassBase::ApproximateMathPassBase;

  // The patterns are frozen once and used for all kernels, as freezing them
  // takes longer than rewriting a small kernel.
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet patterns(context);
    populateMathF32ExpansionPatterns(patterns, [](StringRef) { return true; });
    populateMathPolynomialApproximationPatterns(
        patterns, [](StringRef name) { return name == "math.log"; });
    patterns.add<ExpandErfOfFloats, ExpandTanhOfFloats, ExpandExpOfFloats,
                 ExpandExpM1OfFloats, ExpandOnePlusExpOfFloats,
                 ExpandLog1pOfFloats>(context);
    patterns.add<ExpandSigmoidOfFloats>(context, useFMA);
    populateDoublesPatterns(patterns, useFMA);
    if (useFMA)
      populateErfcOfFloats(patterns);
    else
      patterns.add<ExpandFMA>(context);
    frozen = std::move(patterns);
    return success();
  }

  void runOnOperation() override {
    // Patterns are applied only if the function has an op that one of them may
    // match. Most kernels have no such op.
    const auto &roots = frozen.getOpSpecificNativePatterns();
    bool isNeeded = getOperation()
                        ->walk([&](Operation *op) {
                          return roots.contains(op->getName())
                                     ? WalkResult::interrupt()
                                     : WalkResult::advance();
                        })
                        .wasInterrupted();
    if (!isNeeded)
      return;
    AppliedPatternCounter applied;
    if (failed(
            applyPatternsGreedily(getOperation(), frozen,
                                  GreedyRewriteConfig().setListener(&applied))))
      signalPassFailure();
    numRewritten += applied.count;
  }

  FrozenRewritePatternSet frozen;
};
} // namespace
