//===- ImageDecoders.h - Image decoders -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Image decoders, one per format, with the libraries that TensorFlow uses. A
// decoder first reads the header, which states the image's size, and then the
// pixels, into memory that the caller has allocated. Damaged files lead to
// errors, never to invalid accesses.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_OPS_IMAGEDECODERS_H
#define INGOT_RUNTIME_OPS_IMAGEDECODERS_H

#include "runtime/Support/Expected.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace ingot::ops {

enum class ImageFormat { Unknown, Jpeg, Png, Gif, Bmp };

/// Returns the format that the file's first bytes identify.
ImageFormat formatOf(std::string_view bytes);

/// An image whose header has been read. Its file must outlive the decoder.
class ImageDecoder {
public:
  virtual ~ImageDecoder();
  int64_t height = 0, width = 0;
  int64_t channels = 0;
  int64_t frames = 1; // only a GIF may have more than one
  /// Reads all pixels, row by row with interleaved channels, as values of 8
  /// bits or of the requested width. If there are several frames, stores them
  /// one after the other.
  virtual Status read(void *pixels) = 0;
};

struct JpegOptions {
  int64_t channels = 0; // 0: as in the file, but at most 3
  int64_t ratio = 1;    // height and width are divided by this
  bool fancyUpsampling = true;
  /// If true, the missing rows of a truncated file repeat the last row that it
  /// has.
  bool recoversTruncated = false;
  /// If `recoversTruncated` is false: the fraction of the rows that a truncated
  /// file must have. The missing rows are black.
  float acceptableFraction = 1;
  bool isAccurate = false; // accurate inverse DCT rather than the fast one
  /// The crop window: first row, first column, height and width.
  std::optional<std::array<int64_t, 4>> window;
};

Expected<std::unique_ptr<ImageDecoder>> openJpeg(std::string_view bytes,
                                                 const JpegOptions &options);

/// Opens a PNG file. Its pixels are read with `channels` channels (0: as many
/// as the file has) of 8 bits, or of 16 bits if `isWide`.
Expected<std::unique_ptr<ImageDecoder>> openPng(std::string_view bytes,
                                                int64_t channels, bool isWide);

Expected<std::unique_ptr<ImageDecoder>> openBmp(std::string_view bytes,
                                                int64_t channels);

/// Opens a GIF file, which has three channels, with all of its frames or only
/// with the first.
Expected<std::unique_ptr<ImageDecoder>> openGif(std::string_view bytes,
                                                bool onlyFirst);

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_IMAGEDECODERS_H
