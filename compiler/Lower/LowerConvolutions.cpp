//===- LowerConvolutions.cpp - im2col and depthwise convolutions ----------===//
// SPDX-License-Identifier: Apache-2.0
//
// Lowers im2col and depthwise convolutions. Other convolutions have become
// im2col and GEMM before (ingot-lower-convolutions-to-im2col).
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/WindowAccess.h"
#include "dialects/Host/WindowAttribute.h"
#include "dialects/Ingot/IR/ConvolutionOps.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

Value indexOf(Builder &b, int64_t dimension) {
  return linalg::IndexOp::create(b, dimension);
}

/// Returns the indexing map from `loops` loops to the loops with the indices
/// `dims`.
AffineMap pick(OpBuilder &builder, unsigned loops, ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> results;
  for (unsigned dim : dims)
    results.push_back(builder.getAffineDimExpr(dim));
  return AffineMap::get(loops, 0, results, builder.getContext());
}

/// Attaches the geometry of the window to an im2col op, for code generation
/// (ImplicitGEMMBlock.cpp). Does nothing if the image's size is dynamic.
void noteWindow(OpBuilder &builder, linalg::GenericOp patches,
                const Window &window) {
  SmallVector<int64_t> numbers;
  for (const WindowDim &dim : {window.height, window.width}) {
    if (ShapedType::isDynamic(dim.input) || ShapedType::isDynamic(dim.before))
      return;
    numbers.append({dim.size, dim.stride, dim.dilation, dim.before});
  }
  patches->setAttr(host::windowAttrName, builder.getDenseI64ArrayAttr(numbers));
}

struct LowerExtractPatches : OpRewritePattern<ExtractPatchesOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ExtractPatchesOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    ImageWindow window = onImage(rewriter, loc, windowOf(op),
                                 getWindowAttributes(op), op.getInput());
    auto patches = generic(
        rewriter, loc, {},
        emptyTensor(rewriter, loc,
                    imageSizes(rewriter, loc, type, op.getInput(),
                               window.height.output, window.width.output),
                    type.getElementType()),
        rewriter.getMultiDimIdentityMap(5), SmallVector<bool>(5, false),
        [&](Builder &b, ValueRange) -> SmallVector<Value> {
          ImagePosition position = seenPosition(b, window, indexOf(b, 1),
                                                indexOf(b, 2), indexOf(b, 3));
          return {readAt(b, op.getInput(), indexOf(b, 0), position,
                         indexOf(b, 4), scalar(b, type.getElementType(), 0))};
        });
    noteWindow(rewriter, patches, windowOf(op));
    rewriter.replaceOp(op, patches.getResults());
    return success();
  }
};

/// The maximum number of taps (positions in a window) for which the sum that
/// computes an element of the result is unrolled, so that it stays in a
/// register. A sum over more taps is a loop.
constexpr int64_t fewTaps = 25;

/// Returns the gradient of an image of `sizes`: each element is the sum of the
/// elements of `patches` that im2col copied from it. Emits straight-line code
/// that adds up these elements in row-major order of the windows to which they
/// belong. The element's position in a window (tap) is earlier in each later
/// window, so this order visits the taps in reverse.
Value sumOfFewPatches(OpBuilder &builder, Location loc, const Sizes &sizes,
                      Value patches, const ImageWindow &window) {
  Type element = getElementTypeOrSelf(patches.getType());
  Type sumType = getSumType(element);
  return generic(builder, loc, {}, emptyTensor(builder, loc, sizes, element),
                 builder.getMultiDimIdentityMap(4), SmallVector<bool>(4, false),
                 [&](Builder &b, ValueRange) -> SmallVector<Value> {
                   Value sum = scalar(b, sumType, 0);
                   for (const auto &[tap, position] :
                        coveringTaps(b, window, indexOf(b, 1), indexOf(b, 2))) {
                     Value patch = tensor::ExtractOp::create(
                         b, patches,
                         ValueRange{indexOf(b, 0), position.row,
                                    position.column, tap, indexOf(b, 3)});
                     Value share = arith::SelectOp::create(
                         b, position.isInside, patch, scalar(b, element, 0));
                     sum = sumOf(b, sum, convertTo(b, share, sumType));
                   }
                   return {convertTo(b, sum, element)};
                 })
      .getResult(0);
}

struct LowerCol2Im : OpRewritePattern<SumPatchesOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SumPatchesOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    Type element = type.getElementType(), sumType = getSumType(element);
    ImageWindow window =
        op.getSizes()
            ? onImageOf(rewriter, loc, windowOf(op), getWindowAttributes(op),
                        op.getSizes(), op.getPatches())
            : onImage(rewriter, loc, windowOf(op), getWindowAttributes(op),
                      rewriter.getIndexAttr(op.getSize()[0]),
                      rewriter.getIndexAttr(op.getSize()[1]));
    int64_t lastTap = window.numTaps() - 1;
    if (numSeeingTaps(window) <= fewTaps) {
      Sizes sizes = imageSizes(rewriter, loc, type, op.getPatches(),
                               window.height.input, window.width.input);
      rewriter.replaceOp(
          op, sumOfFewPatches(rewriter, loc, sizes, op.getPatches(), window));
      return success();
    }
    // The innermost loop visits the positions in a window (taps) in reverse
    // order, so that the patches that contain an element are added in row-major
    // order of the windows, as in sumOfFewPatches().
    auto sum = generic(
        rewriter, loc, makeTaps(rewriter, loc, window),
        filledTensor(rewriter, loc,
                     imageSizes(rewriter, loc, type, op.getPatches(),
                                window.height.input, window.width.input),
                     sumType, 0),
        {pick(rewriter, 5, 3), pick(rewriter, 5, {0, 1, 2, 4})},
        {false, false, false, true, false},
        [&](Builder &b, ValueRange x) -> SmallVector<Value> {
          Value tap = arith::SubIOp::create(
              b, arith::ConstantIndexOp::create(b, lastTap), indexOf(b, 3));
          ImagePosition position =
              coveringPosition(b, window, indexOf(b, 1), indexOf(b, 2), tap);
          Value patch = tensor::ExtractOp::create(
              b, op.getPatches(),
              ValueRange{indexOf(b, 0), position.row, position.column, tap,
                         indexOf(b, 4)});
          Value share = arith::SelectOp::create(b, position.isInside, patch,
                                                scalar(b, element, 0));
          return {sumOf(b, x[1], convertTo(b, share, sumType))};
        });
    rewriter.replaceOp(op,
                       convertTensor(rewriter, loc, sum.getResult(0), element));
    return success();
  }
};

/// Reshapes a depthwise filter from [height, width, channels, multiplier] to
/// [taps, channels, multiplier].
Value flattenFilter(OpBuilder &builder, Location loc, Value filter) {
  auto type = cast<RankedTensorType>(filter.getType());
  int64_t shape[] = {type.getDimSize(0) * type.getDimSize(1),
                     type.getDimSize(2), type.getDimSize(3)};
  return reshaped(builder, loc, filter, shape);
}

/// Splits the last dimension of `output`, channels * multiplier, in two. The
/// result has shape [batch, rows, columns, channels, multiplier].
Value splitOutputs(OpBuilder &builder, Location loc, Value output,
                   int64_t channels, int64_t multiplier) {
  auto type = cast<RankedTensorType>(output.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = channels;
  shape.push_back(multiplier);
  Sizes sizes = sizesOf(builder, loc, output);
  sizes.back() = builder.getIndexAttr(channels);
  sizes.push_back(builder.getIndexAttr(multiplier));
  return tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), output,
      ArrayRef<ReassociationIndices>{{0}, {1}, {2}, {3, 4}}, sizes);
}

using TapsOfElement = function_ref<SmallVector<CoveringWindowTap>(Builder &)>;

/// Returns an image of `sizes`. Each of its elements is a sum over the taps
/// (positions in the window) that `tapsOf` returns. For each tap, it adds the
/// product of the element of `image` that the tap reads and the filter's
/// element for the tap. The loop over channels is innermost, so that it is
/// vectorized.
Value sumOfTaps(OpBuilder &builder, Location loc, const Sizes &sizes,
                Value image, Value filter, const ImageWindow &window,
                TapsOfElement tapsOf) {
  Type element = getElementTypeOrSelf(image.getType());
  Type sumType = getSumType(element);
  int64_t channels = cast<RankedTensorType>(filter.getType()).getDimSize(2);
  Value factors = reshaped(builder, loc, filter, {window.numTaps(), channels});
  return generic(builder, loc, {}, emptyTensor(builder, loc, sizes, element),
                 builder.getMultiDimIdentityMap(4), SmallVector<bool>(4, false),
                 [&](Builder &b, ValueRange) -> SmallVector<Value> {
                   Value sum = scalar(b, sumType, 0), channel = indexOf(b, 3);
                   for (const auto &[tap, position] : tapsOf(b)) {
                     Value seen = readAt(b, image, indexOf(b, 0), position,
                                         channel, scalar(b, element, 0));
                     Value factor = tensor::ExtractOp::create(
                         b, factors, ValueRange{tap, channel});
                     sum = sumOf(b, sum,
                                 productOf(b, convertTo(b, seen, sumType),
                                           convertTo(b, factor, sumType)));
                   }
                   return {convertTo(b, sum, element)};
                 })
      .getResult(0);
}

struct LowerDepthwiseConv2D : OpRewritePattern<Conv2DOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(Conv2DOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getDepthwise())
      return rewriter.notifyMatchFailure(op,
                                         "expected a depthwise convolution");
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    auto filterType = cast<RankedTensorType>(op.getFilter().getType());
    Type element = type.getElementType(), sumType = getSumType(element);
    int64_t channels = filterType.getDimSize(2);
    int64_t multiplier = filterType.getDimSize(3);
    ImageWindow window = onImage(rewriter, loc, windowOf(op),
                                 getWindowAttributes(op), op.getInput());
    Sizes sizes = imageSizes(rewriter, loc, type, op.getInput(),
                             window.height.output, window.width.output);
    if (multiplier == 1 && window.numTaps() <= fewTaps) {
      rewriter.replaceOp(
          op, sumOfTaps(rewriter, loc, sizes, op.getInput(), op.getFilter(),
                        window, [&](Builder &b) {
                          SmallVector<CoveringWindowTap> taps;
                          for (int64_t tap = 0; tap < window.numTaps(); ++tap) {
                            Value index =
                                arith::ConstantIndexOp::create(b, tap);
                            taps.push_back(
                                {index, seenPosition(b, window, indexOf(b, 1),
                                                     indexOf(b, 2), index)});
                          }
                          return taps;
                        }));
      return success();
    }
    sizes.back() = rewriter.getIndexAttr(channels);
    sizes.push_back(rewriter.getIndexAttr(multiplier));
    // The loops of this linalg op are (batch, row, column, tap, channel,
    // multiplier); only the one over taps is a reduction.
    auto sum = generic(
        rewriter, loc, flattenFilter(rewriter, loc, op.getFilter()),
        filledTensor(rewriter, loc, sizes, sumType, 0),
        {pick(rewriter, 6, {3, 4, 5}), pick(rewriter, 6, {0, 1, 2, 4, 5})},
        {false, false, false, true, false, false},
        [&](Builder &b, ValueRange x) -> SmallVector<Value> {
          ImagePosition position = seenPosition(b, window, indexOf(b, 1),
                                                indexOf(b, 2), indexOf(b, 3));
          Value seen = readAt(b, op.getInput(), indexOf(b, 0), position,
                              indexOf(b, 4), scalar(b, element, 0));
          Value product = productOf(b, convertTo(b, seen, sumType),
                                    convertTo(b, x[0], sumType));
          return {sumOf(b, x[1], product)};
        });
    Value result = convertTensor(rewriter, loc, sum.getResult(0), element);
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        op, type, result,
        ArrayRef<ReassociationIndices>{{0}, {1}, {2}, {3, 4}});
    return success();
  }
};

struct LowerDepthwiseBackpropInput : OpRewritePattern<Conv2DBackpropInputOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(Conv2DBackpropInputOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getDepthwise())
      return rewriter.notifyMatchFailure(op,
                                         "expected a depthwise convolution");
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    auto filterType = cast<RankedTensorType>(op.getFilter().getType());
    Type element = type.getElementType(), sumType = getSumType(element);
    int64_t multiplier = filterType.getDimSize(3);
    ImageWindow window =
        onImageOf(rewriter, loc, windowOf(op), getWindowAttributes(op),
                  op.getInputSizes(), op.getGradient());
    int64_t lastTap = window.numTaps() - 1;
    if (multiplier == 1 && numSeeingTaps(window) <= fewTaps) {
      rewriter.replaceOp(
          op,
          sumOfTaps(rewriter, loc,
                    imageSizes(rewriter, loc, type, op.getGradient(),
                               window.height.input, window.width.input),
                    op.getGradient(), op.getFilter(), window, [&](Builder &b) {
                      return coveringTaps(b, window, indexOf(b, 1),
                                          indexOf(b, 2));
                    }));
      return success();
    }
    // The loops of this linalg op are (batch, row, column, reversed tap,
    // multiplier, channel).
    auto sum = generic(
        rewriter, loc,
        {makeTaps(rewriter, loc, window),
         emptyTensor(
             rewriter, loc,
             RankedTensorType::get({multiplier}, rewriter.getI8Type()))},
        filledTensor(rewriter, loc,
                     imageSizes(rewriter, loc, type, op.getGradient(),
                                window.height.input, window.width.input),
                     sumType, 0),
        {pick(rewriter, 6, 3), pick(rewriter, 6, 4),
         pick(rewriter, 6, {0, 1, 2, 5})},
        {false, false, false, true, true, false},
        [&](Builder &b, ValueRange x) -> SmallVector<Value> {
          Value tap = arith::SubIOp::create(
              b, arith::ConstantIndexOp::create(b, lastTap), indexOf(b, 3));
          ImagePosition position =
              coveringPosition(b, window, indexOf(b, 1), indexOf(b, 2), tap);
          Value channel = indexOf(b, 5), multiple = indexOf(b, 4);
          Value output = arith::AddIOp::create(
              b,
              arith::MulIOp::create(
                  b, channel, arith::ConstantIndexOp::create(b, multiplier)),
              multiple);
          Value gradient =
              readAt(b, op.getGradient(), indexOf(b, 0), position,
                     multiplier == 1 ? channel : output, scalar(b, element, 0));
          Value width = arith::ConstantIndexOp::create(b, window.width.size);
          Value factor = tensor::ExtractOp::create(
              b, op.getFilter(),
              ValueRange{arith::DivUIOp::create(b, tap, width),
                         arith::RemUIOp::create(b, tap, width), channel,
                         multiple});
          Value product = productOf(b, convertTo(b, gradient, sumType),
                                    convertTo(b, factor, sumType));
          return {sumOf(b, x[2], product)};
        });
    rewriter.replaceOp(op,
                       convertTensor(rewriter, loc, sum.getResult(0), element));
    return success();
  }
};

struct LowerDepthwiseBackpropFilter : OpRewritePattern<Conv2DBackpropFilterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(Conv2DBackpropFilterOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getDepthwise())
      return rewriter.notifyMatchFailure(op,
                                         "expected a depthwise convolution");
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    Type element = type.getElementType(), sumType = getSumType(element);
    int64_t channels = type.getDimSize(2), multiplier = type.getDimSize(3);
    ImageWindow window = onImage(rewriter, loc, windowOf(op),
                                 getWindowAttributes(op), op.getInput());
    int64_t taps = window.numTaps();
    // Loops are (batch, row, column, tap, channel, multiplier); with a
    // multiplier of 1, channels are the innermost loop.
    bool isSingle = multiplier == 1;
    SmallVector<int64_t> shape = {taps, channels, multiplier};
    SmallVector<unsigned> read = {0, 1, 2, 4, 5}, written = {3, 4, 5};
    SmallVector<bool> reduced = {true, true, true, false, false, false};
    if (isSingle) {
      shape.pop_back();
      read.pop_back();
      written.pop_back();
      reduced.pop_back();
    }
    unsigned loops = reduced.size();
    auto sum = generic(
        rewriter, loc,
        isSingle ? Value(op.getGradient())
                 : splitOutputs(rewriter, loc, op.getGradient(), channels,
                                multiplier),
        filledTensor(rewriter, loc, RankedTensorType::get(shape, sumType), 0),
        {pick(rewriter, loops, read), pick(rewriter, loops, written)}, reduced,
        [&](Builder &b, ValueRange x) -> SmallVector<Value> {
          ImagePosition position = seenPosition(b, window, indexOf(b, 1),
                                                indexOf(b, 2), indexOf(b, 3));
          Value seen = readAt(b, op.getInput(), indexOf(b, 0), position,
                              indexOf(b, 4), scalar(b, element, 0));
          Value product = productOf(b, convertTo(b, seen, sumType),
                                    convertTo(b, x[0], sumType));
          return {sumOf(b, x[1], product)};
        });
    rewriter.replaceOp(
        op, reshaped(rewriter, loc,
                     convertTensor(rewriter, loc, sum.getResult(0), element),
                     type.getShape()));
    return success();
  }
};

} // namespace

void ::ingot::lower::populateConvolutionPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerExtractPatches, LowerCol2Im, LowerDepthwiseConv2D,
               LowerDepthwiseBackpropInput, LowerDepthwiseBackpropFilter>(
      patterns.getContext());
}
