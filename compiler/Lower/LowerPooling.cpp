//===- LowerPooling.cpp - Pooling and its gradients -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/WindowAccess.h"
#include "dialects/Ingot/IR/PoolingOps.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

Value indexOf(Builder &b, int64_t dimension) {
  return linalg::IndexOp::create(b, dimension);
}

/// The indexing maps of linalg ops with the loops (batch, row, column, tap,
/// channel): `tapMap` to a vector with one element per tap, `imageMap` to an
/// image.
AffineMap tapMap(OpBuilder &builder) {
  return AffineMap::get(5, 0, builder.getAffineDimExpr(3));
}
AffineMap imageMap(OpBuilder &builder) {
  SmallVector<AffineExpr> results;
  for (unsigned dim : {0, 1, 2, 4})
    results.push_back(builder.getAffineDimExpr(dim));
  return AffineMap::get(5, 0, results, builder.getContext());
}
constexpr bool overTaps[] = {false, false, false, true, false};

/// Returns the lowest finite number of an element type.
Value lowest(OpBuilder &builder, Location loc, Type element, bool isUnsigned) {
  TypedAttr value;
  if (auto type = dyn_cast<FloatType>(element))
    value = builder.getFloatAttr(
        type, APFloat::getLargest(type.getFloatSemantics(), /*Negative=*/true));
  else
    value = builder.getIntegerAttr(
        element,
        isUnsigned ? APInt::getZero(element.getIntOrFloatBitWidth())
                   : APInt::getSignedMinValue(element.getIntOrFloatBitWidth()));
  return arith::ConstantOp::create(builder, loc, value);
}

/// Whether x > y; false if one is NaN.
Value isLarger(Builder &b, Value x, Value y, bool isUnsigned) {
  if (isa<FloatType>(x.getType()))
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, y);
  return arith::CmpIOp::create(
      b, isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt, x,
      y);
}

Value andInside(Builder &b, Value condition, const ImagePosition &position) {
  if (!position.isInside)
    return condition;
  return arith::AndIOp::create(b, condition, position.isInside);
}

template <typename OpTy> WindowAttributes attributesOf(OpTy op) {
  return {op.getStrides(), {}, op.getPadding(), op.getExplicitPaddings()};
}

/// Returns the windows of a pooling op, or of its gradient op, on the input of
/// the pool.
template <typename OpTy> ImageWindow windowsOn(OpBuilder &builder, OpTy op) {
  Value input = op.getInput();
  return onImage(builder, op.getLoc(), getPoolWindow(op, input.getType()),
                 attributesOf(op), input);
}

/// The loop over the taps (positions) of a window is unrolled if there are at
/// most this many taps. The running maximum or sum then stays in a register.
constexpr int64_t fewTaps = 9;

Value constantIndex(Builder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

/// Returns the maximum of the window at the current row and column. Compares
/// the elements of the window one after the other.
Value largestSeen(Builder &b, const ImageWindow &window, Value input,
                  Value lowest, bool isUnsigned) {
  Value best = lowest;
  for (int64_t tap = 0; tap < window.numTaps(); ++tap) {
    ImagePosition position = seenPosition(b, window, indexOf(b, 1),
                                          indexOf(b, 2), constantIndex(b, tap));
    Value seen = readAt(b, input, indexOf(b, 0), position, indexOf(b, 3), best);
    best = arith::SelectOp::create(b, isLarger(b, seen, best, isUnsigned), seen,
                                   best);
  }
  return best;
}

/// Returns the tap (position in the window, as a number) with the maximum of
/// the window at (`row`, `column`): the first one if several are equal, and -1
/// if the window is empty.
Value winnerOf(Builder &b, const ImageWindow &window, Value input, Value row,
               Value column, Value channel, bool isUnsigned) {
  Type element = getElementTypeOrSelf(input.getType());
  Value none = scalar(b, b.getI32Type(), -1), winner = none;
  Value best = lowest(b, b.getLoc(), element, isUnsigned);
  for (int64_t tap = 0; tap < window.numTaps(); ++tap) {
    ImagePosition position =
        seenPosition(b, window, row, column, constantIndex(b, tap));
    Value seen = readAt(b, input, indexOf(b, 0), position, channel, best);
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, winner, none);
    Value wins =
        arith::OrIOp::create(b, isFirst, isLarger(b, seen, best, isUnsigned));
    wins = andInside(b, wins, position);
    Value number = scalar(b, b.getI32Type(), tap);
    best = arith::SelectOp::create(b, wins, seen, best);
    winner = arith::SelectOp::create(b, wins, number, winner);
  }
  return winner;
}

struct LowerMaxPool : OpRewritePattern<MaxPoolOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MaxPoolOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    Type element = type.getElementType();
    bool isUnsigned = operandElementType(op, 0).isUnsignedInteger();
    ImageWindow window = windowsOn(rewriter, op);
    if (window.numTaps() <= fewTaps) {
      Value pool =
          emptyTensor(rewriter, loc,
                      imageSizes(rewriter, loc, type, op.getInput(),
                                 window.height.output, window.width.output),
                      element);
      Value least = lowest(rewriter, loc, element, isUnsigned);
      auto largest = generic(
          rewriter, loc, {}, pool, rewriter.getMultiDimIdentityMap(4),
          SmallVector<bool>(4, false),
          [&](Builder &b, ValueRange) -> SmallVector<Value> {
            return {largestSeen(b, window, op.getInput(), least, isUnsigned)};
          });
      rewriter.replaceOp(op, largest.getResults());
      return success();
    }
    Value start =
        linalg::FillOp::create(
            rewriter, loc, lowest(rewriter, loc, element, isUnsigned),
            emptyTensor(rewriter, loc,
                        imageSizes(rewriter, loc, type, op.getInput(),
                                   window.height.output, window.width.output),
                        element))
            .getResult(0);
    auto pool =
        generic(rewriter, loc, makeTaps(rewriter, loc, window), start,
                {tapMap(rewriter), imageMap(rewriter)}, overTaps,
                [&](Builder &b, ValueRange x) -> SmallVector<Value> {
                  ImagePosition position = seenPosition(
                      b, window, indexOf(b, 1), indexOf(b, 2), indexOf(b, 3));
                  Value seen = readAt(b, op.getInput(), indexOf(b, 0), position,
                                      indexOf(b, 4), x[1]);
                  return {arith::SelectOp::create(
                      b, isLarger(b, seen, x[1], isUnsigned), seen, x[1])};
                });
    rewriter.replaceOp(op, pool.getResults());
    return success();
  }
};

/// Returns the number of elements of the image that are in the window at
/// (`row`, `column`), without padding.
Value countAt(Builder &b, const ImageWindow &window, Value row, Value column) {
  auto along = [&](const ImageWindowDim &dim, Value index) -> Value {
    if (!dim.leavesInput)
      return arith::ConstantIndexOp::create(b, dim.size);
    auto at = [&](int64_t value) {
      return arith::ConstantIndexOp::create(b, value);
    };
    Value first = arith::SubIOp::create(
        b, arith::MulIOp::create(b, index, at(dim.stride)),
        sizeValue(b, b.getLoc(), dim.before));
    Value last = arith::AddIOp::create(b, first, at(dim.size));
    Value count = arith::SubIOp::create(
        b, arith::MinSIOp::create(b, last, sizeValue(b, b.getLoc(), dim.input)),
        arith::MaxSIOp::create(b, first, at(0)));
    return count;
  };
  return arith::MulIOp::create(b, along(window.height, row),
                               along(window.width, column));
}

/// `image` has one element per window: the sum of the window, or the gradient
/// of its average. Divides each element by the number of elements in its window
/// that are not padding.
Value divideByCount(OpBuilder &builder, Location loc, const ImageWindow &window,
                    Value image, Type element) {
  AffineMap identity = builder.getMultiDimIdentityMap(4);
  Type sumType = getSumType(element);
  return generic(
             builder, loc, image,
             emptyTensor(builder, loc, sizesOf(builder, loc, image), element),
             {identity, identity}, SmallVector<bool>(4, false),
             [&](Builder &b, ValueRange x) -> SmallVector<Value> {
               Value count = arith::IndexCastOp::create(
                   b, b.getI32Type(),
                   countAt(b, window, indexOf(b, 1), indexOf(b, 2)));
               Value divisor = arith::SIToFPOp::create(b, sumType, count);
               Value mean = arith::DivFOp::create(
                   b, convertTo(b, x[0], sumType), divisor);
               return {convertTo(b, mean, element)};
             })
      .getResult(0);
}

/// Returns the sum of each window. Adds the elements of a window one after the
/// other, in row-major order.
Value sumOfSeen(OpBuilder &builder, AvgPoolOp op, const ImageWindow &window) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType(), sumType = getSumType(element);
  Value sums =
      emptyTensor(builder, loc,
                  imageSizes(builder, loc, type, op.getInput(),
                             window.height.output, window.width.output),
                  sumType);
  return generic(builder, loc, {}, sums, builder.getMultiDimIdentityMap(4),
                 SmallVector<bool>(4, false),
                 [&](Builder &b, ValueRange) -> SmallVector<Value> {
                   Value sum = scalar(b, sumType, 0);
                   for (int64_t tap = 0; tap < window.numTaps(); ++tap) {
                     ImagePosition position =
                         seenPosition(b, window, indexOf(b, 1), indexOf(b, 2),
                                      constantIndex(b, tap));
                     Value seen =
                         readAt(b, op.getInput(), indexOf(b, 0), position,
                                indexOf(b, 3), scalar(b, element, 0));
                     sum = sumOf(b, sum, convertTo(b, seen, sumType));
                   }
                   return {sum};
                 })
      .getResult(0);
}

struct LowerAvgPool : OpRewritePattern<AvgPoolOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AvgPoolOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    Type element = type.getElementType(), sumType = getSumType(element);
    ImageWindow window = windowsOn(rewriter, op);
    if (window.numTaps() <= fewTaps) {
      rewriter.replaceOp(op, divideByCount(rewriter, loc, window,
                                           sumOfSeen(rewriter, op, window),
                                           element));
      return success();
    }
    auto sum = generic(
        rewriter, loc, makeTaps(rewriter, loc, window),
        filledTensor(rewriter, loc,
                     imageSizes(rewriter, loc, type, op.getInput(),
                                window.height.output, window.width.output),
                     sumType, 0),
        {tapMap(rewriter), imageMap(rewriter)}, overTaps,
        [&](Builder &b, ValueRange x) -> SmallVector<Value> {
          ImagePosition position = seenPosition(b, window, indexOf(b, 1),
                                                indexOf(b, 2), indexOf(b, 3));
          Value seen = readAt(b, op.getInput(), indexOf(b, 0), position,
                              indexOf(b, 4), scalar(b, element, 0));
          return {sumOf(b, x[1], convertTo(b, seen, sumType))};
        });
    rewriter.replaceOp(
        op, divideByCount(rewriter, loc, window, sum.getResult(0), element));
    return success();
  }
};

using ShareOf = function_ref<Value(Builder &, const ImagePosition &, Value tap,
                                   Value channel)>;

/// Returns an image in which each element is the sum of the contributions of
/// all windows that contain it. `share` returns the contribution of one window,
/// such as its part of the window's gradient. The contributions are added in
/// row-major order of the windows, and in f32 if the element type is narrower.
Value sumOverWindows(OpBuilder &builder, Location loc,
                     const ImageWindow &window, RankedTensorType type,
                     Value like, ShareOf share) {
  Type element = type.getElementType(), sumType = getSumType(element);
  int64_t lastTap = window.numTaps() - 1;
  if (lastTap < fewTaps)
    return generic(
               builder, loc, {},
               emptyTensor(builder, loc,
                           imageSizes(builder, loc, type, like,
                                      window.height.input, window.width.input),
                           element),
               builder.getMultiDimIdentityMap(4), SmallVector<bool>(4, false),
               [&](Builder &b, ValueRange) -> SmallVector<Value> {
                 Value sum = scalar(b, sumType, 0);
                 for (int64_t number = lastTap; number >= 0; --number) {
                   Value tap = constantIndex(b, number);
                   ImagePosition position = coveringPosition(
                       b, window, indexOf(b, 1), indexOf(b, 2), tap);
                   Value part = share(b, position, tap, indexOf(b, 3));
                   sum = sumOf(b, sum, convertTo(b, part, sumType));
                 }
                 return {convertTo(b, sum, element)};
               })
        .getResult(0);
  auto sum = generic(
      builder, loc, makeTaps(builder, loc, window),
      filledTensor(builder, loc,
                   imageSizes(builder, loc, type, like, window.height.input,
                              window.width.input),
                   sumType, 0),
      {tapMap(builder), imageMap(builder)}, overTaps,
      [&](Builder &b, ValueRange x) -> SmallVector<Value> {
        Value tap = arith::SubIOp::create(
            b, arith::ConstantIndexOp::create(b, lastTap), indexOf(b, 3));
        ImagePosition position =
            coveringPosition(b, window, indexOf(b, 1), indexOf(b, 2), tap);
        Value part =
            convertTo(b, share(b, position, tap, indexOf(b, 4)), sumType);
        return {sumOf(b, x[1], part)};
      });
  return convertTensor(builder, loc, sum.getResult(0), element);
}

/// Returns the gradient of a max pool whose windows neither overlap nor leave
/// the image. The first maximum of each window receives the window's gradient,
/// and all other elements of the image receive zero.
Value gradientOfApart(OpBuilder &builder, MaxPoolGradOp op,
                      const ImageWindow &window, bool isUnsigned) {
  auto type = cast<RankedTensorType>(op.getType());
  Location loc = op.getLoc();
  return generic(
             builder, loc, {},
             emptyTensor(builder, loc, sizesOf(builder, loc, op.getInput()),
                         type.getElementType()),
             builder.getMultiDimIdentityMap(4), SmallVector<bool>(4, false),
             [&](Builder &b, ValueRange) -> SmallVector<Value> {
               Value isSeen, tap = constantIndex(b, 0), place[2];
               auto locate = [&](const ImageWindowDim &dim, int64_t loop) {
                 Value stride = constantIndex(b, dim.stride);
                 Value at = arith::DivUIOp::create(b, indexOf(b, loop), stride);
                 Value inside =
                     arith::RemUIOp::create(b, indexOf(b, loop), stride);
                 Value fits = arith::AndIOp::create(
                     b,
                     arith::CmpIOp::create(b, arith::CmpIPredicate::ult, inside,
                                           constantIndex(b, dim.size)),
                     arith::CmpIOp::create(b, arith::CmpIPredicate::ult, at,
                                           sizeValue(b, loc, dim.output)));
                 isSeen = isSeen ? Value(arith::AndIOp::create(b, isSeen, fits))
                                 : fits;
                 tap = arith::AddIOp::create(
                     b,
                     arith::MulIOp::create(b, tap, constantIndex(b, dim.size)),
                     inside);
                 return arith::SelectOp::create(b, fits, at,
                                                constantIndex(b, 0))
                     .getResult();
               };
               place[0] = locate(window.height, 1);
               place[1] = locate(window.width, 2);
               Value winner = winnerOf(b, window, op.getInput(), place[0],
                                       place[1], indexOf(b, 3), isUnsigned);
               Value own = arith::IndexCastOp::create(b, b.getI32Type(), tap);
               Value wins = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                                  winner, own);
               Value gradient = tensor::ExtractOp::create(
                   b, op.getGradient(),
                   ValueRange{indexOf(b, 0), place[0], place[1],
                              indexOf(b, 3)});
               Value zero = scalar(b, type.getElementType(), 0);
               Value share = arith::SelectOp::create(
                   b, arith::AndIOp::create(b, wins, isSeen), gradient, zero);
               // Add zero to the gradient, as the general lowering
               // (sumOverWindows) does, so that -0 becomes +0 in both.
               return {sumOf(b, zero, share)};
             })
      .getResult(0);
}

/// Returns, for each window, the tap (position in the window, as a number) with
/// its first maximum; -1 for an empty window.
Value winnersOf(OpBuilder &builder, MaxPoolGradOp op, const ImageWindow &window,
                const Sizes &sizes, bool isUnsigned) {
  Location loc = op.getLoc();
  Type element = getElementTypeOrSelf(op.getType());
  Type tapType = builder.getI32Type();
  if (window.numTaps() <= fewTaps)
    return generic(
               builder, loc, {}, emptyTensor(builder, loc, sizes, tapType),
               builder.getMultiDimIdentityMap(4), SmallVector<bool>(4, false),
               [&](Builder &b, ValueRange) -> SmallVector<Value> {
                 return {winnerOf(b, window, op.getInput(), indexOf(b, 1),
                                  indexOf(b, 2), indexOf(b, 3), isUnsigned)};
               })
        .getResult(0);
  Value best = emptyTensor(builder, loc, sizes, element);
  best = linalg::FillOp::create(builder, loc,
                                lowest(builder, loc, element, isUnsigned), best)
             .getResult(0);
  Value none = filledTensor(builder, loc, sizes, tapType, -1);
  auto search = generic(
      builder, loc, makeTaps(builder, loc, window), {best, none},
      {tapMap(builder), imageMap(builder), imageMap(builder)}, overTaps,
      [&](Builder &b, ValueRange x) -> SmallVector<Value> {
        ImagePosition position = seenPosition(b, window, indexOf(b, 1),
                                              indexOf(b, 2), indexOf(b, 3));
        Value seen = readAt(b, op.getInput(), indexOf(b, 0), position,
                            indexOf(b, 4), x[1]);
        Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                              x[2], scalar(b, tapType, 0));
        Value wins = arith::OrIOp::create(b, isFirst,
                                          isLarger(b, seen, x[1], isUnsigned));
        wins = andInside(b, wins, position);
        Value tap = arith::IndexCastOp::create(b, tapType, indexOf(b, 3));
        return {arith::SelectOp::create(b, wins, seen, x[1]),
                arith::SelectOp::create(b, wins, tap, x[2])};
      });
  return search.getResult(1);
}

struct LowerMaxPoolGrad : OpRewritePattern<MaxPoolGradOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MaxPoolGradOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    Type element = type.getElementType();
    bool isUnsigned = operandElementType(op, 0).isUnsignedInteger();
    ImageWindow window = windowsOn(rewriter, op);
    if (areWindowsApart(op)) {
      rewriter.replaceOp(op, gradientOfApart(rewriter, op, window, isUnsigned));
      return success();
    }
    Sizes sizes = sizesOf(rewriter, loc, op.getGradient());
    // Take the number of windows from the shape of the gradients, not from that
    // of the image. If the two do not fit each other at run time, which is an
    // error, gradients are then not read out of bounds.
    if (isa<Value>(window.height.output))
      window.height.output = sizes[1];
    if (isa<Value>(window.width.output))
      window.width.output = sizes[2];
    Type tapType = rewriter.getI32Type();
    Value winners = winnersOf(rewriter, op, window, sizes, isUnsigned);
    rewriter.replaceOp(
        op, sumOverWindows(rewriter, loc, window, type, op.getInput(),
                           [&](Builder &b, const ImagePosition &position,
                               Value tap, Value channel) {
                             Value zero = scalar(b, element, 0);
                             Value winner =
                                 readAt(b, winners, indexOf(b, 0), position,
                                        channel, scalar(b, tapType, -1));
                             Value isWinner = arith::CmpIOp::create(
                                 b, arith::CmpIPredicate::eq, winner,
                                 arith::IndexCastOp::create(b, tapType, tap));
                             Value gradient = tensor::ExtractOp::create(
                                 b, op.getGradient(),
                                 ValueRange{indexOf(b, 0), position.row,
                                            position.column, channel});
                             return arith::SelectOp::create(b, isWinner,
                                                            gradient, zero)
                                 .getResult();
                           }));
    return success();
  }
};

struct LowerAvgPoolGrad : OpRewritePattern<AvgPoolGradOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AvgPoolGradOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    Type element = type.getElementType();
    ImageWindow window =
        onImageOf(rewriter, loc, getPoolWindow(op, type), attributesOf(op),
                  op.getInputShape(), op.getGradient());
    Value shares =
        divideByCount(rewriter, loc, window, op.getGradient(), element);
    rewriter.replaceOp(
        op, sumOverWindows(rewriter, loc, window, type, op.getGradient(),
                           [&](Builder &b, const ImagePosition &position, Value,
                               Value channel) {
                             return readAt(b, shares, indexOf(b, 0), position,
                                           channel, scalar(b, element, 0));
                           }));
    return success();
  }
};

} // namespace

void ::ingot::lower::populatePoolingPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerMaxPool, LowerAvgPool, LowerMaxPoolGrad, LowerAvgPoolGrad>(
      patterns.getContext());
}
