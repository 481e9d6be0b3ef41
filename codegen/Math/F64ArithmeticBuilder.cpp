//===- F64ArithmeticBuilder.cpp - Functions of doubles become arithmetic --===//
// SPDX-License-Identifier: Apache-2.0
//
// Patterns that replace math functions of doubles by arithmetic
// (Exponentials.cpp, Trigonometry.cpp and others have the formulas), and
// functions of floats by those of doubles, rounded once.
//
//===----------------------------------------------------------------------===//

#include "codegen/Math/F64ArithmeticBuilder.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace ingot::mathlib {

/// Returns x y + z with an exact product. Without FMA, the product is computed
/// as the sum of two doubles: Veltkamp's splitting divides each factor into two
/// parts of at most 26 bits, whose products are exact (Dekker 1971).
Value F64ArithmeticBuilder::exact(Value x, Value y, Value z) {
  if (useFMA)
    return fma(x, y, z);
  auto halves = [&](Value whole) -> std::pair<Value, Value> {
    Value scaled = mul(whole, number(0x1p27 + 1));
    Value high = sub(scaled, sub(scaled, whole));
    return {high, sub(whole, high)};
  };
  auto [xHigh, xLow] = halves(x);
  auto [yHigh, yLow] = halves(y);
  Value product = mul(x, y);
  Value lost = sub(mul(xHigh, yHigh), product);
  lost = add(add(lost, mul(xHigh, yLow)), mul(xLow, yHigh));
  lost = add(lost, mul(xLow, yLow));
  return add(add(product, z), lost);
}

/// Corrects the quotient q = x / y by one Newton step: adds the remainder
/// x + xRest - q (y + yRest), divided by y. The remainder's leading digits
/// cancel, so the product q y in it must be exact.
Value F64ArithmeticBuilder::quotient(Value x, Value xRest, Value y,
                                     Value yRest) {
  Value first = div(x, y), minus = neg(first);
  Value error = fma(minus, yRest, exact(minus, y, x));
  if (xRest)
    error = add(error, xRest);
  return add(first, div(error, y));
}

Operation *sumWithOne(math::ExpOp op) {
  if (!op->hasOneUse())
    return nullptr;
  auto sum = dyn_cast<arith::AddFOp>(*op->getUsers().begin());
  if (!sum)
    return nullptr;
  Value other = sum.getLhs() == op.getResult() ? sum.getRhs() : sum.getLhs();
  return matchPattern(other, m_OneFloat()) ? sum.getOperation() : nullptr;
}

namespace {

/// Whether the op's result has the type `type`, or is a vector with elements of
/// that type.
template <typename Op> bool isOf(Op op, Type type) {
  return getElementTypeOrSelf(op.getType()) == type;
}

Value exponentialOf(F64ArithmeticBuilder &d, Value x) {
  return exponential(d, x);
}
Value logarithmOfOneMoreThan(F64ArithmeticBuilder &d, Value x) {
  return logarithmOfOneMore(d, x);
}

/// Replaces an op on doubles by the arithmetic that `expand` builds from the
/// op's one or two operands.
template <typename Op, auto expand>
struct ExpandDoubleFunction : OpRewritePattern<Op> {
  ExpandDoubleFunction(MLIRContext *context, bool useFMA)
      : OpRewritePattern<Op>(context), useFMA(useFMA) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isOf(op, rewriter.getF64Type()))
      return rewriter.notifyMatchFailure(op, "expected f64 operands");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    F64ArithmeticBuilder d(b, op.getType(), useFMA);
    if constexpr (std::is_invocable_v<decltype(expand), F64ArithmeticBuilder &,
                                      Value>)
      rewriter.replaceOp(op, expand(d, op->getOperand(0)));
    else
      rewriter.replaceOp(op, expand(d, op->getOperand(0), op->getOperand(1)));
    return success();
  }

  bool useFMA;
};

/// Replaces 1 + e^x, the denominator of a sigmoid, by arithmetic that rounds
/// once, instead of once for the exponential and once for the sum.
struct ExpandOnePlusExp : OpRewritePattern<math::ExpOp> {
  ExpandOnePlusExp(MLIRContext *context, bool useFMA)
      : OpRewritePattern(context, /*benefit=*/2), useFMA(useFMA) {}

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    Operation *sum = sumWithOne(op);
    if (!isOf(op, rewriter.getF64Type()) || !sum)
      return rewriter.notifyMatchFailure(op, "expected 1 + e^x in f64");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.setInsertionPoint(sum);
    F64ArithmeticBuilder d(b, op.getType(), useFMA);
    rewriter.replaceOp(sum, exponentialAndOne(d, op.getOperand()));
    rewriter.eraseOp(op);
    return success();
  }

  bool useFMA;
};

/// Returns the type with doubles instead of floats: f64, or a vector of f64.
Type inDoubles(Type type) {
  Type f64 = Float64Type::get(type.getContext());
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.cloneWith(std::nullopt, f64);
  return f64;
}

/// Replaces a function of floats by the same function of doubles, whose result
/// is rounded to float. The error of the result in double is so small that the
/// float is correctly rounded, except in rare cases near a tie.
template <typename Op> struct ComputeF32FunctionInF64 : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isOf(op, rewriter.getF32Type()))
      return rewriter.notifyMatchFailure(op, "expected f32 operands");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = inDoubles(op.getType());
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(arith::ExtFOp::create(b, type, operand));
    Value result = Op::create(b, TypeRange(type), operands);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), result);
    return success();
  }
};

/// Replaces a power of floats by arithmetic on doubles. Unlike a power of
/// doubles, a power of floats needs no double-doubles: a float has 24 bits, for
/// which a logarithm in double precision is accurate enough.
struct ExpandPowerOfFloats : OpRewritePattern<math::PowFOp> {
  ExpandPowerOfFloats(MLIRContext *context, bool useFMA)
      : OpRewritePattern(context), useFMA(useFMA) {}

  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isOf(op, rewriter.getF32Type()))
      return rewriter.notifyMatchFailure(op, "expected f32 operands");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    F64ArithmeticBuilder d(b, inDoubles(op.getType()), useFMA);
    Value a = arith::ExtFOp::create(b, d.f64, op.getLhs());
    Value y = arith::ExtFOp::create(b, d.f64, op.getRhs());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(),
                                                 powerOfFloats(d, a, y));
    return success();
  }

  bool useFMA;
};

template <typename... Ops> void computeInDoubles(RewritePatternSet &patterns) {
  patterns.add<ComputeF32FunctionInF64<Ops>...>(patterns.getContext());
}

} // namespace

void populateDoublesPatterns(RewritePatternSet &patterns, bool useFMA) {
  patterns
      .add<ExpandDoubleFunction<math::ExpOp, exponentialOf>, ExpandOnePlusExp,
           ExpandDoubleFunction<math::ExpM1Op, exponentialLessOne>,
           ExpandDoubleFunction<math::LogOp, logarithm>,
           ExpandDoubleFunction<math::Log1pOp, logarithmOfOneMoreThan>,
           ExpandDoubleFunction<math::SinOp, sine>,
           ExpandDoubleFunction<math::CosOp, cosine>,
           ExpandDoubleFunction<math::TanOp, tangent>,
           ExpandDoubleFunction<math::AsinOp, arcSine>,
           ExpandDoubleFunction<math::AcosOp, arcCosine>,
           ExpandDoubleFunction<math::AtanOp, arcTangent>,
           ExpandDoubleFunction<math::SinhOp, hyperbolicSine>,
           ExpandDoubleFunction<math::CoshOp, hyperbolicCosine>,
           ExpandDoubleFunction<math::TanhOp, hyperbolicTangent>,
           ExpandDoubleFunction<math::AsinhOp, areaSine>,
           ExpandDoubleFunction<math::AcoshOp, areaCosine>,
           ExpandDoubleFunction<math::AtanhOp, areaTangent>,
           ExpandDoubleFunction<math::ErfOp, errorFunction>,
           ExpandDoubleFunction<math::ErfcOp, errorRest>,
           ExpandDoubleFunction<math::Atan2Op, arcTangent2>,
           ExpandDoubleFunction<math::PowFOp, power>, ExpandPowerOfFloats>(
          patterns.getContext(), useFMA);
  computeInDoubles<math::SinOp, math::CosOp, math::TanOp, math::AsinOp,
                   math::AcosOp, math::AtanOp, math::Atan2Op, math::SinhOp,
                   math::CoshOp, math::AsinhOp, math::AcoshOp, math::AtanhOp,
                   math::ErfcOp>(patterns);
}

} // namespace ingot::mathlib
