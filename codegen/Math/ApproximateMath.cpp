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
    patterns.add<ExactExpM1, ExactLog1p>(&getContext());
    if (!useFMA)
      patterns.add<SplitFMA>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
