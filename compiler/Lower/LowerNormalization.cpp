//===- LowerNormalization.cpp - Batch normalization, softmax, losses ------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/WindowAccess.h"
#include "dialects/Ingot/IR/NormalizationOps.h"

#include <limits>

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

/// Builds linalg.generic ops with `rank` loops: loop i runs over dimension i of
/// tensors of that rank. Operands of lower rank, such as a vector with an
/// element per channel, are indexed by some of the loops only (`dims`).
class LinalgGenericBuilder {
public:
  LinalgGenericBuilder(OpBuilder &builder, Location loc, int64_t rank)
      : builder(builder), loc(loc), rank(rank) {}

  AffineMap all() const { return builder.getMultiDimIdentityMap(rank); }
  /// Returns the indexing map from all loops to the loops with the indices
  /// `kept`.
  AffineMap dims(ArrayRef<int64_t> kept) const {
    SmallVector<AffineExpr> results;
    for (int64_t dim : kept)
      results.push_back(builder.getAffineDimExpr(dim));
    return AffineMap::get(rank, 0, results, builder.getContext());
  }

  /// Builds an elementwise op over `sizes`. Each input is given with its
  /// indexing map.
  Value map(ArrayRef<std::pair<Value, AffineMap>> inputs,
            ArrayRef<OpFoldResult> sizes, Type element,
            BodyBuilder body) const {
    auto [values, maps] = split(inputs);
    maps.push_back(all());
    return generic(builder, loc, values,
                   emptyTensor(builder, loc, sizes, element), maps,
                   SmallVector<bool>(rank, false), body)
        .getResult(0);
  }

  /// Builds a reduction over all dimensions but `kept`: `body` combines an
  /// element of each input with the running value, which starts as `start`.
  Value reduce(ArrayRef<std::pair<Value, AffineMap>> inputs, Value start,
               ArrayRef<int64_t> kept, BodyBuilder body) const {
    auto [values, maps] = split(inputs);
    maps.push_back(dims(kept));
    SmallVector<bool> reduced(rank, true);
    for (int64_t dim : kept)
      reduced[dim] = false;
    return generic(builder, loc, values, start, maps, reduced, body)
        .getResult(0);
  }

private:
  static std::pair<SmallVector<Value>, SmallVector<AffineMap>>
  split(ArrayRef<std::pair<Value, AffineMap>> inputs) {
    SmallVector<Value> values;
    SmallVector<AffineMap> maps;
    for (auto [value, map] : inputs) {
      values.push_back(value);
      maps.push_back(map);
    }
    return {values, maps};
  }

  OpBuilder &builder;
  Location loc;
  int64_t rank;
};

Value sub(Builder &b, Value x, Value y) {
  return arith::SubFOp::create(b, x, y);
}
Value add(Builder &b, Value x, Value y) {
  return arith::AddFOp::create(b, x, y);
}
Value mul(Builder &b, Value x, Value y) {
  return arith::MulFOp::create(b, x, y);
}
Value div(Builder &b, Value x, Value y) {
  return arith::DivFOp::create(b, x, y);
}

/// Returns 1 / sqrt(variance + epsilon), the reciprocal of the standard
/// deviation.
Value inverseDeviation(Builder &b, Value variance, const APFloat &epsilon) {
  Value sum = add(b, variance,
                  scalar(b, variance.getType(), epsilon.convertToDouble()));
  return div(b, scalar(b, variance.getType(), 1), math::SqrtOp::create(b, sum));
}

/// Per-channel statistics of images in channels-last layout.
class ChannelStatisticsBuilder {
public:
  ChannelStatisticsBuilder(OpBuilder &builder, Location loc, Value x,
                           Type element)
      : builder(builder), loc(loc), sizes(sizesOf(builder, loc, x)),
        rank(sizes.size()), element(element), full(builder, loc, rank),
        each(builder, loc, 1) {}

  /// Adds up, for each channel, the values of `body` over all other dimensions.
  /// `body` receives one element of each input; an input that is a vector has
  /// one element per channel. Adds up the values of each image first, and then
  /// the sums of the images: sums in two stages lose less precision.
  Value sum(ValueRange inputs, BodyBuilder body) {
    SmallVector<std::pair<Value, AffineMap>> operands;
    for (Value input : inputs)
      operands.push_back({input, mapOf(input)});
    Value perImage = full.reduce(
        operands,
        filledTensor(builder, loc, {sizes.front(), sizes.back()}, element, 0),
        {0, rank - 1}, [&](Builder &b, ValueRange x) -> SmallVector<Value> {
          return {add(b, x.back(), body(b, x)[0])};
        });
    LinalgGenericBuilder pairs(builder, loc, 2);
    return pairs.reduce({{perImage, pairs.all()}},
                        filledTensor(builder, loc, sizes.back(), element, 0),
                        {1},
                        [](Builder &b, ValueRange x) -> SmallVector<Value> {
                          return {add(b, x[1], x[0])};
                        });
  }

  /// Build an elementwise op on images (`mapImages`) or on vectors with one
  /// element per channel (`mapChannels`).
  Value mapImages(ValueRange inputs, Type result, BodyBuilder body) {
    SmallVector<std::pair<Value, AffineMap>> operands;
    for (Value input : inputs)
      operands.push_back({input, mapOf(input)});
    return full.map(operands, sizes, result, body);
  }
  Value mapChannels(ValueRange inputs, BodyBuilder body) {
    SmallVector<std::pair<Value, AffineMap>> operands;
    for (Value input : inputs)
      operands.push_back({input, each.all()});
    return each.map(operands, sizes.back(), element, body);
  }

  /// Returns the number of elements per channel minus `less`. The result is at
  /// least 1 if `less` is not 0, because it is used as a divisor.
  Value count(int64_t less = 0) {
    Builder b(loc, builder);
    Value product = arith::ConstantIndexOp::create(b, 1);
    for (OpFoldResult size : ArrayRef(sizes).drop_back())
      product = b.createOrFold<arith::MulIOp>(product, sizeValue(b, loc, size));
    if (less)
      product = arith::MaxSIOp::create(
          b,
          arith::SubIOp::create(b, product,
                                arith::ConstantIndexOp::create(b, less)),
          arith::ConstantIndexOp::create(b, 1));
    Value number = arith::IndexCastOp::create(b, b.getI64Type(), product);
    return arith::SIToFPOp::create(b, element, number);
  }

private:
  AffineMap mapOf(Value input) const {
    return cast<RankedTensorType>(input.getType()).getRank() == 1
               ? full.dims(rank - 1)
               : full.all();
  }

  OpBuilder &builder;
  Location loc;
  Sizes sizes;
  int64_t rank;
  Type element;
  LinalgGenericBuilder full, each;
};

struct LowerFusedBatchNorm : OpRewritePattern<FusedBatchNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FusedBatchNormOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = getElementTypeOrSelf(op.getScale().getType());
    Type narrow = getElementTypeOrSelf(op.getX().getType());
    ChannelStatisticsBuilder channels(rewriter, loc, op.getX(), element);
    Value mean = op.getMean(), variance = op.getVariance();
    Value runningMean = mean, runningVariance = variance;
    if (op.getIsTraining()) {
      Value count = channels.count(), countLess = channels.count(1);
      mean = channels.mapChannels(
          channels.sum(op.getX(),
                       [&](Builder &b, ValueRange x) -> SmallVector<Value> {
                         return {convertTo(b, x[0], element)};
                       }),
          [&](Builder &b, ValueRange x) -> SmallVector<Value> {
            return {div(b, x[0], count)};
          });
      Value squares =
          channels.sum({op.getX(), mean},
                       [&](Builder &b, ValueRange x) -> SmallVector<Value> {
                         Value distance =
                             sub(b, convertTo(b, x[0], element), x[1]);
                         return {mul(b, distance, distance)};
                       });
      variance = channels.mapChannels(
          squares, [&](Builder &b, ValueRange x) -> SmallVector<Value> {
            return {div(b, x[0], count)};
          });
      Value unbiased = channels.mapChannels(
          variance, [&](Builder &b, ValueRange x) -> SmallVector<Value> {
            return {mul(b, x[0], div(b, count, countLess))};
          });
      runningMean = average(op, channels, op.getMean(), mean);
      runningVariance = average(op, channels, op.getVariance(), unbiased);
    }
    Value factor = channels.mapChannels(
        {op.getScale(), variance},
        [&](Builder &b, ValueRange x) -> SmallVector<Value> {
          return {mul(b, inverseDeviation(b, x[1], op.getEpsilon()), x[0])};
        });
    Value y = channels.mapImages(
        {op.getX(), mean, factor, op.getOffset()}, narrow,
        [&](Builder &b, ValueRange x) -> SmallVector<Value> {
          Value distance = sub(b, convertTo(b, x[0], element), x[1]);
          return {convertTo(b, add(b, mul(b, distance, x[2]), x[3]), narrow)};
        });
    rewriter.replaceOp(op, {y, runningMean, runningVariance, mean, variance});
    return success();
  }

  /// Returns the moving average `old` updated with the current value `now`: (1
  /// - factor) * old + factor * now.
  static Value average(FusedBatchNormOp op, ChannelStatisticsBuilder &channels,
                       Value old, Value now) {
    double factor = op.getExponentialAvgFactor().convertToDouble();
    if (factor == 1)
      return now;
    return channels.mapChannels(
        {old, now}, [&](Builder &b, ValueRange x) -> SmallVector<Value> {
          Type type = x[0].getType();
          Value one = scalar(b, type, 1), share = scalar(b, type, factor);
          return {
              add(b, mul(b, sub(b, one, share), x[0]), mul(b, share, x[1]))};
        });
  }
};

struct LowerFusedBatchNormGrad : OpRewritePattern<FusedBatchNormGradOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FusedBatchNormGradOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = getElementTypeOrSelf(op.getScale().getType());
    Type narrow = getElementTypeOrSelf(op.getX().getType());
    ChannelStatisticsBuilder channels(rewriter, loc, op.getX(), element);
    Value gradient = op.getGradient(), mean = op.getMean();
    Value offsetBackprop = channels.sum(
        gradient, [&](Builder &b, ValueRange x) -> SmallVector<Value> {
          return {convertTo(b, x[0], element)};
        });
    Value products =
        channels.sum({gradient, op.getX(), mean},
                     [&](Builder &b, ValueRange x) -> SmallVector<Value> {
                       return {mul(b, convertTo(b, x[0], element),
                                   sub(b, convertTo(b, x[1], element), x[2]))};
                     });
    Value inverse = channels.mapChannels(
        op.getVariance(), [&](Builder &b, ValueRange x) -> SmallVector<Value> {
          return {inverseDeviation(b, x[0], op.getEpsilon())};
        });
    Value count = channels.count();
    // The variance of an empty batch of images is NaN. The gradient of the
    // scale must be 0 nevertheless. So if the batch is empty, use the sum
    // `products`, which is 0, without the factor 1 / sqrt(variance + epsilon).
    Value isEmpty;
    if (auto image = cast<RankedTensorType>(op.getX().getType());
        !image.hasStaticShape() || image.getNumElements() == 0) {
      Builder b(loc, rewriter);
      isEmpty = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, count,
                                      scalar(b, element, 0));
    }
    Value scaleBackprop = channels.mapChannels(
        {products, inverse},
        [&](Builder &b, ValueRange x) -> SmallVector<Value> {
          Value scaled = mul(b, x[0], x[1]);
          return {isEmpty ? arith::SelectOp::create(b, isEmpty, x[0], scaled)
                          : scaled};
        });
    Value factor = channels.mapChannels(
        {op.getScale(), inverse},
        [&](Builder &b, ValueRange x) -> SmallVector<Value> {
          return {mul(b, x[0], x[1])};
        });
    SmallVector<Value> results;
    if (!op.getIsTraining()) {
      results.push_back(channels.mapImages(
          {gradient, factor}, narrow,
          [&](Builder &b, ValueRange x) -> SmallVector<Value> {
            return {convertTo(b, mul(b, convertTo(b, x[0], element), x[1]),
                              narrow)};
          }));
    } else {
      // The gradient also flows through the batch's mean and variance. These
      // two contributions are the mean of the gradient, and the projection of
      // the gradient on the normalized input; subtract both.
      Value meanGradient = channels.mapChannels(
          offsetBackprop, [&](Builder &b, ValueRange x) -> SmallVector<Value> {
            return {div(b, x[0], count)};
          });
      Value slope = channels.mapChannels(
          {products, inverse},
          [&](Builder &b, ValueRange x) -> SmallVector<Value> {
            return {mul(b, div(b, x[0], count), mul(b, x[1], x[1]))};
          });
      results.push_back(channels.mapImages(
          {gradient, op.getX(), mean, factor, meanGradient, slope}, narrow,
          [&](Builder &b, ValueRange x) -> SmallVector<Value> {
            Value centered = sub(b, convertTo(b, x[0], element), x[4]);
            Value distance = sub(b, convertTo(b, x[1], element), x[2]);
            Value rest = sub(b, centered, mul(b, distance, x[5]));
            return {convertTo(b, mul(b, rest, x[3]), narrow)};
          }));
    }
    results.append({scaleBackprop, offsetBackprop});
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// The intermediate values of a softmax along the last dimension of `logits`:
/// `distances` are the logits minus the maximum of their row, `exponentials`
/// are e^distance, and `sums` has the sum of the exponentials of each row.
struct SoftmaxRows {
  SoftmaxRows(OpBuilder &builder, Location loc, Value logits)
      : sizes(sizesOf(builder, loc, logits)), rank(sizes.size()),
        element(getSumType(getElementTypeOrSelf(logits.getType()))),
        loops(builder, loc, rank) {
    for (int64_t dim = 0; dim + 1 < rank; ++dim)
      outer.push_back(dim);
    ArrayRef<OpFoldResult> outerSizes = ArrayRef(sizes).drop_back();
    AffineMap perRow = loops.dims(outer);
    Value largest = loops.reduce(
        {{logits, loops.all()}},
        filledTensor(builder, loc, outerSizes, element,
                     -std::numeric_limits<double>::infinity()),
        outer, [&](Builder &b, ValueRange x) -> SmallVector<Value> {
          return {
              arith::MaximumFOp::create(b, x[1], convertTo(b, x[0], element))};
        });
    distances =
        loops.map({{logits, loops.all()}, {largest, perRow}}, sizes, element,
                  [&](Builder &b, ValueRange x) -> SmallVector<Value> {
                    return {sub(b, convertTo(b, x[0], element), x[1])};
                  });
    exponentials =
        loops.map({{distances, loops.all()}}, sizes, element,
                  [](Builder &b, ValueRange x) -> SmallVector<Value> {
                    return {math::ExpOp::create(b, x[0])};
                  });
    sums =
        loops.reduce({{exponentials, loops.all()}},
                     filledTensor(builder, loc, outerSizes, element, 0), outer,
                     [](Builder &b, ValueRange x) -> SmallVector<Value> {
                       return {add(b, x[1], x[0])};
                     });
  }

  Sizes sizes;
  int64_t rank;
  Type element;
  LinalgGenericBuilder loops;
  SmallVector<int64_t> outer;
  Value distances, exponentials, sums;
};

struct LowerSoftmax : OpRewritePattern<SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    SoftmaxRows rows(rewriter, op.getLoc(), op.getLogits());
    Type element = getElementTypeOrSelf(op.getType());
    rewriter.replaceOp(
        op, rows.loops.map({{rows.exponentials, rows.loops.all()},
                            {rows.sums, rows.loops.dims(rows.outer)}},
                           rows.sizes, element,
                           [&](Builder &b, ValueRange x) -> SmallVector<Value> {
                             return {convertTo(b, div(b, x[0], x[1]), element)};
                           }));
    return success();
  }
};

struct LowerLogSoftmax : OpRewritePattern<LogSoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LogSoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SoftmaxRows rows(rewriter, loc, op.getLogits());
    Type element = getElementTypeOrSelf(op.getType());
    // The logarithm of each row's sum, computed once per row instead of once
    // per element.
    LinalgGenericBuilder outer(rewriter, loc, rows.rank - 1);
    Value logs = outer.map({{rows.sums, outer.all()}},
                           ArrayRef(rows.sizes).drop_back(), rows.element,
                           [](Builder &b, ValueRange x) -> SmallVector<Value> {
                             return {math::LogOp::create(b, x[0])};
                           });
    rewriter.replaceOp(
        op, rows.loops.map({{rows.distances, rows.loops.all()},
                            {logs, rows.loops.dims(rows.outer)}},
                           rows.sizes, element,
                           [&](Builder &b, ValueRange x) -> SmallVector<Value> {
                             return {convertTo(b, sub(b, x[0], x[1]), element)};
                           }));
    return success();
  }
};

struct LowerSoftmaxCrossEntropy : OpRewritePattern<SoftmaxCrossEntropyOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SoftmaxCrossEntropyOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getBackprop().getType());
    Type element = type.getElementType();
    Sizes sizes =
        broadcastSizes(rewriter, loc, type, {op.getLogits(), op.getLabels()});
    auto broadcast = [&](Value value) -> Value {
      if (value.getType() == type)
        return value;
      return elementwise(rewriter, loc, type.getShape(), value,
                         emptyTensor(rewriter, loc, sizes, element),
                         [](Builder &, ValueRange x) {
                           return SmallVector<Value>{x[0]};
                         })
          .getResult(0);
    };
    Value labels = broadcast(op.getLabels());
    SoftmaxRows rows(rewriter, loc, broadcast(op.getLogits()));
    AffineMap perRow = rows.loops.dims(rows.outer);
    Value sum = rows.loops.reduce(
        {{rows.distances, rows.loops.all()},
         {rows.sums, perRow},
         {labels, rows.loops.all()}},
        filledTensor(rewriter, loc, rows.sizes.front(), rows.element, 0),
        rows.outer, [&](Builder &b, ValueRange x) -> SmallVector<Value> {
          Value entropy = sub(b, math::LogOp::create(b, x[1]), x[0]);
          return {
              add(b, x[3], mul(b, convertTo(b, x[2], rows.element), entropy))};
        });
    Value backprop =
        rows.loops.map({{rows.exponentials, rows.loops.all()},
                        {rows.sums, perRow},
                        {labels, rows.loops.all()}},
                       rows.sizes, element,
                       [&](Builder &b, ValueRange x) -> SmallVector<Value> {
                         Value slope = sub(b, div(b, x[0], x[1]),
                                           convertTo(b, x[2], rows.element));
                         return {convertTo(b, slope, element)};
                       });
    rewriter.replaceOp(op,
                       {convertTensor(rewriter, loc, sum, element), backprop});
    return success();
  }
};

} // namespace

void ::ingot::lower::populateNormalizationPatterns(
    RewritePatternSet &patterns) {
  patterns.add<LowerFusedBatchNorm, LowerFusedBatchNormGrad, LowerSoftmax,
               LowerLogSoftmax, LowerSoftmaxCrossEntropy>(
      patterns.getContext());
}
