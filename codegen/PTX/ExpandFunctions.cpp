//===- ExpandFunctions.cpp - Functions that a CPU has a library for -------===//
//
// Functions of floats are those of doubles, rounded (Doubles.h). Logarithms of
// doubles with the reduction and the coefficients of fdlibm's
// e_log.c, exponentials with its split logarithm of 2 and Taylor's series;
// powers of floats through both.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/Doubles.h"
#include "codegen/PTX/Passes.h"

#include "mlir/Dialect/Math/Transforms/Approximation.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <limits>

namespace ingot::ptx {
#define GEN_PASS_DEF_EXPANDFUNCTIONSPASS
#include "codegen/PTX/Passes.h.inc"
} // namespace ingot::ptx

using namespace mlir;
using namespace ::ingot::ptx;

namespace {

/// exp(x) = 2^n exp(r), where r is at most half a logarithm of 2.
Value exponential(ImplicitLocOpBuilder &b, Value x) {
  Doubles d(b);
  // Beyond, the result is 0 or infinite; what is no number is looked at last.
  Value limited =
      d.select(d.is(arith::CmpFPredicate::OGT, x, -800), x, d.number(-800));
  limited = d.select(d.is(arith::CmpFPredicate::OLT, limited, 800), limited,
                     d.number(800));
  Value rounded = math::RoundEvenOp::create(
      b, d.mul(limited, d.number(1.44269504088896338700e+00)));
  Value r = d.fma(rounded, d.number(-6.93147180369123816490e-01), limited);
  r = d.fma(rounded, d.number(-1.90821492927058770002e-10), r);
  SmallVector<double> coefficients; // 1 / k!
  double factorial = 1;
  for (int k = 0; k <= 13; ++k) {
    factorial *= std::max(k, 1);
    coefficients.insert(coefficients.begin(), 1 / factorial);
  }
  Value sum = d.polynomial(r, coefficients);
  // In two steps: the smallest numbers have no power of two of their own.
  Value n = arith::FPToSIOp::create(b, d.i64, rounded);
  Value half = arith::ShRSIOp::create(b, n, d.bits(1));
  Value rest = arith::SubIOp::create(b, n, half);
  Value result = d.mul(d.mul(sum, d.powerOfTwo(half)), d.powerOfTwo(rest));
  return d.select(d.isNaN(x), x, result);
}

/// log(x) = e log(2) + log(m), where m is near 1.
Value logarithm(ImplicitLocOpBuilder &b, Value x) {
  Doubles d(b);
  constexpr double smallestNormal = std::numeric_limits<double>::min();
  Value isTiny = d.is(arith::CmpFPredicate::OLT, x, smallestNormal);
  Value scaled = d.select(isTiny, d.mul(x, d.number(0x1p54)), x);
  Value bits = d.asBits(scaled);
  // Counts from the square root of 1/2 on: m lies between that and its double.
  constexpr int64_t rootOfHalf = 0x3fe6a09e667f3bcd;
  Value above = arith::SubIOp::create(b, bits, d.bits(rootOfHalf));
  Value e = arith::ShRSIOp::create(b, above, d.bits(52));
  Value mantissa =
      arith::SubIOp::create(b, bits, arith::ShLIOp::create(b, e, d.bits(52)));
  Value f = d.sub(d.fromBits(mantissa), d.number(1));
  e = arith::SubIOp::create(b, e, d.select(isTiny, d.bits(54), d.bits(0)));
  Value k = d.fromInteger(e);
  Value s = d.div(f, d.add(f, d.number(2)));
  Value z = d.mul(s, s);
  Value remainder = d.mul(
      z, d.polynomial(z, {1.479819860511658591e-01, 1.531383769920937332e-01,
                          1.818357216161805012e-01, 2.222219843214978396e-01,
                          2.857142874366239149e-01, 3.999999999940941908e-01,
                          6.666666666666735130e-01}));
  Value halfSquare = d.mul(d.mul(f, f), d.number(0.5));
  Value low = d.fma(s, d.add(halfSquare, remainder),
                    d.mul(k, d.number(1.90821492927058770002e-10)));
  Value result = d.sub(d.mul(k, d.number(6.93147180369123816490e-01)),
                       d.sub(d.sub(halfSquare, low), f));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  result = d.select(d.is(arith::CmpFPredicate::OEQ, x, infinity), x, result);
  result = d.select(d.is(arith::CmpFPredicate::OEQ, x, 0), d.number(-infinity),
                    result);
  // Of negative numbers there is none, and none of what is no number.
  return d.select(d.is(arith::CmpFPredicate::OGE, x, 0), result,
                  d.number(std::numeric_limits<double>::quiet_NaN()));
}

/// tanh(x) from exp(2 |x|) - 1, which is exact near 0.
Value hyperbolicTangent(ImplicitLocOpBuilder &b, Value x) {
  Doubles d(b);
  Value size = d.abs(x);
  Value t = math::ExpM1Op::create(b, d.mul(size, d.number(2)));
  Value result = d.div(t, d.add(t, d.number(2)));
  result =
      d.select(d.is(arith::CmpFPredicate::OGT, size, 22), d.number(1), result);
  return math::CopySignOp::create(b, result, x);
}

/// a to the power of y, whose size, that of |a| to the power of y, is known.
Value power(ImplicitLocOpBuilder &b, Value a, Value y, Value size) {
  Doubles d(b);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // Integers keep the sign, odd ones, or lose it; others have no power of what
  // is negative. Doubles from 2^53 on are even.
  Value whole = math::FloorOp::create(b, y);
  Value isWhole = d.is(arith::CmpFPredicate::OEQ, whole, y);
  Value half = d.mul(y, d.number(0.5));
  Value isOdd = arith::AndIOp::create(
      b, isWhole,
      d.is(arith::CmpFPredicate::ONE, math::FloorOp::create(b, half), half));
  Value signedSize =
      d.select(isOdd, math::CopySignOp::create(b, size, a), size);
  Value isNegative =
      arith::AndIOp::create(b, d.is(arith::CmpFPredicate::OLT, a, 0),
                            d.is(arith::CmpFPredicate::ONE, a, -infinity));
  Value hasNone = arith::AndIOp::create(
      b, isNegative, d.is(arith::CmpFPredicate::ONE, whole, y));
  Value result = d.select(
      hasNone, d.number(std::numeric_limits<double>::quiet_NaN()), signedSize);
  // -1 to the power of what is infinite, 1 to that of anything, and anything
  // to that of 0.
  Value isUnit = arith::AndIOp::create(
      b, d.is(arith::CmpFPredicate::OEQ, d.abs(a), 1),
      d.is(arith::CmpFPredicate::OEQ, d.abs(y), infinity));
  Value isOne = arith::OrIOp::create(b, d.is(arith::CmpFPredicate::OEQ, a, 1),
                                     d.is(arith::CmpFPredicate::OEQ, y, 0));
  return d.select(arith::OrIOp::create(b, isUnit, isOne), d.number(1), result);
}

/// A function of doubles, by a FunctionOfOne or a FunctionOfTwo.
template <typename Op, auto *expand>
struct ExpandDouble : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF64())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    if constexpr (std::is_same_v<decltype(expand), FunctionOfOne *>)
      rewriter.replaceOp(op, expand(b, op->getOperand(0)));
    else
      rewriter.replaceOp(op, expand(b, op->getOperand(0), op->getOperand(1)));
    return success();
  }
};

/// A function of floats is that of doubles, rounded.
template <typename Op> struct ComputeInDoubles : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type f64 = b.getF64Type();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(arith::ExtFOp::create(b, f64, operand));
    Value result = Op::create(b, TypeRange(f64), operands);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), result);
    return success();
  }
};

/// Of floats, whose doubles have digits to spare.
struct ExpandPowerOfFloats : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Doubles d(b);
    Value a = arith::ExtFOp::create(b, d.f64, op.getLhs());
    Value y = arith::ExtFOp::create(b, d.f64, op.getRhs());
    Value size =
        math::ExpOp::create(b, d.mul(y, math::LogOp::create(b, d.abs(a))));
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(),
                                                 power(b, a, y, size));
    return success();
  }
};

Value powerOfDoubles(ImplicitLocOpBuilder &b, Value a, Value y) {
  return power(b, a, y, powerOfSize(b, Doubles(b).abs(a), y));
}

struct ExpandFunctions
    : ::ingot::ptx::impl::ExpandFunctionsPassBase<ExpandFunctions> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      // Of others upstream's polynomials are some tens of units off.
      return name == "math.erf" || name == "math.erfc";
    });
    patterns.add<
        ExpandDouble<math::ExpOp, exponential>,
        ExpandDouble<math::LogOp, logarithm>,
        ExpandDouble<math::TanhOp, hyperbolicTangent>,
        ExpandDouble<math::SinOp, sine>, ExpandDouble<math::CosOp, cosine>,
        ExpandDouble<math::TanOp, tangent>, ExpandDouble<math::AsinOp, arcSine>,
        ExpandDouble<math::AcosOp, arcCosine>,
        ExpandDouble<math::AtanOp, arcTangent>,
        ExpandDouble<math::SinhOp, hyperbolicSine>,
        ExpandDouble<math::CoshOp, hyperbolicCosine>,
        ExpandDouble<math::AsinhOp, areaSine>,
        ExpandDouble<math::AcoshOp, areaCosine>,
        ExpandDouble<math::AtanhOp, areaTangent>,
        ExpandDouble<math::ErfOp, errorFunction>,
        ExpandDouble<math::ErfcOp, errorRest>,
        ExpandDouble<math::Atan2Op, arcTangent2>,
        ExpandDouble<math::PowFOp, powerOfDoubles>, ExpandPowerOfFloats>(
        &getContext());
    patterns
        .add<ComputeInDoubles<math::SinOp>, ComputeInDoubles<math::CosOp>,
             ComputeInDoubles<math::TanOp>, ComputeInDoubles<math::AsinOp>,
             ComputeInDoubles<math::AcosOp>, ComputeInDoubles<math::AtanOp>,
             ComputeInDoubles<math::Atan2Op>, ComputeInDoubles<math::SinhOp>,
             ComputeInDoubles<math::CoshOp>, ComputeInDoubles<math::AsinhOp>,
             ComputeInDoubles<math::AcoshOp>, ComputeInDoubles<math::AtanhOp>>(
            &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
