//===- Images.h - Images in files -------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Decoders of one format each, as TensorFlow uses the same libraries: a header
// is read first, which says how large the image is, and then its pixels, to
// where the caller has made room for them. Bytes may be anything.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_OPS_IMAGES_H
#define INGOT_RUNTIME_OPS_IMAGES_H

#include "runtime/Support/Expected.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace ingot::ops {

enum class ImageFormat { Unknown, Jpeg, Png, Gif, Bmp };

/// The format, as the file's first bytes tell it.
ImageFormat formatOf(std::string_view bytes);

/// An image whose header was read, and whose file outlives it.
class ImageDecoder {
public:
  virtual ~ImageDecoder();
  int64_t height = 0, width = 0;
  int64_t channels = 0;
  /// Pixels row by row with interleaved channels: numbers of 8 bits, or of the
  /// requested width.
  virtual Status read(void *pixels) = 0;
};

struct JpegOptions {
  int64_t channels = 0; // 0: as many as it has, but for a fourth
  int64_t ratio = 1;    // which each side is divided by
  bool fancyUpsampling = true;
  /// Whether the last row may replace missing ones where the file ends early.
  bool recoversTruncated = false;
  /// Otherwise this part of the rows is enough, and the others are black.
  float acceptableFraction = 1;
  bool isAccurate = false; // the inverse transform; else it is fast
  /// First row and column, height and width.
  std::optional<std::array<int64_t, 4>> window;
};

Expected<std::unique_ptr<ImageDecoder>> openJpeg(std::string_view bytes,
                                                 const JpegOptions &options);

/// With `channels` channels (0: as many as it has) of 8 bits, or of 16.
Expected<std::unique_ptr<ImageDecoder>> openPng(std::string_view bytes,
                                                int64_t channels, bool isWide);

Expected<std::unique_ptr<ImageDecoder>> openBmp(std::string_view bytes,
                                                int64_t channels);

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_IMAGES_H
