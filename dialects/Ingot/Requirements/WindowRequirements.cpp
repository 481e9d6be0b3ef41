//===- WindowRequirements.cpp - Sizes of images, filters and channels -----===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ConvolutionOps.h"
#include "dialects/Ingot/IR/NormalizationOps.h"
#include "dialects/Ingot/IR/PoolingOps.h"
#include "dialects/Ingot/IR/Windows.h"
#include "dialects/Ingot/Requirements/ShapeRequirementBuilder.h"

namespace mlir::ingot {

/// Returns how many windows of size `size` there are along one dimension, and
/// requires that the dimension is large enough for the window.
static Number windowsAlong(const WindowAttributes &window, unsigned index,
                           Number input, Number size,
                           ShapeRequirementBuilder &r) {
  Number stride = r.number(window.strides[index]);
  if (window.padding == "SAME")
    return r.divide(r.add(input, r.number(window.strides[index] - 1)), stride);
  int64_t dilation = window.dilations.empty() ? 1 : window.dilations[index];
  int64_t padding = 0;
  if (window.padding == "EXPLICIT")
    padding = window.explicitPaddings[2 * index] +
              window.explicitPaddings[2 * index + 1];
  Number reach =
      r.add(r.multiply(r.subtract(size, r.number(1)), r.number(dilation)),
            r.number(1));
  Number room = r.subtract(r.add(input, r.number(padding)), reach);
  // `room` is the size of the padded input minus that of the dilated window.
  // TensorFlow rounds (room + stride) / stride towards zero, so it accepts any
  // `room` above -2 * stride, and returns 0 windows if `room` is negative.
  r.require(r.less(r.number(-2 * window.strides[index]), room),
            r.says() << "Computed output size would be negative: [input_size: "
                     << input << ", effective_filter_size: " << reach
                     << ", stride: " << stride << "]");
  return r.divide(r.larger(r.add(room, stride), r.number(0)), stride);
}

/// Requires that the image has as many channels as the filter.
static void requireChannels(Number input, Number filter,
                            ShapeRequirementBuilder &r) {
  r.require(r.equal(input, filter),
            r.says() << "input depth must be evenly divisible by filter depth: "
                     << input << " vs " << filter);
}

/// Returns the shape of the result of a convolution or of a pool.
static SmallVector<Number> resultOf(const WindowAttributes &window,
                                    ArrayRef<Number> image, Number height,
                                    Number width, Number channels,
                                    ShapeRequirementBuilder &r) {
  return {image[0], windowsAlong(window, 0, image[1], height, r),
          windowsAlong(window, 1, image[2], width, r), channels};
}

/// Requires that a gradient has the shape of the result of its forward op.
static void requireGradient(ArrayRef<Number> expected, Value gradient,
                            ShapeRequirementBuilder &r) {
  r.require(r.sameSizes(expected, r.sizes(gradient)),
            (r.says() << "Size of out_backprop doesn't match computed: actual "
                         "= "
                      << gradient << ", computed = ")
                .shape(expected));
}

/// The sizes of a filter, and the number of channels of its result.
struct FilterSizes {
  ArrayRef<Number> sizes;
  Number channels;

  FilterSizes(ArrayRef<Number> sizes, bool depthwise,
              ShapeRequirementBuilder &r)
      : sizes(sizes),
        channels(depthwise ? r.multiply(sizes[2], sizes[3]) : sizes[3]) {}
};

static bool hasRank4(Value tensor) {
  return isRanked(tensor) && rankOf(tensor) == 4;
}

static bool holdsFour(Value sizes) {
  return hasElements(sizes) && rankOf(sizes) == 1 &&
         getDim(sizes.getType(), 0) == 4;
}

static void require(Conv2DOp op, ShapeRequirementBuilder &r) {
  if (!hasRank4(op.getInput()) || !hasRank4(op.getFilter()))
    return;
  SmallVector<Number> image = r.sizes(op.getInput());
  SmallVector<Number> filter = r.sizes(op.getFilter());
  requireChannels(image[3], filter[2], r);
  resultOf(getWindowAttributes(op), image, filter[0], filter[1], filter[3], r);
}

template <typename OpTy>
static void requireBackprop(OpTy op, ArrayRef<Number> image,
                            ArrayRef<Number> filterSizes,
                            ShapeRequirementBuilder &r) {
  FilterSizes filter(filterSizes, op.getDepthwise(), r);
  requireChannels(image[3], filter.sizes[2], r);
  requireGradient(resultOf(getWindowAttributes(op), image, filter.sizes[0],
                           filter.sizes[1], filter.channels, r),
                  op.getGradient(), r);
}

static void require(Conv2DBackpropInputOp op, ShapeRequirementBuilder &r) {
  if (hasRank4(op.getFilter()) && hasRank4(op.getGradient()) &&
      holdsFour(op.getInputSizes())) {
    r.requireSizes(op.getInputSizes());
    requireBackprop(op, r.elements(op.getInputSizes()), r.sizes(op.getFilter()),
                    r);
  }
}

static void require(Conv2DBackpropFilterOp op, ShapeRequirementBuilder &r) {
  if (hasRank4(op.getInput()) && hasRank4(op.getGradient()) &&
      holdsFour(op.getFilterSizes())) {
    r.requireSizes(op.getFilterSizes());
    requireBackprop(op, r.sizes(op.getInput()), r.elements(op.getFilterSizes()),
                    r);
  }
}

static void require(ExtractPatchesOp op, ShapeRequirementBuilder &r) {
  if (!hasRank4(op.getInput()))
    return;
  SmallVector<Number> image = r.sizes(op.getInput());
  resultOf(getWindowAttributes(op), image, r.number(op.getWindow()[0]),
           r.number(op.getWindow()[1]), image[3], r);
}

template <typename OpTy>
static SmallVector<Number> poolOf(OpTy op, ArrayRef<Number> image,
                                  ShapeRequirementBuilder &r) {
  WindowAttributes window = {
      op.getStrides(), {}, op.getPadding(), op.getExplicitPaddings()};
  return resultOf(window, image, r.number(op.getWindow()[0]),
                  r.number(op.getWindow()[1]), image[3], r);
}

static void require(MaxPoolOp op, ShapeRequirementBuilder &r) {
  if (hasRank4(op.getInput()))
    poolOf(op, r.sizes(op.getInput()), r);
}

static void require(AvgPoolOp op, ShapeRequirementBuilder &r) {
  if (hasRank4(op.getInput()))
    poolOf(op, r.sizes(op.getInput()), r);
}

static void require(MaxPoolGradOp op, ShapeRequirementBuilder &r) {
  if (hasRank4(op.getInput()) && hasRank4(op.getGradient()))
    requireGradient(poolOf(op, r.sizes(op.getInput()), r), op.getGradient(), r);
}

static void require(AvgPoolGradOp op, ShapeRequirementBuilder &r) {
  if (holdsFour(op.getInputShape()) && hasRank4(op.getGradient())) {
    r.requireSizes(op.getInputShape());
    requireGradient(poolOf(op, r.elements(op.getInputShape()), r),
                    op.getGradient(), r);
  }
}

/// Requires that vectors have one element per channel of `x`; those in
/// `optional` may also be empty.
static void requireVectors(Value x, ValueRange vectors, ValueRange optional,
                           ShapeRequirementBuilder &r) {
  if (!isRanked(x) || rankOf(x) == 0)
    return;
  Number channels = r.size(x, rankOf(x) - 1);
  auto check = [&](Value vector, bool mayBeEmpty) {
    if (!isRanked(vector) || rankOf(vector) != 1)
      return;
    Number fits = r.equal(r.size(vector, 0), channels);
    if (mayBeEmpty)
      fits = r.either(fits, r.equal(r.size(vector, 0), r.number(0)));
    r.require(fits, r.says() << "scale, offset, mean and variance must have "
                                "the same number of elements as the channels "
                                "of x, got "
                             << r.size(vector, 0) << " and " << channels);
  };
  for (Value vector : vectors)
    check(vector, false);
  for (Value vector : optional)
    check(vector, true);
}

static void require(FusedBatchNormOp op, ShapeRequirementBuilder &r) {
  // If a training step replaces the moving averages completely (the factor is
  // 1), the op does not read the old averages, so their vectors may be empty.
  bool isAnew =
      op.getIsTraining() && op.getExponentialAvgFactor().convertToFloat() == 1;
  SmallVector<Value> vectors = {op.getScale(), op.getOffset()};
  SmallVector<Value> averages = {op.getMean(), op.getVariance()};
  if (!isAnew)
    vectors.append(std::exchange(averages, {}));
  requireVectors(op.getX(), vectors, averages, r);
}

static void require(FusedBatchNormGradOp op, ShapeRequirementBuilder &r) {
  Value x = op.getX(), gradient = op.getGradient();
  requireVectors(x, {op.getScale(), op.getMean(), op.getVariance()}, {}, r);
  if (areRanked({x, gradient}) && rankOf(x) == rankOf(gradient))
    r.require(r.sameSizes(r.sizes(x), r.sizes(gradient)),
              r.says() << "x and y_backprop must have same shape, but x has "
                          "shape "
                       << x << " and y_backprop has shape " << gradient);
}

void attachWindowRequirements(MLIRContext &context) {
  attachModels<Conv2DOp, Conv2DBackpropInputOp, Conv2DBackpropFilterOp,
               ExtractPatchesOp, MaxPoolOp, AvgPoolOp, MaxPoolGradOp,
               AvgPoolGradOp, FusedBatchNormOp, FusedBatchNormGradOp>(context);
}

} // namespace mlir::ingot
