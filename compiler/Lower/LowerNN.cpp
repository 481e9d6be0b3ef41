//===- LowerNN.cpp - Bias additions and losses ----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/WindowAccess.h"

#include "dialects/Ingot/IR/NNOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <limits>

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

/// Returns the index of the channel dimension of a tensor of rank `rank` in
/// data format `format`.
int64_t channelDimension(StringRef format, int64_t rank) {
  return format == "NCHW" ? 1 : rank - 1;
}

struct LowerBiasAdd : OpRewritePattern<BiasAddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BiasAddOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    int64_t rank = type.getRank();
    int64_t channel = channelDimension(op.getDataFormat(), rank);
    AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
    AffineMap alongChannels =
        AffineMap::get(rank, 0, rewriter.getAffineDimExpr(channel));
    auto sum = generic(
        rewriter, op.getLoc(), {op.getValue(), op.getBias()},
        emptyTensor(rewriter, op.getLoc(),
                    sizesOf(rewriter, op.getLoc(), op.getValue()),
                    type.getElementType()),
        {identity, alongChannels, identity}, SmallVector<bool>(rank, false),
        [](Builder &b, ValueRange x) -> SmallVector<Value> {
          if (isa<FloatType>(x[0].getType()))
            return {arith::AddFOp::create(b, x[0], x[1])};
          return {arith::AddIOp::create(b, x[0], x[1])};
        });
    rewriter.replaceOp(op, sum.getResults());
    return success();
  }
};

struct LowerBiasAddGrad : OpRewritePattern<BiasAddGradOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BiasAddGradOp op,
                                PatternRewriter &rewriter) const override {
    auto input = cast<RankedTensorType>(op.getGradient().getType());
    auto type = cast<RankedTensorType>(op.getType());
    Type sumType = getSumType(type.getElementType());
    int64_t rank = input.getRank();
    int64_t channel = channelDimension(op.getDataFormat(), rank);
    SmallVector<bool> reduced(rank, true);
    reduced[channel] = false;
    auto sum =
        generic(rewriter, op.getLoc(), op.getGradient(),
                filledTensor(rewriter, op.getLoc(),
                             {tensor::getMixedSize(rewriter, op.getLoc(),
                                                   op.getGradient(), channel)},
                             sumType, 0),
                {rewriter.getMultiDimIdentityMap(rank),
                 AffineMap::get(rank, 0, rewriter.getAffineDimExpr(channel))},
                reduced, [&](Builder &b, ValueRange x) -> SmallVector<Value> {
                  return {sumOf(b, x[1], convertTo(b, x[0], sumType))};
                });
    rewriter.replaceOp(op,
                       convertTensor(rewriter, op.getLoc(), sum.getResult(0),
                                     type.getElementType()));
    return success();
  }
};

/// Lowers sparse softmax cross entropy to its loss and gradient. The loss of a
/// row is log(sum of e^(x - max)) - (x[label] - max), where max is the row's
/// largest logit, so that no exponential overflows.
struct LowerSparseSoftmaxCrossEntropy
    : OpRewritePattern<SparseSoftmaxCrossEntropyOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SparseSoftmaxCrossEntropyOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto logits = cast<RankedTensorType>(op.getLogits().getType());
    Type narrow = logits.getElementType(), element = getSumType(narrow);
    Sizes all = sizesOf(rewriter, loc, op.getLogits());
    Value classes = sizeValue(rewriter, loc, all[1]);
    Sizes rows = {all[0]};
    AffineMap full = rewriter.getMultiDimIdentityMap(2);
    AffineMap perRow = AffineMap::get(2, 0, rewriter.getAffineDimExpr(0));
    double infinity = std::numeric_limits<double>::infinity();

    Value largest =
        generic(rewriter, loc, op.getLogits(),
                filledTensor(rewriter, loc, rows, element, -infinity),
                {full, perRow}, {false, true},
                [&](Builder &b, ValueRange x) -> SmallVector<Value> {
                  return {arith::MaximumFOp::create(
                      b, x[1], convertTo(b, x[0], element))};
                })
            .getResult(0);
    Value exponentials =
        generic(rewriter, loc, {op.getLogits(), largest},
                emptyTensor(rewriter, loc, all, element), {full, perRow, full},
                {false, false},
                [&](Builder &b, ValueRange x) -> SmallVector<Value> {
                  Value logit = convertTo(b, x[0], element);
                  return {math::ExpOp::create(
                      b, arith::SubFOp::create(b, logit, x[1]))};
                })
            .getResult(0);
    Value sum = generic(rewriter, loc, exponentials,
                        filledTensor(rewriter, loc, rows, element, 0),
                        {full, perRow}, {false, true},
                        [](Builder &b, ValueRange x) -> SmallVector<Value> {
                          return {arith::AddFOp::create(b, x[1], x[0])};
                        })
                    .getResult(0);
    // `picked` has, for each row, the logit of the row's label, or NaN if the
    // label is out of range.
    Value picked =
        generic(rewriter, loc, {op.getLogits(), op.getLabels()},
                filledTensor(rewriter, loc, rows, element,
                             std::numeric_limits<double>::quiet_NaN()),
                {full, perRow, perRow}, {false, true},
                [&](Builder &b, ValueRange x) -> SmallVector<Value> {
                  Value logit = convertTo(b, x[0], element);
                  return {arith::SelectOp::create(b, isLabel(b, x[1]), logit,
                                                  x[2])};
                })
            .getResult(0);
    Value loss =
        elementwise(
            rewriter, loc, {logits.getDimSize(0)}, {sum, largest, picked},
            emptyTensor(rewriter, loc, rows, narrow),
            [&](Builder &b, ValueRange x) -> SmallVector<Value> {
              Value logSum = math::LogOp::create(b, x[0]);
              Value distance = arith::SubFOp::create(b, x[2], x[1]);
              return {convertTo(b, arith::SubFOp::create(b, logSum, distance),
                                narrow)};
            })
            .getResult(0);
    Value backprop =
        generic(rewriter, loc, {exponentials, sum, op.getLabels()},
                emptyTensor(rewriter, loc, all, narrow),
                {full, perRow, perRow, full}, {false, false},
                [&](Builder &b, ValueRange x) -> SmallVector<Value> {
                  Value zero = scalar(b, element, 0);
                  Value one = scalar(b, element, 1);
                  Value isHere =
                      arith::SelectOp::create(b, isLabel(b, x[2]), one, zero);
                  Value softmax = arith::DivFOp::create(b, x[0], x[1]);
                  Value gradient = arith::SubFOp::create(b, softmax, isHere);
                  // Unsigned comparison: a negative label is out of range, too.
                  Value isClass = arith::CmpIOp::create(
                      b, arith::CmpIPredicate::ult, x[2],
                      arith::IndexCastOp::create(b, x[2].getType(), classes));
                  Value nan = scalar(b, element,
                                     std::numeric_limits<double>::quiet_NaN());
                  return {convertTo(
                      b, arith::SelectOp::create(b, isClass, gradient, nan),
                      narrow)};
                })
            .getResult(0);
    rewriter.replaceOp(op, {loss, backprop});
    return success();
  }

  /// Returns an i1 value: whether the class of the current iteration is
  /// `label`.
  static Value isLabel(Builder &b, Value label) {
    Value position = arith::IndexCastOp::create(b, label.getType(),
                                                linalg::IndexOp::create(b, 1));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, position, label);
  }
};

} // namespace

void ::ingot::lower::populateNNPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerBiasAdd, LowerBiasAddGrad, LowerSparseSoftmaxCrossEntropy>(
      patterns.getContext());
}
