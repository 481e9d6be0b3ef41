//===- LowerShapes.cpp - Reshapes, fills, tiles, transposes ---------------===//

#include "compiler/Lower/Patterns.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

/// Ops whose result has the operand's elements in the same order.
template <typename OpTy> struct LowerReshape : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    rewriter.replaceOp(
        op, reshaped(rewriter, op.getLoc(), op.getInput(), type.getShape()));
    return success();
  }
};

struct LowerFill : OpRewritePattern<FillOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FillOp op,
                                PatternRewriter &rewriter) const override {
    Value value = tensor::ExtractOp::create(rewriter, op.getLoc(),
                                            op.getValue(), ValueRange());
    auto type = cast<RankedTensorType>(op.getType());
    rewriter.replaceOpWithNewOp<linalg::FillOp>(
        op, value, emptyTensor(rewriter, op.getLoc(), type));
    return success();
  }
};

struct LowerZerosLike : OpRewritePattern<ZerosLikeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ZerosLikeOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op,
                       filledTensor(rewriter, op.getLoc(),
                                    cast<RankedTensorType>(op.getType()), 0));
    return success();
  }
};

struct LowerTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<int64_t> permutation;
    if (!constantIntegers(op.getPermutation(), permutation))
      return rewriter.notifyMatchFailure(op, "permutation is not constant");
    rewriter.replaceOpWithNewOp<linalg::TransposeOp>(
        op, op.getInput(),
        emptyTensor(rewriter, op.getLoc(),
                    cast<RankedTensorType>(op.getType())),
        permutation);
    return success();
  }
};

struct LowerTile : OpRewritePattern<TileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TileOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto input = cast<RankedTensorType>(op.getInput().getType());
    auto type = cast<RankedTensorType>(op.getType());
    // Repeating single elements is broadcasting; the rest is read by index.
    bool broadcasts = llvm::all_of(
        llvm::zip(input.getShape(), type.getShape()), [](auto sizes) {
          return std::get<0>(sizes) == 1 ||
                 std::get<0>(sizes) == std::get<1>(sizes);
        });
    Value destination = emptyTensor(rewriter, loc, type);
    if (broadcasts) {
      auto copy = elementwise(
          rewriter, loc, type.getShape(), op.getInput(), destination,
          [](Builder &, ValueRange x) { return SmallVector<Value>{x[0]}; });
      rewriter.replaceOp(op, copy.getResults());
      return success();
    }
    auto gather = elementwise(
        rewriter, loc, type.getShape(), {}, destination,
        [&](Builder &b, ValueRange) {
          SmallVector<Value> indices;
          for (auto [dimension, size] : llvm::enumerate(input.getShape()))
            indices.push_back(arith::RemUIOp::create(
                b, linalg::IndexOp::create(b, dimension),
                arith::ConstantIndexOp::create(b, size)));
          return SmallVector<Value>{
              tensor::ExtractOp::create(b, op.getInput(), indices)};
        });
    rewriter.replaceOp(op, gather.getResults());
    return success();
  }
};

struct LowerRange : OpRewritePattern<RangeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RangeOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    Type element = type.getElementType();
    auto range = elementwise(
        rewriter, op.getLoc(), type.getShape(), {op.getStart(), op.getDelta()},
        emptyTensor(rewriter, op.getLoc(), type),
        [&](Builder &b, ValueRange x) -> SmallVector<Value> {
          Value index = linalg::IndexOp::create(b, 0);
          if (isa<FloatType>(element)) {
            Value i = arith::SIToFPOp::create(
                b, element,
                arith::IndexCastOp::create(b, b.getI64Type(), index));
            return {arith::AddFOp::create(b, x[0],
                                          arith::MulFOp::create(b, i, x[1]))};
          }
          Value i = arith::IndexCastOp::create(b, element, index);
          return {arith::AddIOp::create(b, x[0],
                                        arith::MulIOp::create(b, i, x[1]))};
        });
    rewriter.replaceOp(op, range.getResults());
    return success();
  }
};

} // namespace

void ::ingot::lower::populateShapePatterns(RewritePatternSet &patterns) {
  patterns.add<LowerReshape<ReshapeOp>, LowerReshape<ExpandDimsOp>,
               LowerReshape<SqueezeOp>, LowerFill, LowerZerosLike,
               LowerTranspose, LowerTile, LowerRange>(patterns.getContext());
}
