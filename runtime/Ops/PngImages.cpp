//===- PngImages.cpp - Decodes PNG images by libpng -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/ImageDecoders.h"

#include <csetjmp>
#include <cstring>
#include <png.h>

using namespace ingot;
using namespace ingot::ops;

namespace {

class PngDecoder final : public ImageDecoder {
public:
  PngDecoder(std::string_view file, bool isWide) : left(file), isWide(isWide) {}
  ~PngDecoder() override {
    png_destroy_read_struct(&png, info ? &info : nullptr, nullptr);
  }

  Status open(int64_t wantedChannels);
  Status read(void *pixels) override;

private:
  // On an error libpng longjmps out of these two functions, so they must not
  // have objects with destructors on their stack.
  bool tryOpen(int64_t wantedChannels);
  bool tryRead(uint8_t *pixels);
  void transform();
  void widen(uint8_t *pixels) const;

  static PngDecoder &of(png_structp png) {
    return *static_cast<PngDecoder *>(png_get_error_ptr(png));
  }
  static void fail(png_structp png, png_const_charp text);
  static void give(png_structp png, png_bytep to, size_t size);

  std::string_view left;
  bool isWide;
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::jmp_buf onFailure = {};
  char message[128] = {};
  int depth = 0, colors = 0, passes = 1;
  size_t storedRow = 0; // bytes of a decompressed row in the file
};

} // namespace

void PngDecoder::fail(png_structp png, png_const_charp text) {
  PngDecoder &decoder = of(png);
  std::strncpy(decoder.message, text, sizeof(decoder.message) - 1);
  std::longjmp(decoder.onFailure, 1);
}

void PngDecoder::give(png_structp png, png_bytep to, size_t size) {
  std::string_view &left = of(png).left;
  if (size > left.size())
    png_error(png, "the file ends early");
  std::memcpy(to, left.data(), size);
  left.remove_prefix(size);
}

/// Makes libpng convert the file's colors and bit depth to the requested ones.
void PngDecoder::transform() {
  bool hasAlpha = (colors & PNG_COLOR_MASK_ALPHA) != 0;
  bool hasTransparency = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  bool isGray = (colors & PNG_COLOR_MASK_COLOR) == 0, wantsGray = channels < 3;
  if (channels % 2 != 0) {
    if (hasAlpha || hasTransparency)
      png_set_strip_alpha(png);
  } else if (!hasAlpha && hasTransparency) {
    png_set_tRNS_to_alpha(png);
  } else if (!hasAlpha) {
    png_set_add_alpha(png, (1u << depth) - 1, PNG_FILLER_AFTER);
  }
  if (depth > 8 && !isWide)
    png_set_strip_16(png);
  png_set_packing(png);
  passes = png_set_interlace_handling(png);
  // PNG stores 16-bit values in big-endian order.
  if (isWide)
    png_set_swap(png);
  if (colors == PNG_COLOR_TYPE_PALETTE)
    png_set_palette_to_rgb(png);
  if (isGray && depth < 8)
    png_set_expand_gray_1_2_4_to_8(png);
  // Convert colors to gray with the weights of JPEG's luma: 0.299 of red, 0.587
  // of green, and the rest of blue.
  if (wantsGray && !isGray)
    png_set_rgb_to_gray(png, PNG_ERROR_ACTION_NONE, 0.299, 0.587);
  else if (!wantsGray && isGray)
    png_set_gray_to_rgb(png);
}

bool PngDecoder::tryOpen(int64_t wantedChannels) {
  if (setjmp(onFailure) != 0)
    return false;
  png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, fail,
                               [](png_structp, png_const_charp) {});
  info = png ? png_create_info_struct(png) : nullptr;
  if (!info)
    return false;
  png_set_read_fn(png, this, give);
  png_read_info(png, info);
  png_uint_32 columns = 0, rows = 0;
  png_get_IHDR(png, info, &columns, &rows, &depth, &colors, nullptr, nullptr,
               nullptr);
  width = columns;
  height = rows;
  channels = wantedChannels;
  if (channels == 0) {
    bool hasTransparency = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
    channels = colors != PNG_COLOR_TYPE_PALETTE ? png_get_channels(png, info)
               : hasTransparency                ? 4
                                                : 3;
  }
  storedRow = png_get_rowbytes(png, info);
  transform();
  png_read_update_info(png, info);
  return true;
}

Status PngDecoder::open(int64_t wantedChannels) {
  if (!tryOpen(wantedChannels))
    return Status(StatusCode::InvalidArgument,
                  "Invalid PNG data: " + std::string(message));
  constexpr int64_t longest = int64_t(1) << 27, most = int64_t(1) << 29;
  if (width >= longest || height >= longest || width * height >= most)
    return Status(
        StatusCode::InvalidArgument,
        "a PNG of " + std::to_string(height) + " by " + std::to_string(width) +
            " pixels is too large: the limit is 2^29 pixels, and 2^27 a side");
  // Before memory is allocated, refuse an image size for which the file is too
  // short.
  constexpr int64_t mostCompressed = 1032; // deflate's largest ratio
  if (static_cast<int64_t>(storedRow) * height / mostCompressed >
      static_cast<int64_t>(left.size()))
    return Status(StatusCode::InvalidArgument,
                  "Invalid PNG data: " + std::to_string(left.size()) +
                      " bytes are too few for " + std::to_string(height) +
                      " by " + std::to_string(width) + " pixels");
  // Check that transformed rows have the size that memory was allocated for.
  size_t bytes = isWide && depth > 8 ? 2 : 1;
  if (png_get_rowbytes(png, info) !=
      static_cast<size_t>(width * channels) * bytes)
    return Status(StatusCode::InvalidArgument,
                  "cannot convert a PNG with " + std::to_string(depth) +
                      " bits per color to " + std::to_string(channels) +
                      " channels: save the image with 8 bits per color");
  return Status::ok();
}

bool PngDecoder::tryRead(uint8_t *pixels) {
  if (setjmp(onFailure) != 0)
    return false;
  int64_t stride = width * channels * (isWide ? 2 : 1);
  for (int pass = 0; pass < passes; ++pass)
    for (int64_t y = 0; y < height; ++y)
      png_read_row(png, pixels + y * stride, nullptr);
  png_read_end(png, info);
  return true;
}

/// Widens 8-bit values to 16 bits by repeating the byte, in place. Goes from
/// the last value to the first, so that no value is overwritten before it is
/// read.
void PngDecoder::widen(uint8_t *pixels) const {
  int64_t stride = width * channels * 2;
  for (int64_t y = 0; y < height; ++y) {
    uint8_t *row = pixels + y * stride;
    for (int64_t i = width * channels; i-- > 0;)
      row[2 * i] = row[2 * i + 1] = row[i];
  }
}

Status PngDecoder::read(void *pixels) {
  auto *bytes = static_cast<uint8_t *>(pixels);
  if (!tryRead(bytes))
    return Status(StatusCode::InvalidArgument,
                  "Invalid PNG data: " + std::string(message));
  if (isWide && depth <= 8)
    widen(bytes);
  return Status::ok();
}

Expected<std::unique_ptr<ImageDecoder>>
ingot::ops::openPng(std::string_view bytes, int64_t channels, bool isWide) {
  auto decoder = std::make_unique<PngDecoder>(bytes, isWide);
  INGOT_RETURN_IF_ERROR(decoder->open(channels));
  return std::unique_ptr<ImageDecoder>(std::move(decoder));
}
