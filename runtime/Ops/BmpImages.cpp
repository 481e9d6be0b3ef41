//===- BmpImages.cpp - Decodes BMP images ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/ImageDecoders.h"

#include <cstdlib>
#include <cstring>
#include <limits>

using namespace ingot;
using namespace ingot::ops;

namespace {

class BmpDecoder final : public ImageDecoder {
public:
  Status open(std::string_view file, int64_t wantedChannels);
  Status read(void *pixels) override;

private:
  std::string_view rows; // rows of `rowSize` bytes, in the file's order
  int64_t rowSize = 0, stored = 0;
  bool isTopDown = false; // `rows` begins with the image's top row
};

} // namespace

static Status invalid(std::string message) {
  return Status(StatusCode::InvalidArgument, "BMP: " + std::move(message));
}

/// Returns the number of type T at offset `at` of the file.
template <typename T>
static int64_t numberAt(std::string_view file, size_t at) {
  T number;
  std::memcpy(&number, file.data() + at, sizeof(T));
  return number;
}

Status BmpDecoder::open(std::string_view file, int64_t wantedChannels) {
  // The least size of a file: all header fields that are read below lie in its
  // first 32 bytes.
  constexpr size_t smallest = 32;
  if (file.size() < smallest)
    return invalid("Incomplete bmp content: expected at least " +
                   std::to_string(smallest) + " bytes of header, found " +
                   std::to_string(file.size()));
  int64_t headerSize = numberAt<int32_t>(file, 10);
  width = numberAt<int32_t>(file, 18);
  int64_t storedHeight = numberAt<int32_t>(file, 22);
  int64_t bits = numberAt<int16_t>(file, 28);
  stored = bits / 8;
  if (stored != 1 && stored != 3 && stored != 4)
    return invalid("expected 8, 24 or 32 bits per pixel, found " +
                   std::to_string(bits) + "");
  if (width <= 0 || storedHeight == 0 || headerSize < 0)
    return invalid("invalid header: width " + std::to_string(width) +
                   ", height " + std::to_string(storedHeight) +
                   ", header size " + std::to_string(headerSize) + " bytes");
  isTopDown = storedHeight < 0;
  height = std::abs(storedHeight);
  if (height >= std::numeric_limits<int32_t>::max() / 8 / width + 1)
    return invalid(std::to_string(width) + " by " + std::to_string(height) +
                   " pixels are too many: expected fewer than 2^28 pixels");
  // Rows are padded to a multiple of four bytes.
  rowSize = (stored * width + 3) / 4 * 4;
  auto size = static_cast<int64_t>(file.size());
  if (size - headerSize != rowSize * height)
    return invalid("expected " + std::to_string(rowSize * height) +
                   " bytes of pixels after a header of " +
                   std::to_string(headerSize) + " bytes, found " +
                   std::to_string(size - headerSize) + ": they differ by " +
                   std::to_string(size - headerSize - rowSize * height));
  channels = wantedChannels != 0 ? wantedChannels : stored;
  rows = file.substr(static_cast<size_t>(headerSize));
  return Status::ok();
}

Status BmpDecoder::read(void *pixels) {
  auto *to = static_cast<uint8_t *>(pixels);
  for (int64_t y = 0; y < height; ++y) {
    int64_t row = isTopDown ? y : height - 1 - y;
    const auto *from =
        reinterpret_cast<const uint8_t *>(rows.data()) + row * rowSize;
    for (int64_t x = 0; x < width; ++x, from += stored, to += channels) {
      // A stored pixel consists of blue, green, red and, in 32-bit files,
      // alpha; or of one byte, the gray value of all three colors.
      for (int64_t color = 0; color < std::min<int64_t>(channels, 3); ++color)
        to[color] = stored == 1 ? from[0] : from[2 - color];
      if (channels == 4)
        to[3] = stored == 4 ? from[3] : UINT8_MAX;
    }
  }
  return Status::ok();
}

Expected<std::unique_ptr<ImageDecoder>>
ingot::ops::openBmp(std::string_view bytes, int64_t channels) {
  auto decoder = std::make_unique<BmpDecoder>();
  INGOT_RETURN_IF_ERROR(decoder->open(bytes, channels));
  return std::unique_ptr<ImageDecoder>(std::move(decoder));
}
