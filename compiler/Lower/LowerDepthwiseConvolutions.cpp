//===- LowerDepthwiseConvolutions.cpp - Depthwise convolutions as loops ---===//
// SPDX-License-Identifier: Apache-2.0
//
// Lowers depthwise convolutions. The images are copied with their padding, so
// windows need no bounds checks. The index of the element at a position in the
// window (tap) is then an affine function of the window's position, and the
// code generators can keep the sums of such loops in registers.
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/WindowAccess.h"
#include "dialects/Ingot/IR/ConvolutionOps.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

/// The largest sizes, from the target's policy, for which an image is copied
/// together with its padding.
struct PaddedCopyLimits {
  int64_t maxElements, maxBoundsCheckedTaps;
};

/// The geometry of windows along one dimension of the image. `before` is the
/// padding before the first element, `input` the number of elements, and
/// `output` the number of windows.
struct WindowGeometry {
  int64_t size, stride, dilation; // of the window, in elements
  int64_t before, input, output;

  /// Returns the extent of the padded image that the windows cover.
  int64_t reach() const {
    return (output - 1) * stride + (size - 1) * dilation + 1;
  }
  bool leavesInput() const { return before != 0 || reach() > input; }
};

/// A depthwise convolution. For each window and channel, it multiplies each
/// element of `image` in the window by the element of `filter` at the same
/// position (tap), and adds up the products.
struct DepthwiseConvolutionSpec {
  WindowGeometry rows, columns;
  Value image, filter;
  bool isBackwards; // taps are summed in reverse

  RankedTensorType imageType() const {
    return cast<RankedTensorType>(image.getType());
  }
  int64_t channels() const { return imageType().getDimSize(3); }
  bool needsPadding() const {
    return rows.leavesInput() || columns.leavesInput();
  }
};

} // namespace

static bool isKnown(const Window &window) {
  for (const WindowDim &dim : {window.height, window.width})
    if (ShapedType::isDynamic(dim.input) || ShapedType::isDynamic(dim.before) ||
        ShapedType::isDynamic(dim.output) || ShapedType::isDynamic(dim.size))
      return false;
  return true;
}

/// Whether each channel has exactly one filter, and sums are accumulated in the
/// element type. Sums of 16-bit floats, for example, are accumulated in a wider
/// type.
static bool isByChannel(RankedTensorType image, RankedTensorType filter) {
  Type element = image.getElementType();
  return filter.hasStaticShape() && filter.getDimSize(3) == 1 &&
         isa<FloatType>(element) && getSumType(element) == element &&
         filter.getElementType() == element &&
         !ShapedType::isDynamicShape(image.getShape().drop_front());
}

/// Whether the images need no padding, or copying them with padding is cheaper
/// than bounds checks: the copy is small, or a window has many taps.
static bool isWorthPadding(const DepthwiseConvolutionSpec &sums,
                           const PaddedCopyLimits &limits) {
  return !sums.needsPadding() ||
         (limits.maxBoundsCheckedTaps != 0 &&
          sums.rows.size * sums.columns.size > limits.maxBoundsCheckedTaps) ||
         sums.rows.reach() * sums.columns.reach() * sums.channels() <=
             limits.maxElements;
}

/// Returns a copy of the images with a border of zeros, wide enough for every
/// window. Returns the images themselves if no window reaches beyond them.
static Value padded(OpBuilder &builder, Location loc,
                    const DepthwiseConvolutionSpec &sums) {
  if (!sums.needsPadding())
    return sums.image;
  Sizes sizes = sizesOf(builder, loc, sums.image);
  sizes[1] = builder.getIndexAttr(sums.rows.reach());
  sizes[2] = builder.getIndexAttr(sums.columns.reach());
  Type element = sums.imageType().getElementType();
  return generic(
             builder, loc, {}, emptyTensor(builder, loc, sizes, element),
             builder.getMultiDimIdentityMap(4), SmallVector<bool>(4, false),
             [&](ImplicitLocOpBuilder &b, ValueRange) -> SmallVector<Value> {
               auto indexOf = [&](int64_t dimension) {
                 return linalg::IndexOp::create(b, dimension);
               };
               auto number = [&](int64_t value) {
                 return arith::ConstantIndexOp::create(b, value);
               };
               ImagePosition position;
               auto locate = [&](const WindowGeometry &path,
                                 int64_t dimension) {
                 Value place = arith::SubIOp::create(b, indexOf(dimension),
                                                     number(path.before));
                 Value fits = arith::CmpIOp::create(
                     b, arith::CmpIPredicate::ult, place, number(path.input));
                 position.isInside = position.isInside
                                         ? Value(arith::AndIOp::create(
                                               b, position.isInside, fits))
                                         : fits;
                 return arith::SelectOp::create(b, fits, place, number(0));
               };
               position.row = locate(sums.rows, 1);
               position.column = locate(sums.columns, 2);
               return {readAt(b, sums.image, indexOf(0), position, indexOf(3),
                              scalar(b, element, 0))};
             })
      .getResult(0);
}

/// The loops are (batch, row, column, row of taps, column of taps, channel).
/// Returns the indexing map from these six loops to the loops with the indices
/// `picked`.
static AffineMap loops(OpBuilder &builder, ArrayRef<unsigned> picked) {
  return AffineMap::getMultiDimMapWithTargets(6, picked, builder.getContext());
}

/// Returns the indexing map from the six loops to the element of the padded
/// images that the current tap (position in the window) reads.
static AffineMap seenAt(OpBuilder &builder,
                        const DepthwiseConvolutionSpec &sums) {
  auto along = [&](const WindowGeometry &path, unsigned place, unsigned tap) {
    return builder.getAffineDimExpr(place) * path.stride +
           builder.getAffineDimExpr(tap) * path.dilation;
  };
  return AffineMap::get(6, 0,
                        {builder.getAffineDimExpr(0), along(sums.rows, 1, 3),
                         along(sums.columns, 2, 4),
                         builder.getAffineDimExpr(5)},
                        builder.getContext());
}

static SmallVector<Value> addProduct(ImplicitLocOpBuilder &b, ValueRange x) {
  return {sumOf(b, x.back(), productOf(b, x[0], x[1]))};
}

static Value lower(OpBuilder &builder, Location loc,
                   const DepthwiseConvolutionSpec &sums) {
  int64_t taps[] = {sums.rows.size, sums.columns.size, sums.channels()};
  SmallVector<Value> inputs = {padded(builder, loc, sums),
                               reshaped(builder, loc, sums.filter, taps)};
  Type element = sums.imageType().getElementType();
  Sizes sizes = sizesOf(builder, loc, sums.image);
  sizes[1] = builder.getIndexAttr(sums.rows.output);
  sizes[2] = builder.getIndexAttr(sums.columns.output);
  SmallVector<AffineMap> maps = {seenAt(builder, sums),
                                 loops(builder, {3, 4, 5})};
  if (sums.isBackwards) {
    AffineExpr row = builder.getAffineDimExpr(3);
    AffineExpr column = builder.getAffineDimExpr(4);
    maps[1] = AffineMap::get(
        6, 0,
        {taps[0] - 1 - row, taps[1] - 1 - column, builder.getAffineDimExpr(5)},
        builder.getContext());
    // This input is never read. Its shape is that of the window: linalg infers
    // the bounds of the loops over taps from it.
    maps.push_back(loops(builder, {3, 4}));
    inputs.push_back(
        emptyTensor(builder, loc,
                    RankedTensorType::get(ArrayRef(taps).take_front(2),
                                          builder.getI8Type())));
  }
  maps.push_back(loops(builder, {0, 1, 2, 5}));
  return generic(builder, loc, inputs,
                 filledTensor(builder, loc, sizes, element, 0), maps,
                 {false, false, false, true, true, false}, addProduct)
      .getResult(0);
}

static WindowGeometry forwards(const WindowDim &dim) {
  return {dim.size,   dim.stride, dim.dilation,
          dim.before, dim.input,  dim.output};
}

namespace {

struct LowerPaddedDepthwiseConv2D : OpRewritePattern<Conv2DOp> {
  LowerPaddedDepthwiseConv2D(MLIRContext *context, PaddedCopyLimits limits)
      : OpRewritePattern(context, /*benefit=*/2), limits(limits) {}

  LogicalResult matchAndRewrite(Conv2DOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getDepthwise())
      return rewriter.notifyMatchFailure(op,
                                         "expected a depthwise convolution");
    Window window = windowOf(op);
    if (!isKnown(window) ||
        !isByChannel(cast<RankedTensorType>(op.getInput().getType()),
                     cast<RankedTensorType>(op.getFilter().getType())))
      return rewriter.notifyMatchFailure(
          op, "has dynamic sizes, several filters per channel, or an "
              "accumulator wider than the elements");
    DepthwiseConvolutionSpec sums = {forwards(window.height),
                                     forwards(window.width), op.getInput(),
                                     op.getFilter(), /*isBackwards=*/false};
    if (!isWorthPadding(sums, limits))
      return rewriter.notifyMatchFailure(op, "the padded image is too large");
    rewriter.replaceOp(op, lower(rewriter, op.getLoc(), sums));
    return success();
  }

  PaddedCopyLimits limits;
};

/// Lowers the input gradient of a depthwise convolution with stride 1, which is
/// a depthwise convolution of the output's gradient with the taps in reverse
/// order.
struct LowerPaddedDepthwiseBackpropInput
    : OpRewritePattern<Conv2DBackpropInputOp> {
  LowerPaddedDepthwiseBackpropInput(MLIRContext *context,
                                    PaddedCopyLimits limits)
      : OpRewritePattern(context, /*benefit=*/2), limits(limits) {}

  LogicalResult matchAndRewrite(Conv2DBackpropInputOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getDepthwise())
      return rewriter.notifyMatchFailure(op,
                                         "expected a depthwise convolution");
    Window window = windowOf(op);
    if (!isKnown(window) || window.height.stride != 1 ||
        window.width.stride != 1 ||
        !isByChannel(cast<RankedTensorType>(op.getGradient().getType()),
                     cast<RankedTensorType>(op.getFilter().getType())))
      return rewriter.notifyMatchFailure(
          op, "has dynamic sizes, strides other than 1, several filters per "
              "channel, or an accumulator wider than the elements");
    auto path = [](const WindowDim &dim) {
      return WindowGeometry{
          dim.size,     1,
          dim.dilation, (dim.size - 1) * dim.dilation - dim.before,
          dim.output,   dim.input};
    };
    DepthwiseConvolutionSpec sums = {path(window.height), path(window.width),
                                     op.getGradient(), op.getFilter(),
                                     /*isBackwards=*/true};
    if (sums.rows.before < 0 || sums.columns.before < 0 ||
        !isWorthPadding(sums, limits))
      return rewriter.notifyMatchFailure(
          op, "the padding is negative, or the padded image is too large");
    rewriter.replaceOp(op, lower(rewriter, op.getLoc(), sums));
    return success();
  }

  PaddedCopyLimits limits;
};

/// Lowers the filter gradient of a depthwise convolution, which sums over all
/// windows of all images.
struct LowerPaddedDepthwiseBackpropFilter
    : OpRewritePattern<Conv2DBackpropFilterOp> {
  explicit LowerPaddedDepthwiseBackpropFilter(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(Conv2DBackpropFilterOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getDepthwise())
      return rewriter.notifyMatchFailure(op,
                                         "expected a depthwise convolution");
    Window window = windowOf(op);
    auto type = cast<RankedTensorType>(op.getType());
    if (!isKnown(window) ||
        !isByChannel(cast<RankedTensorType>(op.getInput().getType()), type))
      return rewriter.notifyMatchFailure(
          op, "has dynamic sizes, several filters per channel, or an "
              "accumulator wider than the elements");
    DepthwiseConvolutionSpec sums = {forwards(window.height),
                                     forwards(window.width),
                                     op.getInput(),
                                     {},
                                     /*isBackwards=*/false};
    // Images are copied, however large they are: sums over windows that need no
    // bounds checks stay in registers, and take a fraction of the time.
    Location loc = op.getLoc();
    Value image = padded(rewriter, loc, sums);
    auto taps = RankedTensorType::get(type.getShape().drop_back(),
                                      type.getElementType());
    SmallVector<AffineMap> maps = {seenAt(rewriter, sums),
                                   loops(rewriter, {0, 1, 2, 5}),
                                   loops(rewriter, {3, 4, 5})};
    Value sum = generic(rewriter, loc, {image, op.getGradient()},
                        filledTensor(rewriter, loc, taps, 0), maps,
                        {true, true, true, false, false, false}, addProduct)
                    .getResult(0);
    rewriter.replaceOp(op, reshaped(rewriter, loc, sum, type.getShape()));
    return success();
  }
};

} // namespace

void ::ingot::lower::populateDepthwiseConvolutionPatterns(
    RewritePatternSet &patterns, int64_t maxPaddedElements,
    int64_t maxBoundsCheckedTaps) {
  patterns.add<LowerPaddedDepthwiseConv2D, LowerPaddedDepthwiseBackpropInput>(
      patterns.getContext(),
      PaddedCopyLimits{maxPaddedElements, maxBoundsCheckedTaps});
}

void ::ingot::lower::populateDepthwiseFilterGradientPatterns(
    RewritePatternSet &patterns) {
  patterns.add<LowerPaddedDepthwiseBackpropFilter>(patterns.getContext());
}
