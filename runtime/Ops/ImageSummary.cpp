//===- ImageSummary.cpp - Image summaries ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The image summary. It is in its own file, apart from Summaries.cpp, so that
// trainers without image summaries do not link libpng.
//===----------------------------------------------------------------------===//

#include "proto/Event.pb.h"
#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/OpKernelContext.h"
#include "runtime/Session/Context.h"
#include "runtime/Summary/SummaryCollector.h"

#include <cmath>
#include <png.h>

using namespace ingot;
using namespace ingot::ops;

using Bytes = std::vector<uint8_t>;

/// Scales values to bytes. If no value is negative, the range from 0 to the
/// largest value becomes [0, 255]. Otherwise 0 becomes 128, and the value with
/// the largest magnitude becomes 1 or 255, which differ from 128 by 127. A
/// pixel with a non-finite value gets `badColor`.
template <typename T>
static Bytes normalize(std::span<const T> pixels, size_t channels,
                       std::span<const uint8_t> badColor) {
  // The type in which pixels are scaled: double for double, and float for all
  // other types.
  using Number = std::conditional_t<std::is_same_v<T, double>, double, float>;
  // If the largest magnitude of all values is below this, the image is scaled
  // as if all values were 0.
  constexpr Number threshold = 1e-6f;
  Number low = 0, high = 0;
  for (const T &pixel : pixels) {
    if (Number value = static_cast<Number>(pixel); std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  Number reach = std::max(std::abs(low), high);
  Number range = low < 0 ? 127 : 255, offset = low < 0 ? 128 : 0;
  Number scale = reach < threshold ? 0 : range / reach;
  Bytes bytes(pixels.size());
  for (size_t at = 0; at < pixels.size(); at += channels) {
    bool isFinite = true;
    for (size_t channel = 0; channel < channels; ++channel)
      isFinite &= std::isfinite(static_cast<Number>(pixels[at + channel]));
    for (size_t channel = 0; channel < channels; ++channel)
      bytes[at + channel] =
          isFinite
              ? static_cast<uint8_t>(
                    static_cast<Number>(pixels[at + channel]) * scale + offset)
              : badColor[channel];
  }
  return bytes;
}

static Status encodePng(OpKernelContext &op, const Bytes &bytes,
                        uint32_t height, uint32_t width, size_t channels,
                        std::string &encoded) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.height = height;
  image.width = width;
  image.format = channels == 1   ? PNG_FORMAT_GRAY
                 : channels == 3 ? PNG_FORMAT_RGB
                                 : PNG_FORMAT_RGBA;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  encoded.resize(size);
  if (!png_image_write_to_memory(&image, encoded.data(), &size, 0, bytes.data(),
                                 0, nullptr))
    return op.invalid(std::string("PNG encoding failed: ") + image.message);
  encoded.resize(size);
  return Status::ok();
}

static Status recordImage(OpKernelContext &op, SummaryCollector &summaries,
                          const std::string &tag, int64_t number) {
  OpInput input = op.input(1);
  OpInput color = op.input(2);
  auto channels = static_cast<size_t>(input.dim(3));
  size_t size = static_cast<size_t>(input.dim(1) * input.dim(2)) * channels;
  Bytes bytes;
  auto pixelsOf = [&]<typename T>() {
    return input.as<T>().subspan(static_cast<size_t>(number) * size, size);
  };
  if (input.dtype() == INGOT_UINT8) {
    auto pixels = pixelsOf.template operator()<uint8_t>();
    bytes.assign(pixels.begin(), pixels.end());
  } else {
    INGOT_RETURN_IF_ERROR(visitNumbers(input.dtype(), [&]<typename T>() {
      bytes = normalize<T>(pixelsOf.template operator()<T>(), channels,
                           color.as<uint8_t>());
      return Status::ok();
    }));
  }
  proto::Summary::Value value;
  value.set_tag(tag);
  proto::Summary::Image &image = *value.mutable_image();
  image.set_height(static_cast<int32_t>(input.dim(1)));
  image.set_width(static_cast<int32_t>(input.dim(2)));
  image.set_colorspace(static_cast<int32_t>(channels));
  INGOT_RETURN_IF_ERROR(encodePng(op, bytes,
                                  static_cast<uint32_t>(input.dim(1)),
                                  static_cast<uint32_t>(input.dim(2)), channels,
                                  *image.mutable_encoded_image_string()));
  summaries.addValue(op.numInputs() > 3 ? op.input(3).integer(0) : -1,
                     value.SerializeAsString());
  return Status::ok();
}

// Records images for the event file. Inputs: tag, images, color of non-finite
// pixels, and optionally the step.
INGOT_RUNTIME_OP(record_image) {
  SummaryCollector *summaries = op.context().summaries;
  if (!summaries)
    return Status::ok();
  OpInput input = op.input(1);
  int64_t channels = input.rank() == 4 ? input.dim(3) : 0;
  if (channels != 1 && channels != 3 && channels != 4)
    return op.invalid("Tensor must be 4-D with last dim 1, 3, or 4, not " +
                      dimsText(input.dims()));
  // The limits of libpng: both sides of an image have at least one and at most
  // this many pixels.
  constexpr int64_t limit = 1000000;
  if (input.dim(1) < 1 || input.dim(2) < 1 || input.dim(1) > limit ||
      input.dim(2) > limit)
    return op.invalid(
        "images of shape " + dimsText(input.dims()) +
        " cannot be encoded: the height and width must be in [1, " +
        std::to_string(limit) + "]");
  if (op.input(2).numElements() < channels)
    return op.invalid(
        "bad_color has " + std::to_string(op.input(2).numElements()) +
        " channels, but the images have " + std::to_string(channels));
  std::string tag(op.input(0).text(0));
  int64_t most = op.integer("max_images", 3);
  for (int64_t i = 0; i < std::min(input.dim(0), most); ++i) {
    std::string name =
        tag + "/image" + (most > 1 ? "/" + std::to_string(i) : "");
    INGOT_RETURN_IF_ERROR(recordImage(op, *summaries, name, i));
  }
  return Status::ok();
}
