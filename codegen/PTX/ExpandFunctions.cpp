//===- ExpandFunctions.cpp - Functions that a CPU has a library for -------===//
//
// Exponentials and logarithms of doubles after fdlibm's reduction (S. Moshier
// and Sun's e_exp.c, e_log.c: the coefficients), powers of floats through them.
//
//===----------------------------------------------------------------------===//

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

namespace {

/// Arithmetic on doubles, as it is read.
class Doubles {
public:
  explicit Doubles(ImplicitLocOpBuilder &b)
      : b(b), f64(b.getF64Type()), i64(b.getI64Type()) {}

  Value number(double value) {
    return arith::ConstantOp::create(b, b.getF64FloatAttr(value));
  }
  Value bits(int64_t value) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  Value abs(Value x) { return math::AbsFOp::create(b, x); }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value is(arith::CmpFPredicate predicate, Value x, double y) {
    return arith::CmpFOp::create(b, predicate, x, number(y));
  }
  Value isNaN(Value x) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  }
  Value asBits(Value x) { return arith::BitcastOp::create(b, i64, x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, f64, x); }
  Value fromInteger(Value x) { return arith::SIToFPOp::create(b, f64, x); }

  /// The highest coefficient first.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = number(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = fma(sum, x, number(coefficient));
    return sum;
  }

  /// 2 to the power of an integer in the range of normal numbers.
  Value powerOfTwo(Value exponent) {
    Value biased = arith::AddIOp::create(b, exponent, bits(1023));
    return fromBits(arith::ShLIOp::create(b, biased, bits(52)));
  }

  ImplicitLocOpBuilder &b;
  Type f64, i64;
};

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
  return d.select(d.is(arith::CmpFPredicate::UGE, x, 0), result,
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

/// a to the power of b: of floats, whose doubles have digits to spare.
Value power(ImplicitLocOpBuilder &b, Value base, Value exponent) {
  Doubles d(b);
  Value a = arith::ExtFOp::create(b, d.f64, base);
  Value y = arith::ExtFOp::create(b, d.f64, exponent);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value product = d.mul(y, math::LogOp::create(b, d.abs(a)));
  Value size = math::ExpOp::create(b, product);
  // Integers keep the sign, odd ones, or lose it; others have no power of what
  // is negative. Doubles from 2^53 on are even.
  Value whole = math::FloorOp::create(b, y);
  Value isWhole = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, whole, y);
  Value half = d.mul(y, d.number(0.5));
  Value isOdd = arith::AndIOp::create(
      b, isWhole,
      arith::CmpFOp::create(b, arith::CmpFPredicate::ONE,
                            math::FloorOp::create(b, half), half));
  Value signedSize =
      d.select(isOdd, math::CopySignOp::create(b, size, a), size);
  Value isNegative =
      arith::AndIOp::create(b, d.is(arith::CmpFPredicate::OLT, a, 0),
                            d.is(arith::CmpFPredicate::ONE, a, -infinity));
  Value hasNone = arith::AndIOp::create(
      b, isNegative,
      arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, whole, y));
  Value result = d.select(
      hasNone, d.number(std::numeric_limits<double>::quiet_NaN()), signedSize);
  // -1 to the power of what is infinite, 1 to that of anything, and anything
  // to that of 0.
  Value isUnit = arith::AndIOp::create(
      b, d.is(arith::CmpFPredicate::OEQ, d.abs(a), 1),
      d.is(arith::CmpFPredicate::OEQ, d.abs(y), infinity));
  Value isOne = arith::OrIOp::create(b, d.is(arith::CmpFPredicate::OEQ, a, 1),
                                     d.is(arith::CmpFPredicate::OEQ, y, 0));
  result =
      d.select(arith::OrIOp::create(b, isUnit, isOne), d.number(1), result);
  return arith::TruncFOp::create(b, base.getType(), result);
}

template <typename Op, Value (*expand)(ImplicitLocOpBuilder &, Value)>
struct ExpandDouble : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF64())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, expand(b, op.getOperand()));
    return success();
  }
};

struct ExpandPower : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, power(b, op.getLhs(), op.getRhs()));
    return success();
  }
};

struct ExpandFunctions
    : ::ingot::ptx::impl::ExpandFunctionsPassBase<ExpandFunctions> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return llvm::is_contained({"math.acos", "math.asin", "math.atan",
                                 "math.atan2", "math.cbrt", "math.cos",
                                 "math.erf", "math.erfc", "math.sin"},
                                name);
    });
    patterns.add<ExpandDouble<math::ExpOp, exponential>,
                 ExpandDouble<math::LogOp, logarithm>,
                 ExpandDouble<math::TanhOp, hyperbolicTangent>, ExpandPower>(
        &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
