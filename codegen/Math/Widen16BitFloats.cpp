//===- Widen16BitFloats.cpp - Compute 16-bit floats in f32 ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Replaces arithmetic on f16 and bf16 by arithmetic on f32, whose result is
// rounded after each op, as MLIR's emulation of unsupported floats does.
//
//===----------------------------------------------------------------------===//

#include "codegen/Math/Passes.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace ingot::mathlib {
#define GEN_PASS_DEF_WIDEN16BITFLOATSPASS
#include "codegen/Math/Passes.h.inc"
} // namespace ingot::mathlib

using namespace mlir;

namespace {

/// Converts f64 to bf16 in two steps, over f32. This rounds twice, as
/// TensorFlow does.
struct TruncateF64ToBF16ViaF32 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type between = rewriter.getF32Type();
    if (!getElementTypeOrSelf(op.getType()).isBF16() ||
        !getElementTypeOrSelf(op.getIn()).isF64())
      return rewriter.notifyMatchFailure(
          op, "expected a truncation of f64 to bf16");
    if (auto shaped = dyn_cast<ShapedType>(op.getType()))
      between = shaped.clone(between);
    Value narrower =
        arith::TruncFOp::create(rewriter, op.getLoc(), between, op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), narrower);
    return success();
  }
};

/// Converts bf16 to f64 in two steps, over f32, without any rounding. MLIR's
/// patterns that expand conversions of bf16 support only those to and from f32.
struct ExtendBF16ToF64ViaF32 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type between = rewriter.getF32Type();
    if (!getElementTypeOrSelf(op.getIn()).isBF16() ||
        !getElementTypeOrSelf(op.getType()).isF64())
      return rewriter.notifyMatchFailure(
          op, "expected an extension of bf16 to f64");
    if (auto shaped = dyn_cast<ShapedType>(op.getType()))
      between = shaped.clone(between);
    Value wider =
        arith::ExtFOp::create(rewriter, op.getLoc(), between, op.getIn());
    rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), wider);
    return success();
  }
};

bool isSmallFloat(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

/// Whether any value has elements of f16 or bf16. Most kernels have none, and
/// for them this check is faster than a dialect conversion that changes
/// nothing.
bool hasSmallFloats(Operation *root) {
  return root
      ->walk([](Operation *op) {
        auto isBlockSmall = [](Block &block) {
          return llvm::any_of(block.getArgumentTypes(), isSmallFloat);
        };
        bool found = llvm::any_of(op->getResultTypes(), isSmallFloat) ||
                     llvm::any_of(op->getRegions(), [&](Region &region) {
                       return llvm::any_of(region, isBlockSmall);
                     });
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

struct Widen16BitFloats
    : ::ingot::mathlib::impl::Widen16BitFloatsPassBase<Widen16BitFloats> {
  void runOnOperation() override {
    if (!hasSmallFloats(getOperation()))
      return;
    MLIRContext *context = &getContext();
    TypeConverter converter;
    arith::populateEmulateUnsupportedFloatsConversions(
        converter, {Float16Type::get(context), BFloat16Type::get(context)},
        Float32Type::get(context));
    RewritePatternSet widening(context);
    arith::populateEmulateUnsupportedFloatsPatterns(widening, converter);
    ConversionTarget target(*context);
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    arith::populateEmulateUnsupportedFloatsLegality(target, converter);
    target.addDynamicallyLegalDialect<math::MathDialect>(
        [&](Operation *op) { return converter.isLegal(op); });
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(widening))))
      return signalPassFailure();
    // Conversions of bf16 become integer arithmetic, so that LLVM calls no
    // library function (__truncsfbf2) for them.
    RewritePatternSet patterns(context);
    arith::populateExpandBFloat16Patterns(patterns);
    patterns.add<TruncateF64ToBF16ViaF32, ExtendBF16ToF64ViaF32>(context);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
