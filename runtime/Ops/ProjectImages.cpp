//===- ProjectImages.cpp - Projective transforms of images ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/OpKernelContext.h"

#include <cmath>

using namespace ingot;
using namespace ingot::ops;

/// Maps a coordinate outside the image to one inside, by TensorFlow's formulas
/// for fill mode `mode`.
static float mapCoordinate(float at, float length, std::string_view mode) {
  if (mode == "CONSTANT")
    return at;
  // NaN, and coordinates that are too large for the conversion to an integer,
  // become the first or the last index.
  if (!(std::fabs(at) < 1e9f))
    return at > 0 && length > 0 ? length - 1 : 0;
  float inside = at;
  bool isBefore = at<0, isBehind = at> length - 1;
  if ((isBefore || isBehind) && mode != "NEAREST") {
    if (length <= 1) {
      inside = 0;
    } else if (mode == "REFLECT") {
      // REFLECT: the image abcd continues as dcba|abcd|dcba.
      float twice = 2 * length;
      if (isBefore) {
        if (inside < twice)
          inside = twice * std::trunc(-inside / twice) + inside;
        inside = inside < -length ? inside + twice : -inside - 1;
      } else {
        inside -= twice * std::trunc(inside / twice);
        if (inside >= length)
          inside = twice - inside - 1;
      }
    } else {
      // WRAP: the image abcd continues as abcd|abcd|abcd.
      inside += (isBefore ? std::trunc(-inside / (length - 1)) + 1
                          : -std::trunc(inside / (length - 1))) *
                length;
    }
  }
  return std::min(std::max(inside, 0.0f), length - 1);
}

template <typename T> static T fromFloat(float value) {
  if constexpr (std::is_same_v<T, Half>)
    return {floatToHalf(value)};
  else if constexpr (std::is_same_v<T, Bfloat16>)
    return {floatToBfloat16(value)};
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<int64_t>(value));
  else
    return static_cast<T>(value);
}

namespace {
/// An image, and the value of pixels outside it.
template <typename T> struct Image {
  const T *pixels;
  int64_t height, width, depth;
  float fill;

  float read(float y, float x, int64_t channel) const {
    if (!(y >= 0 && x >= 0 && y < static_cast<float>(height) &&
          x < static_cast<float>(width)))
      return fill;
    return static_cast<float>(
        pixels[(static_cast<int64_t>(y) * width + static_cast<int64_t>(x)) *
                   depth +
               channel]);
  }
  float interpolate(float y, float x, int64_t channel) const {
    float top = std::floor(y), left = std::floor(x);
    auto row = [&](float y) {
      return (left + 1 - x) * read(y, left, channel) +
             (x - left) * read(y, left + 1, channel);
    };
    return (top + 1 - y) * row(top) + (y - top) * row(top + 1);
  }
};
} // namespace

template <typename T> static Status project(OpKernelContext &op) {
  OpInput images = op.input(0), transforms = op.input(1), size = op.input(2);
  int64_t height = size.integer(0), width = size.integer(1);
  if (height <= 0 || width <= 0)
    return op.invalid("the output size " + std::to_string(height) + " x " +
                      std::to_string(width) + " must be positive");
  int64_t batch = images.dim(0), depth = images.dim(3);
  INGOT_ASSIGN_OR_RETURN(auto output,
                         op.output<T>(0, {batch, height, width, depth}));
  bool isNearest = op.text("interpolation") == "NEAREST";
  std::string_view mode = op.text("fill_mode", "CONSTANT");
  float fill = op.input(3).as<float>()[0];
  auto heightIn = static_cast<float>(images.dim(1)),
       widthIn = static_cast<float>(images.dim(2));
  size_t at = 0;
  for (int64_t n = 0; n < batch; ++n) {
    Image<T> image = {images.as<T>().data() +
                          n * images.dim(1) * images.dim(2) * depth,
                      images.dim(1), images.dim(2), depth, fill};
    const float *a =
        transforms.as<float>().data() + (transforms.dim(0) == 1 ? 0 : n * 8);
    for (int64_t row = 0; row < height; ++row)
      for (int64_t column = 0; column < width; ++column) {
        auto y = static_cast<float>(row), x = static_cast<float>(column);
        float k = a[6] * x + a[7] * y + 1;
        float fromX = mapCoordinate((a[0] * x + a[1] * y + a[2]) / k, widthIn,
                                    mode),
              fromY = mapCoordinate((a[3] * x + a[4] * y + a[5]) / k, heightIn,
                                    mode);
        for (int64_t channel = 0; channel < depth; ++channel, ++at) {
          float value = k == 0      ? fill
                        : isNearest ? image.read(std::round(fromY),
                                                 std::round(fromX), channel)
                                    : image.interpolate(fromY, fromX, channel);
          output[at] = fromFloat<T>(value);
        }
      }
  }
  return Status::ok();
}

INGOT_RUNTIME_OP(project_images) {
  OpInput images = op.input(0), transforms = op.input(1);
  if (images.rank() != 4 || transforms.rank() != 2 || transforms.dim(1) != 8 ||
      (transforms.dim(0) != 1 && transforms.dim(0) != images.dim(0)))
    return op.invalid(
        "transforms of shape " + dimsText(transforms.dims()) +
        " do not match images of shape " + dimsText(images.dims()) +
        ": expected [1, 8] or [N, 8] for N images in a tensor of rank 4");
  if (op.input(2).numElements() != 2)
    return op.invalid(
        "output_shape must be a height and a width, but has shape " +
        dimsText(op.input(2).dims()));
  return visitNumbers(images.dtype(),
                      [&]<typename T>() { return project<T>(op); });
}
