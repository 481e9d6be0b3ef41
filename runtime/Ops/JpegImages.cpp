//===- JpegImages.cpp - Decodes JPEG images by libjpeg-turbo --------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Decodes JPEG files with libjpeg. A truncated file gives the same rows as in
// TensorFlow: when the library is told that no more bytes are available now, it
// returns the rows decoded so far.
//===----------------------------------------------------------------------===//

#include "runtime/Ops/ImageDecoders.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <jpeglib.h>
#include <vector>

#include <jerror.h>

using namespace ingot;
using namespace ingot::ops;

namespace {

class JpegDecoder final : public ImageDecoder {
public:
  JpegDecoder(std::string_view file, const JpegOptions &options);
  ~JpegDecoder() override { jpeg_destroy_decompress(&jpeg); }

  Status open();
  Status read(void *pixels) override;

private:
  // On an error libjpeg longjmps out of these two functions, so they must not
  // have objects with destructors on their stack.
  bool tryOpen();
  bool tryRead(uint8_t *pixels);

  bool start();
  void chooseColors();
  bool readRow(uint8_t *row);
  Status failure() const;

  static JpegDecoder &of(j_common_ptr jpeg) {
    return *static_cast<JpegDecoder *>(jpeg->client_data);
  }
  static void fail(j_common_ptr jpeg);
  static void initSource(j_decompress_ptr) {}
  static boolean fillSource(j_decompress_ptr jpeg);
  static void skipSource(j_decompress_ptr jpeg, long count);

  std::string_view file;
  JpegOptions options;
  jpeg_decompress_struct jpeg = {};
  jpeg_error_mgr errors = {};
  jpeg_source_mgr source = {};
  std::jmp_buf onFailure = {};
  char message[JMSG_LENGTH_MAX] = {};
  /// A buffer for one decoded row. It is needed if the decoded row differs from
  /// the result's: CMYK instead of RGB, or columns outside the crop window.
  std::vector<uint8_t> row;
  int64_t rowsRead = 0;
  /// The number of bytes that fillSource() has passed to libjpeg more than
  /// once, at most `mostRepeated`. Millions are normal: if half of a file is
  /// missing, its last few bytes are repeated until all rows are decoded.
  size_t repeated = 0;
  static constexpr size_t mostRepeated = size_t(1) << 25;
  /// For a crop window: the number of rows above the window, and the number of
  /// bytes at the start of each decoded row that are left of the window.
  int64_t rowsSkipped = 0, bytesSkipped = 0;
};

} // namespace

JpegDecoder::JpegDecoder(std::string_view file, const JpegOptions &options)
    : file(file), options(options) {
  jpeg.err = jpeg_std_error(&errors);
  errors.error_exit = fail;
  // Do not print libjpeg's warnings. (TensorFlow logs them.)
  errors.output_message = [](j_common_ptr) {};
  jpeg.client_data = this;
  source.next_input_byte = reinterpret_cast<const JOCTET *>(file.data());
  source.bytes_in_buffer = file.size();
  source.init_source = initSource;
  source.fill_input_buffer = fillSource;
  source.skip_input_data = skipSource;
  source.resync_to_restart = jpeg_resync_to_restart;
  source.term_source = initSource;
}

void JpegDecoder::fail(j_common_ptr jpeg) {
  JpegDecoder &decoder = of(jpeg);
  jpeg->err->format_message(jpeg, decoder.message);
  std::longjmp(decoder.onFailure, 1);
}

/// libjpeg calls this when it needs more bytes than are left. As in TensorFlow,
/// delivers the unused bytes again, from the position at which libjpeg last
/// stopped. libjpeg may search for a marker that the file lacks, so only a
/// limited number of bytes is repeated. After these, delivers an end marker.
boolean JpegDecoder::fillSource(j_decompress_ptr jpeg) {
  static const JOCTET end[2] = {0xff, JPEG_EOI};
  JpegDecoder &decoder = of(reinterpret_cast<j_common_ptr>(jpeg));
  jpeg_source_mgr &source = *jpeg->src;
  bool recovers = decoder.options.recoversTruncated;
  if (source.bytes_in_buffer != 0 && !recovers)
    return false;
  if (!recovers || source.next_input_byte == end)
    ERREXIT(jpeg, JERR_FILE_READ);
  decoder.repeated += source.bytes_in_buffer;
  if (source.bytes_in_buffer != 0 && decoder.repeated <= mostRepeated)
    return true;
  source.next_input_byte = end;
  source.bytes_in_buffer = sizeof(end);
  return true;
}

void JpegDecoder::skipSource(j_decompress_ptr jpeg, long count) {
  if (count < 0)
    return;
  if (static_cast<size_t>(count) > jpeg->src->bytes_in_buffer) {
    jpeg->src->bytes_in_buffer = 0;
    fillSource(jpeg);
    return;
  }
  jpeg->src->bytes_in_buffer -= static_cast<size_t>(count);
  jpeg->src->next_input_byte += count;
}

Status JpegDecoder::failure() const {
  return Status(StatusCode::InvalidArgument,
                "Invalid JPEG data of " + std::to_string(file.size()) +
                    " bytes" + (*message ? ": " + std::string(message) : ""));
}

/// Chooses the color space of decoded rows. Files with four color components
/// (inks) are decoded to CMYK, which `readRow` converts to RGB.
void JpegDecoder::chooseColors() {
  bool areInks =
      jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK;
  jpeg.out_color_space = channels == 1 ? JCS_GRAYSCALE
                         : areInks     ? JCS_CMYK
                                       : JCS_RGB;
}

bool JpegDecoder::tryOpen() {
  if (setjmp(onFailure) != 0)
    return false;
  jpeg_create_decompress(&jpeg);
  jpeg.src = &source;
  if (jpeg_read_header(&jpeg, true) != JPEG_HEADER_OK)
    return false;
  channels = options.channels != 0 ? options.channels
                                   : std::min(jpeg.num_components, 3);
  if (channels != 1 && channels != 3)
    return false;
  chooseColors();
  jpeg.do_fancy_upsampling = options.fancyUpsampling;
  jpeg.scale_num = 1;
  jpeg.scale_denom = static_cast<unsigned>(options.ratio);
  jpeg.dct_method = options.isAccurate ? JDCT_ISLOW : JDCT_IFAST;
  jpeg_calc_output_dimensions(&jpeg);
  return true;
}

Status JpegDecoder::open() {
  if (!tryOpen())
    return failure();
  height = jpeg.output_height;
  width = jpeg.output_width;
  // libjpeg does not limit the size of an image, so do it before memory is
  // allocated.
  if (height <= 0 || width <= 0 ||
      height * width * jpeg.num_components >= int64_t(1) << 29)
    return Status(StatusCode::InvalidArgument,
                  "a JPEG of " + std::to_string(height) + " by " +
                      std::to_string(width) +
                      " pixels is too large: height times width times channels "
                      "must be below 2^29");
  if (!options.window)
    return Status::ok();
  auto [y, x, windowHeight, windowWidth] = *options.window;
  if (windowHeight <= 0 || windowWidth <= 0 || y < 0 || x < 0 ||
      y > height - windowHeight || x > width - windowWidth)
    return Status(StatusCode::InvalidArgument,
                  "Invalid JPEG data or crop window: a window of " +
                      std::to_string(windowHeight) + " by " +
                      std::to_string(windowWidth) + " pixels at row " +
                      std::to_string(y) + " and column " + std::to_string(x) +
                      " is outside a JPEG of " + std::to_string(height) +
                      " by " + std::to_string(width));
  height = windowHeight;
  width = windowWidth;
  return Status::ok();
}

/// Starts decompression and skips the rows above a crop window. libjpeg crops
/// columns at block boundaries only, so a row may begin to the left of the
/// window.
bool JpegDecoder::start() {
  if (!jpeg_start_decompress(&jpeg))
    return false;
  if (!options.window)
    return true;
  auto x = static_cast<JDIMENSION>((*options.window)[1]);
  auto columns = static_cast<JDIMENSION>(width);
  jpeg_crop_scanline(&jpeg, &x, &columns);
  auto above = static_cast<JDIMENSION>((*options.window)[0]);
  if (jpeg_skip_scanlines(&jpeg, above) != above)
    return false;
  rowsSkipped = above;
  bytesSkipped = (static_cast<int64_t>(jpeg.output_width) - width) *
                 jpeg.output_components;
  return true;
}

/// Reads a row to `to`. Returns false if there are no more rows.
bool JpegDecoder::readRow(uint8_t *to) {
  bool areInks = jpeg.out_color_space == JCS_CMYK;
  uint8_t *from = areInks || bytesSkipped != 0 ? row.data() : to;
  if (jpeg_read_scanlines(&jpeg, &from, 1) == 0)
    return false;
  if (from == to)
    return true;
  from += bytesSkipped;
  if (!areInks) {
    std::memcpy(to, from, static_cast<size_t>(width * channels));
    return true;
  }
  // Files with an Adobe marker store inverted inks (255: no ink); others store
  // the amount of ink.
  for (int64_t x = 0; x < width; ++x, from += 4, to += 3)
    for (int color = 0; color < 3; ++color)
      to[color] = static_cast<uint8_t>(
          jpeg.saw_Adobe_marker ? from[3] * from[color] / 255
                                : (255 - from[3]) * (255 - from[color]) / 255);
  return true;
}

bool JpegDecoder::tryRead(uint8_t *pixels) {
  if (setjmp(onFailure) != 0)
    return false;
  if (!start())
    return false;
  row.resize(static_cast<size_t>(jpeg.output_width) * 4);
  int64_t stride = width * channels;
  for (; rowsRead < height; ++rowsRead)
    if (!readRow(pixels + rowsRead * stride))
      break;
  if (rowsRead < height && !options.recoversTruncated) {
    jpeg_abort_decompress(&jpeg);
    return true;
  }
  for (int64_t y = rowsRead; y < height; ++y) {
    uint8_t *to = pixels + y * stride;
    if (y == 0)
      std::memset(to, 0, static_cast<size_t>(stride));
    else
      std::memcpy(to, to - stride, static_cast<size_t>(stride));
  }
  if (rowsRead < height)
    jpeg.output_scanline = static_cast<JDIMENSION>(rowsSkipped + height);
  rowsRead = height;
  if (options.window && jpeg.output_scanline < jpeg.output_height)
    jpeg_skip_scanlines(&jpeg, jpeg.output_height - static_cast<JDIMENSION>(
                                                        rowsSkipped + height));
  jpeg_finish_decompress(&jpeg);
  return true;
}

Status JpegDecoder::read(void *pixels) {
  auto *bytes = static_cast<uint8_t *>(pixels);
  if (!tryRead(bytes))
    return failure();
  if (rowsRead == height)
    return Status::ok();
  float fraction = static_cast<float>(rowsRead) / static_cast<float>(height);
  if (fraction < std::min(1.0f, options.acceptableFraction))
    return Status(StatusCode::InvalidArgument,
                  "Invalid JPEG data: the file of " +
                      std::to_string(file.size()) + " bytes ends after " +
                      std::to_string(rowsRead) + " of " +
                      std::to_string(height) + " rows");
  int64_t stride = width * channels;
  std::memset(bytes + rowsRead * stride, 0,
              static_cast<size_t>((height - rowsRead) * stride));
  return Status::ok();
}

Expected<std::unique_ptr<ImageDecoder>>
ingot::ops::openJpeg(std::string_view bytes, const JpegOptions &options) {
  auto decoder = std::make_unique<JpegDecoder>(bytes, options);
  INGOT_RETURN_IF_ERROR(decoder->open());
  return std::unique_ptr<ImageDecoder>(std::move(decoder));
}
