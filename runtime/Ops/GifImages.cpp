//===- GifImages.cpp - Decodes GIF images ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Decodes GIF files as the specification (GIF89a) describes them. As in
// TensorFlow, each frame is painted over the one before it, on a canvas as
// large as the largest frame, whose background is black.
//
//===----------------------------------------------------------------------===//

#include "runtime/Ops/ImageDecoders.h"

#include <cstring>
#include <span>
#include <string>
#include <vector>

using namespace ingot;
using namespace ingot::ops;

namespace {

/// A frame of the file, before its pixels are decompressed.
struct GifFrame {
  int64_t left = 0, top = 0, width = 0, height = 0;
  bool isInterlaced = false;
  int transparent = -1;    // the index of pixels that are not painted, if any
  std::string_view colors; // color table, three bytes per color
  int codeSize = 0;        // number of bits of an index
  std::string codes;       // LZW codes: the data of all sub-blocks
};

class GifDecoder final : public ImageDecoder {
public:
  Status open(std::string_view file, bool onlyFirst);
  Status read(void *pixels) override;

private:
  /// Reads blocks up to the next frame, and that frame. Returns false at the
  /// end of the file.
  Expected<bool> readFrame();
  Status readExtension(GifFrame &frame, bool &hasControl);
  Status readImage(GifFrame &frame);
  /// take() consumes the next `count` bytes of the file, and takeColors() a
  /// color table, whose size the low bits of `flags` state.
  Expected<std::string_view> take(size_t count);
  Expected<std::string_view> takeColors(unsigned flags);
  /// Consumes sub-blocks up to the empty one that ends them. Returns their
  /// data.
  Expected<std::string> takeBlocks();
  Status paint(const GifFrame &frame, uint8_t *canvas, size_t index);

  std::string_view rest, colors;
  std::vector<GifFrame> all;
};

/// Decompresses the indices of a frame's pixels (LZW with codes of up to 12
/// bits).
class GifLzwDecoder {
public:
  explicit GifLzwDecoder(const GifFrame &frame)
      : codes(frame.codes), codeSize(frame.codeSize), clear(1 << codeSize) {
    for (int i = 0; i < clear; ++i)
      suffixes[i] = static_cast<uint8_t>(i);
    restart();
  }
  /// Writes all indices. Returns false if the codes are invalid or too few.
  bool decode(std::span<uint8_t> indices);

private:
  static constexpr int most = 4096;
  void restart() {
    width = codeSize + 1;
    next = clear + 2;
    last = -1;
  }
  /// Returns the next code, or -1 at the end of the data.
  int read();
  /// Writes the string of `code` backwards to `text`; returns its length.
  size_t expand(int code);

  std::string_view codes;
  int codeSize, clear, width, next, last;
  unsigned bits = 0;
  int numBits = 0;
  size_t position = 0;
  uint16_t prefixes[most] = {};
  uint8_t suffixes[most] = {}, text[most];
};

} // namespace

static Status invalid(std::string message) {
  return Status(StatusCode::InvalidArgument,
                "Invalid GIF data: " + std::move(message));
}

static int64_t byteAt(std::string_view bytes, size_t at) {
  return static_cast<uint8_t>(bytes[at]);
}
static int64_t wordAt(std::string_view bytes, size_t at) {
  return byteAt(bytes, at) | byteAt(bytes, at + 1) << 8;
}

//===----------------------------------------------------------------------===//
// Decompression
//===----------------------------------------------------------------------===//

int GifLzwDecoder::read() {
  for (; numBits < width; numBits += 8) {
    if (position == codes.size())
      return -1;
    bits |= static_cast<unsigned>(byteAt(codes, position++)) << numBits;
  }
  int code = static_cast<int>(bits & ((1u << width) - 1));
  bits >>= width;
  numBits -= width;
  return code;
}

size_t GifLzwDecoder::expand(int code) {
  size_t length = 0;
  // A prefix is always smaller than its code, so this ends.
  for (; code > clear; code = prefixes[code])
    text[length++] = suffixes[code];
  text[length++] = suffixes[code];
  return length;
}

bool GifLzwDecoder::decode(std::span<uint8_t> indices) {
  size_t done = 0;
  while (done < indices.size()) {
    int code = read();
    if (code == clear) {
      restart();
      continue;
    }
    if (code < 0 || code == clear + 1 || code > next ||
        (last < 0 && code > clear) || (code == next && next == most))
      return false;
    // A code may be used in the step that defines it. Such a code stands for
    // the string of the last code, followed by that string's first element.
    bool isOwn = code == next;
    size_t length = expand(isOwn ? last : code);
    uint8_t first = text[length - 1];
    for (size_t i = length; i-- > 0 && done < indices.size();)
      indices[done++] = text[i];
    if (isOwn && done < indices.size())
      indices[done++] = first;
    if (last >= 0 && next < most) {
      prefixes[next] = static_cast<uint16_t>(last);
      suffixes[next] = first;
      if (++next == 1 << width && width < 12)
        ++width;
    }
    last = code;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Blocks of the file
//===----------------------------------------------------------------------===//

Expected<std::string_view> GifDecoder::take(size_t count) {
  if (rest.size() < count)
    return invalid("the file ends early: expected " + std::to_string(count) +
                   " bytes, found " + std::to_string(rest.size()));
  std::string_view taken = rest.substr(0, count);
  rest.remove_prefix(count);
  return taken;
}

Expected<std::string_view> GifDecoder::takeColors(unsigned flags) {
  return take(flags & 0x80 ? size_t(3) << ((flags & 7) + 1) : 0);
}

Expected<std::string> GifDecoder::takeBlocks() {
  std::string all;
  while (true) {
    INGOT_ASSIGN_OR_RETURN(std::string_view size, take(1));
    if (size[0] == 0)
      return all;
    INGOT_ASSIGN_OR_RETURN(std::string_view block, take(byteAt(size, 0)));
    all += block;
  }
}

Status GifDecoder::readExtension(GifFrame &frame, bool &hasControl) {
  INGOT_ASSIGN_OR_RETURN(std::string_view label, take(1));
  INGOT_ASSIGN_OR_RETURN(std::string data, takeBlocks());
  constexpr int64_t graphicControl = 0xf9;
  if (byteAt(label, 0) != graphicControl || hasControl || data.size() < 4)
    return Status::ok();
  hasControl = true;
  if (data[0] & 1)
    frame.transparent = static_cast<int>(byteAt(data, 3));
  return Status::ok();
}

Status GifDecoder::readImage(GifFrame &frame) {
  INGOT_ASSIGN_OR_RETURN(std::string_view header, take(9));
  frame.left = wordAt(header, 0);
  frame.top = wordAt(header, 2);
  frame.width = wordAt(header, 4);
  frame.height = wordAt(header, 6);
  auto flags = static_cast<unsigned>(byteAt(header, 8));
  frame.isInterlaced = flags & 0x40;
  INGOT_ASSIGN_OR_RETURN(std::string_view own, takeColors(flags));
  frame.colors = own.empty() ? colors : own;
  INGOT_ASSIGN_OR_RETURN(std::string_view size, take(1));
  frame.codeSize = static_cast<int>(byteAt(size, 0));
  INGOT_ASSIGN_OR_RETURN(frame.codes, takeBlocks());
  std::string name = "frame " + std::to_string(all.size());
  if (frame.codeSize < 1 || frame.codeSize > 8)
    return invalid(name + " has codes of " + std::to_string(frame.codeSize) +
                   " bits, expected 1 to 8");
  if (frame.width == 0 || frame.height == 0)
    return invalid(name + " has no pixels");
  if (frame.colors.empty())
    return invalid("missing color map for " + name);
  return Status::ok();
}

Expected<bool> GifDecoder::readFrame() {
  GifFrame frame;
  bool hasControl = false;
  // As in TensorFlow, the file may end after any frame.
  while (!rest.empty()) {
    char kind = rest[0];
    rest.remove_prefix(1);
    if (kind == ';')
      return false;
    if (kind == '!') {
      INGOT_RETURN_IF_ERROR(readExtension(frame, hasControl));
      continue;
    }
    if (kind != ',')
      return invalid("a block of unknown kind " +
                     std::to_string(static_cast<uint8_t>(kind)));
    INGOT_RETURN_IF_ERROR(readImage(frame));
    all.push_back(std::move(frame));
    return true;
  }
  return false;
}

Status GifDecoder::open(std::string_view file, bool onlyFirst) {
  rest = file;
  INGOT_ASSIGN_OR_RETURN(std::string_view header, take(13));
  INGOT_ASSIGN_OR_RETURN(colors,
                         takeColors(static_cast<unsigned>(byteAt(header, 10))));
  while (true) {
    INGOT_ASSIGN_OR_RETURN(bool isThere, readFrame());
    if (!isThere)
      break;
    height = std::max(height, all.back().height);
    width = std::max(width, all.back().width);
  }
  if (all.empty())
    return invalid("No Image Descriptor detected: the file has no frame");
  if (onlyFirst)
    all.resize(1);
  frames = static_cast<int64_t>(all.size());
  channels = 3;
  constexpr int64_t most = int64_t(1) << 28;
  if (frames >= most / (width * height) + 1)
    return invalid(std::to_string(frames) + " frames of " +
                   std::to_string(width) + " by " + std::to_string(height) +
                   " pixels are too many: expected less than 2^28 pixels");
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Pixels
//===----------------------------------------------------------------------===//

/// Returns the row of the image that is stored as row `stored`: an interlaced
/// image has every eighth row first, then those between them.
static std::vector<int64_t> rowsOf(const GifFrame &frame) {
  std::vector<int64_t> rows;
  constexpr std::pair<int64_t, int64_t> passes[] = {
      {0, 8}, {4, 8}, {2, 4}, {1, 2}};
  if (!frame.isInterlaced)
    for (int64_t row = 0; row < frame.height; ++row)
      rows.push_back(row);
  else
    for (auto [first, step] : passes)
      for (int64_t row = first; row < frame.height; row += step)
        rows.push_back(row);
  return rows;
}

Status GifDecoder::paint(const GifFrame &frame, uint8_t *canvas, size_t index) {
  std::vector<uint8_t> indices(frame.width * frame.height);
  if (!GifLzwDecoder(frame).decode(indices))
    return invalid("the pixels of frame " + std::to_string(index) +
                   " are damaged or end early");
  auto count = static_cast<int>(frame.colors.size() / 3);
  const uint8_t *from = indices.data();
  for (int64_t row : rowsOf(frame)) {
    for (int64_t x = 0; x < frame.width; ++x) {
      int color = *from++;
      int64_t toX = frame.left + x, toY = frame.top + row;
      if (color == frame.transparent || toX >= width || toY >= height)
        continue;
      if (color >= count)
        return invalid("found color index " + std::to_string(color) +
                       " outside of color map range " + std::to_string(count));
      std::memcpy(canvas + (toY * width + toX) * 3,
                  frame.colors.data() + color * 3, 3);
    }
  }
  return Status::ok();
}

Status GifDecoder::read(void *pixels) {
  auto *canvas = static_cast<uint8_t *>(pixels);
  size_t size = height * width * 3;
  std::memset(canvas, 0, size);
  for (size_t i = 0; i < all.size(); ++i, canvas += size) {
    if (i > 0)
      std::memcpy(canvas, canvas - size, size);
    INGOT_RETURN_IF_ERROR(paint(all[i], canvas, i));
  }
  return Status::ok();
}

Expected<std::unique_ptr<ImageDecoder>>
ingot::ops::openGif(std::string_view bytes, bool onlyFirst) {
  auto decoder = std::make_unique<GifDecoder>();
  INGOT_RETURN_IF_ERROR(decoder->open(bytes, onlyFirst));
  return std::unique_ptr<ImageDecoder>(std::move(decoder));
}
