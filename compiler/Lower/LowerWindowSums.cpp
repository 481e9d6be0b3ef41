//===- LowerWindowSums.cpp - Convolutions by channel as plain loops -------===//
//
// Where images are copied with their padding, no window asks what lies outside,
// and what it sees is an affine function of its place: loops that a target can
// hold in registers.
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/Windows.h"
#include "dialects/Ingot/ConvolutionOps.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

/// With more taps it takes longer to ask of each whether it is outside than to
/// copy an image of any size.
constexpr int64_t manyTaps = 25;

/// How windows move along one dimension, beginning so far in front of the
/// image.
struct Path {
  int64_t size, stride, dilation; // of the window
  int64_t before, input, output;

  /// As far as windows see.
  int64_t reach() const {
    return (output - 1) * stride + (size - 1) * dilation + 1;
  }
  bool leavesInput() const { return before != 0 || reach() > input; }
};

/// Windows of which each channel has a filter of its own, and sums of its own.
struct Sums {
  Path rows, columns;
  Value image, filter;
  bool isBackwards; // taps go from the last to the first

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

/// Whether each channel has one filter, and sums are computed in its type.
static bool isByChannel(RankedTensorType image, RankedTensorType filter) {
  Type element = image.getElementType();
  return filter.hasStaticShape() && filter.getDimSize(3) == 1 &&
         isa<FloatType>(element) && getSumType(element) == element &&
         filter.getElementType() == element &&
         !ShapedType::isDynamicShape(image.getShape().drop_front());
}

/// Whether it is worth a copy of the images, if there must be one.
static bool isWorthPadding(const Sums &sums, int64_t maxElements) {
  return !sums.needsPadding() ||
         sums.rows.size * sums.columns.size > manyTaps ||
         sums.rows.reach() * sums.columns.reach() * sums.channels() <=
             maxElements;
}

/// The images with zeros around them, as far as windows see.
static Value padded(OpBuilder &builder, Location loc, const Sums &sums) {
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
               auto locate = [&](const Path &path, int64_t dimension) {
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

/// (batch, row, column, row of taps, column of taps, channel)
static Value lower(OpBuilder &builder, Location loc, const Sums &sums) {
  Value image = padded(builder, loc, sums);
  Type element = sums.imageType().getElementType();
  int64_t taps[] = {sums.rows.size, sums.columns.size, sums.channels()};
  SmallVector<Value> inputs = {image,
                               reshaped(builder, loc, sums.filter, taps)};
  Sizes sizes = sizesOf(builder, loc, sums.image);
  sizes[1] = builder.getIndexAttr(sums.rows.output);
  sizes[2] = builder.getIndexAttr(sums.columns.output);
  SmallVector<AffineExpr> d;
  for (unsigned loop = 0; loop < 6; ++loop)
    d.push_back(builder.getAffineDimExpr(loop));
  auto map = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(6, 0, results, builder.getContext());
  };
  auto seen = [&](const Path &path, AffineExpr place, AffineExpr tap) {
    return place * path.stride + tap * path.dilation;
  };
  SmallVector<AffineMap> maps = {map({d[0], seen(sums.rows, d[1], d[3]),
                                      seen(sums.columns, d[2], d[4]), d[5]})};
  if (!sums.isBackwards) {
    maps.push_back(map({d[3], d[4], d[5]}));
  } else {
    maps.push_back(
        map({sums.rows.size - 1 - d[3], sums.columns.size - 1 - d[4], d[5]}));
    // Says how many taps there are, and holds nothing.
    maps.push_back(map({d[3], d[4]}));
    inputs.push_back(
        emptyTensor(builder, loc,
                    RankedTensorType::get(ArrayRef(taps).take_front(2),
                                          builder.getI8Type())));
  }
  maps.push_back(map({d[0], d[1], d[2], d[5]}));
  return generic(
             builder, loc, inputs,
             filledTensor(builder, loc, sizes, element, 0), maps,
             {false, false, false, true, true, false},
             [](ImplicitLocOpBuilder &b, ValueRange x) -> SmallVector<Value> {
               return {sumOf(b, x.back(), productOf(b, x[0], x[1]))};
             })
      .getResult(0);
}

namespace {

struct LowerForward : OpRewritePattern<Conv2DOp> {
  LowerForward(MLIRContext *context, int64_t maxElements)
      : OpRewritePattern(context, /*benefit=*/2), maxElements(maxElements) {}

  LogicalResult matchAndRewrite(Conv2DOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getDepthwise())
      return failure();
    Window window = windowOf(op);
    if (!isKnown(window) ||
        !isByChannel(cast<RankedTensorType>(op.getInput().getType()),
                     cast<RankedTensorType>(op.getFilter().getType())))
      return failure();
    auto path = [](const WindowDim &dim) {
      return Path{dim.size,   dim.stride, dim.dilation,
                  dim.before, dim.input,  dim.output};
    };
    Sums sums = {path(window.height), path(window.width), op.getInput(),
                 op.getFilter(), /*isBackwards=*/false};
    if (!isWorthPadding(sums, maxElements))
      return failure();
    rewriter.replaceOp(op, lower(rewriter, op.getLoc(), sums));
    return success();
  }

  int64_t maxElements;
};

/// The gradient of images that windows pass step by step: a window of the
/// outputs' gradients, with its taps backwards.
struct LowerInputGradient : OpRewritePattern<Conv2DBackpropInputOp> {
  LowerInputGradient(MLIRContext *context, int64_t maxElements)
      : OpRewritePattern(context, /*benefit=*/2), maxElements(maxElements) {}

  LogicalResult matchAndRewrite(Conv2DBackpropInputOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getDepthwise())
      return failure();
    Window window = windowOf(op);
    if (!isKnown(window) || window.height.stride != 1 ||
        window.width.stride != 1 ||
        !isByChannel(cast<RankedTensorType>(op.getGradient().getType()),
                     cast<RankedTensorType>(op.getFilter().getType())))
      return failure();
    auto path = [](const WindowDim &dim) {
      return Path{dim.size,     1,
                  dim.dilation, (dim.size - 1) * dim.dilation - dim.before,
                  dim.output,   dim.input};
    };
    Sums sums = {path(window.height), path(window.width), op.getGradient(),
                 op.getFilter(), /*isBackwards=*/true};
    if (sums.rows.before < 0 || sums.columns.before < 0 ||
        !isWorthPadding(sums, maxElements))
      return failure();
    rewriter.replaceOp(op, lower(rewriter, op.getLoc(), sums));
    return success();
  }

  int64_t maxElements;
};

} // namespace

void ::ingot::lower::populateWindowSumPatterns(RewritePatternSet &patterns,
                                               int64_t maxPaddedElements) {
  patterns.add<LowerForward, LowerInputGradient>(patterns.getContext(),
                                                 maxPaddedElements);
}
