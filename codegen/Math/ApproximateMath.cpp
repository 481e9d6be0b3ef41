//===- ApproximateMath.cpp - Functions as polynomials on vectors ----------===//

#include "codegen/Math/Passes.h"

#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace ingot::mathlib {
#define GEN_PASS_DEF_APPROXIMATEMATHPASS
#include "codegen/Math/Passes.h.inc"
} // namespace ingot::mathlib

using namespace mlir;

namespace {

/// A library call for every product would cost more than its rounding saves.
struct SplitFMA : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    Value product =
        arith::MulFOp::create(rewriter, op.getLoc(), op.getA(), op.getB());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op.getC());
    return success();
  }
};

bool isDouble(Operation *op) {
  return getElementTypeOrSelf(op->getResult(0)).isF64();
}

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

/// exp(x) - 1 where the subtraction cancels: what u = exp(x) has lost to
/// rounding, log(u) has lost as well (Kahan). Polynomials do so in f32.
struct ExactExpM1 : OpRewritePattern<math::ExpM1Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpM1Op op,
                                PatternRewriter &rewriter) const override {
    if (!isDouble(op))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = op.getOperand(), one = splat(b, x.getType(), 1);
    Value u = math::ExpOp::create(b, x);
    Value less = arith::SubFOp::create(b, u, one);
    Value share = arith::DivFOp::create(b, x, math::LogOp::create(b, u));
    Value product = arith::MulFOp::create(b, less, share);
    // Far from zero nothing cancels: u is 0, infinite, or as large as u - 1.
    Value isFar = arith::OrIOp::create(
        b, equals(b, less, u), equals(b, less, splat(b, x.getType(), -1)));
    Value result = arith::SelectOp::create(b, isFar, less, product);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, equals(b, u, one), x,
                                                 result);
    return success();
  }
};

/// log(1 + x), likewise.
struct ExactLog1p : OpRewritePattern<math::Log1pOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Log1pOp op,
                                PatternRewriter &rewriter) const override {
    if (!isDouble(op))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = op.getOperand(), one = splat(b, x.getType(), 1);
    Value u = arith::AddFOp::create(b, x, one);
    Value log = math::LogOp::create(b, u);
    Value share = arith::DivFOp::create(b, x, arith::SubFOp::create(b, u, one));
    Value product = arith::MulFOp::create(b, log, share);
    Value result = arith::SelectOp::create(b, equals(b, u, x), log, product);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, equals(b, u, one), x,
                                                 result);
    return success();
  }
};

/// The polynomial of `x` with these coefficients, that of x^0 first.
Value polynomial(ImplicitLocOpBuilder &b, Value x, ArrayRef<double> factors) {
  Value sum = splat(b, x.getType(), factors.back());
  for (double factor : llvm::reverse(factors.drop_back()))
    sum = math::FmaOp::create(b, sum, x, splat(b, x.getType(), factor));
  return sum;
}

/// Around zero erf(x) = x + x p(x^2); further out erf(|x|) = 1 - e^(|x|
/// q(|x|)), where what e^.. is wrong by is a small part of 1. Both polynomials
/// are those of the smallest largest error, found by weighted least squares
/// against erf in f64 (Lawson's iteration).
struct ErfOfFloats : OpRewritePattern<math::ErfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &rewriter) const override {
    constexpr double border = 0.9277; // between the two
    constexpr double end = 4;         // from here on it is 1
    constexpr double near[] = {1.283791512e-01, -3.761248589e-01,
                               1.128172129e-01, -2.676312439e-02,
                               4.988004453e-03, -5.964254960e-04};
    constexpr double far[] = {-1.128511906e+00, -6.357265711e-01,
                              -1.052510366e-01, 2.288305946e-02,
                              -3.212809097e-03, 2.137252595e-04};
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = op.getOperand();
    Type type = x.getType();
    Value size = math::AbsFOp::create(b, x);
    Value square = arith::MulFOp::create(b, x, x);
    Value inside = math::FmaOp::create(b, polynomial(b, square, near), x, x);
    Value isOver = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, size,
                                         splat(b, type, end));
    Value bounded =
        arith::SelectOp::create(b, isOver, splat(b, type, end), size);
    Value exponent =
        arith::MulFOp::create(b, polynomial(b, bounded, far), bounded);
    Value rest = arith::SubFOp::create(b, splat(b, type, 1),
                                       math::ExpOp::create(b, exponent));
    Value outside = math::CopySignOp::create(b, rest, x);
    // What is no number is no further out than any.
    Value isFar = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, size,
                                        splat(b, type, border));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isFar, outside, inside);
    return success();
  }
};

struct ApproximateMath
    : ::ingot::mathlib::impl::ApproximateMathPassBase<ApproximateMath> {
  using ApproximateMathPassBase::ApproximateMathPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathF32ExpansionPatterns(patterns, [](StringRef) { return true; });
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return name == "math.exp" || name == "math.log" || name == "math.tanh" ||
             name == "math.expm1" || name == "math.log1p";
    });
    patterns.add<ErfOfFloats, ExactExpM1, ExactLog1p>(&getContext());
    if (!useFMA)
      patterns.add<SplitFMA>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
