//===- LowerBroadcast.cpp - Dynamic broadcasting --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/Patterns.h"

#include "dialects/Ingot/IR/BroadcastOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

struct LowerBroadcastToCommonShape : OpRewritePattern<BroadcastAgainstOp> {
  using OpRewritePattern::OpRewritePattern;

  /// Returns the size of one dimension of the result: `size` if it is static.
  /// Otherwise it is the size of the first operand whose size in this dimension
  /// is not 1 at run time, or 1 if there is no such operand. `fromEnd` is the
  /// dimension's number, counted from the last one, which has number 1.
  static OpFoldResult commonSize(OpBuilder &builder, Location loc, int64_t size,
                                 int64_t fromEnd, ValueRange operands) {
    if (!ShapedType::isDynamic(size))
      return builder.getIndexAttr(size);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value common = one;
    for (Value operand : operands) {
      auto type = cast<RankedTensorType>(operand.getType());
      if (fromEnd > type.getRank() ||
          type.getDimSize(type.getRank() - fromEnd) == 1)
        continue;
      Value own = sizeValue(builder, loc,
                            tensor::getMixedSize(builder, loc, operand,
                                                 type.getRank() - fromEnd));
      Value isOne = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, common, one);
      common = arith::SelectOp::create(builder, loc, isOne, own, common);
    }
    return common;
  }

  LogicalResult matchAndRewrite(BroadcastAgainstOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    auto input = cast<RankedTensorType>(op.getInput().getType());
    Sizes sizes;
    for (auto [index, size] : llvm::enumerate(type.getShape()))
      sizes.push_back(commonSize(rewriter, loc, size, type.getRank() - index,
                                 op->getOperands()));
    // `last` has the largest index of each dimension of the input. Each index
    // in the result is clamped to it, so that a dimension of size 1, which is
    // broadcast, is always read at index 0.
    SmallVector<Value> last;
    Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    for (OpFoldResult size : sizesOf(rewriter, loc, op.getInput()))
      last.push_back(arith::SubIOp::create(
          rewriter, loc, sizeValue(rewriter, loc, size), one));
    auto copy = elementwise(
        rewriter, loc, type.getShape(), {},
        emptyTensor(rewriter, loc, sizes, type.getElementType()),
        [&](Builder &b, ValueRange) -> SmallVector<Value> {
          SmallVector<Value> indices;
          int64_t missing = type.getRank() - input.getRank();
          for (auto [dim, limit] : llvm::enumerate(last))
            indices.push_back(arith::MinUIOp::create(
                b, linalg::IndexOp::create(b, missing + dim), limit));
          return {tensor::ExtractOp::create(b, op.getInput(), indices)};
        });
    rewriter.replaceOp(op, copy.getResults());
    return success();
  }
};

} // namespace

void ::ingot::lower::populateBroadcastPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerBroadcastToCommonShape>(patterns.getContext());
}
