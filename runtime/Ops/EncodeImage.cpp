//===- EncodeImage.cpp - Ops that encode images ---------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops that encode images as PNG and JPEG files, with the settings of
// TensorFlow's kernels. The ops are in a file of their own, so that trainers
// that only decode images do not link this code.
//===----------------------------------------------------------------------===//

#include "runtime/Ops/OpKernelContext.h"

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <jpeglib.h>
#include <png.h>

#include <jerror.h>

using namespace ingot;
using namespace ingot::ops;

//===----------------------------------------------------------------------===//
// PNG
//===----------------------------------------------------------------------===//

namespace {

/// An image whose rows follow each other, with interleaved channels.
struct InterleavedImageView {
  const uint8_t *data;
  int64_t height, width, channels;
  int bits; // of a channel

  int64_t rowBytes() const { return width * channels * bits / 8; }
};

class PngEncoder {
public:
  explicit PngEncoder(std::string &file) : file(file) {}
  ~PngEncoder() { png_destroy_write_struct(&png, info ? &info : nullptr); }

  Status write(const InterleavedImageView &image, int level) {
    if (tryWrite(image, level))
      return Status::ok();
    return Status(StatusCode::Internal,
                  "PNG encoding failed: " + std::string(message));
  }

private:
  // On an error libpng longjmps out of this function, so it must not have
  // objects with destructors on its stack.
  bool tryWrite(const InterleavedImageView &image, int level);

  static PngEncoder &of(png_structp png) {
    return *static_cast<PngEncoder *>(png_get_error_ptr(png));
  }
  static void fail(png_structp png, png_const_charp text) {
    PngEncoder &encoder = of(png);
    std::strncpy(encoder.message, text, sizeof(encoder.message) - 1);
    std::longjmp(encoder.onFailure, 1);
  }
  static void take(png_structp png, png_bytep bytes, size_t size) {
    of(png).file.append(reinterpret_cast<const char *>(bytes), size);
  }

  std::string &file;
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::jmp_buf onFailure = {};
  char message[128] = {};
};

} // namespace

bool PngEncoder::tryWrite(const InterleavedImageView &image, int level) {
  if (setjmp(onFailure) != 0)
    return false;
  png = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, fail,
                                [](png_structp, png_const_charp) {});
  info = png ? png_create_info_struct(png) : nullptr;
  if (!info)
    return false;
  constexpr int colorTypes[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  constexpr int mostMemory = 9; // zlib's MAX_MEM_LEVEL
  png_set_write_fn(png, this, take, nullptr);
  if (level >= 0)
    png_set_compression_level(png, level);
  png_set_compression_mem_level(png, mostMemory);
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width),
               static_cast<png_uint_32>(image.height), image.bits,
               colorTypes[image.channels - 1], PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  // PNG stores 16-bit values in big-endian order.
  if (image.bits > 8)
    png_set_swap(png);
  for (int64_t y = 0; y < image.height; ++y)
    png_write_row(png, image.data + y * image.rowBytes());
  png_write_end(png, nullptr);
  return true;
}

// Encodes each image of a batch of any rank.
INGOT_RUNTIME_OP(encode_png) {
  OpInput images = op.input(0);
  if (images.rank() < 3)
    return op.invalid("images must be at least rank 3, but have shape " +
                      dimsText(images.dims()));
  Dims batch = images.dims().first(images.rank() - 3);
  Dims sizes = images.dims().last(3);
  if (sizes[2] < 1 || sizes[2] > 4)
    return op.invalid("image must have 1, 2, 3, or 4 channels, got " +
                      std::to_string(sizes[2]));
  if (sizes[0] > INT32_MAX || sizes[1] > INT32_MAX)
    return op.invalid(
        "image is too large to be a PNG: " + dimsText(images.dims()) +
        ", expected a height and width of at most " +
        std::to_string(INT32_MAX));
  InterleavedImageView image = {static_cast<const uint8_t *>(images.data()),
                                sizes[0], sizes[1], sizes[2],
                                images.dtype() == INGOT_UINT16 ? 16 : 8};
  auto level = static_cast<int>(op.integer("compression", -1));
  INGOT_ASSIGN_OR_RETURN(auto files, op.output<ingot_string>(0, batch));
  for (ingot_string &file : files) {
    std::string bytes;
    INGOT_RETURN_IF_ERROR(PngEncoder(bytes).write(image, level));
    INGOT_ASSIGN_OR_RETURN(file, op.string(bytes));
    image.data += image.rowBytes() * image.height;
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// JPEG
//===----------------------------------------------------------------------===//

namespace {

struct JpegEncoderOptions {
  int quality;
  bool isProgressive, optimizesTables, halvesColors;
  uint8_t densityUnit; // 1: pixels per inch, 2: per centimeter
  uint16_t densityOfX, densityOfY;
  std::string_view metadata; // XMP, or empty
};

class JpegEncoder {
public:
  JpegEncoder() {
    jpeg.err = jpeg_std_error(&errors);
    errors.error_exit = fail;
    errors.output_message = [](j_common_ptr) {};
    jpeg.client_data = this;
  }
  ~JpegEncoder() {
    jpeg_destroy_compress(&jpeg);
    std::free(bytes);
  }

  Status write(const InterleavedImageView &image,
               const JpegEncoderOptions &settings) {
    if (image.height >= 1 && image.width >= 1 && tryWrite(image, settings))
      return Status::ok();
    return Status(StatusCode::Internal,
                  "JPEG encoding failed: " + (message[0] != 0
                                                  ? std::string(message)
                                                  : "the image is empty"));
  }
  std::string_view file() const {
    return {reinterpret_cast<const char *>(bytes), size};
  }

private:
  // On an error libjpeg longjmps out of this function, so it must not have
  // objects with destructors on its stack.
  bool tryWrite(const InterleavedImageView &image,
                const JpegEncoderOptions &settings);
  void configure(const InterleavedImageView &image,
                 const JpegEncoderOptions &settings);

  static void fail(j_common_ptr jpeg) {
    auto &encoder = *static_cast<JpegEncoder *>(jpeg->client_data);
    jpeg->err->format_message(jpeg, encoder.message);
    std::longjmp(encoder.onFailure, 1);
  }

  jpeg_compress_struct jpeg = {};
  jpeg_error_mgr errors = {};
  std::jmp_buf onFailure = {};
  char message[JMSG_LENGTH_MAX] = {};
  unsigned char *bytes = nullptr; // allocated by the library
  unsigned long size = 0;
};

} // namespace

void JpegEncoder::configure(const InterleavedImageView &image,
                            const JpegEncoderOptions &settings) {
  jpeg.image_width = static_cast<JDIMENSION>(image.width);
  jpeg.image_height = static_cast<JDIMENSION>(image.height);
  jpeg.input_components = static_cast<int>(image.channels);
  jpeg.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&jpeg);
  if (settings.optimizesTables)
    jpeg.optimize_coding = TRUE;
  jpeg.density_unit = settings.densityUnit;
  jpeg.X_density = settings.densityOfX;
  jpeg.Y_density = settings.densityOfY;
  jpeg_set_quality(&jpeg, settings.quality, TRUE);
  if (settings.isProgressive)
    jpeg_simple_progression(&jpeg);
  // By default, libjpeg halves the resolution of the color (chroma) components.
  if (!settings.halvesColors)
    for (int i = 0; i < jpeg.num_components; ++i)
      jpeg.comp_info[i].h_samp_factor = jpeg.comp_info[i].v_samp_factor = 1;
}

bool JpegEncoder::tryWrite(const InterleavedImageView &image,
                           const JpegEncoderOptions &settings) {
  if (setjmp(onFailure) != 0)
    return false;
  jpeg_create_compress(&jpeg);
  jpeg_mem_dest(&jpeg, &bytes, &size);
  configure(image, settings);
  jpeg_start_compress(&jpeg, TRUE);
  // XMP metadata is stored in an APP1 marker, after this name and a 0 byte.
  static constexpr std::string_view name("http://ns.adobe.com/xap/1.0/\0", 29);
  if (!settings.metadata.empty()) {
    jpeg_write_m_header(
        &jpeg, JPEG_APP0 + 1,
        static_cast<unsigned>(name.size() + settings.metadata.size()));
    for (std::string_view part : {name, settings.metadata})
      for (char byte : part)
        jpeg_write_m_byte(&jpeg, static_cast<uint8_t>(byte));
  }
  for (int64_t y = 0; y < image.height; ++y) {
    auto *row = const_cast<uint8_t *>(image.data + y * image.rowBytes());
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  return true;
}

INGOT_RUNTIME_OP(encode_jpeg) {
  OpInput image = op.input(0);
  if (image.rank() != 3)
    return op.invalid("image must be 3-dimensional, but has shape " +
                      dimsText(image.dims()));
  std::string_view format = op.text("format");
  int64_t channels = image.dim(2);
  int64_t expected = format == "grayscale" ? 1 : format == "rgb" ? 3 : channels;
  if (channels != expected)
    return op.invalid("format " + std::string(format) + " expects " +
                      std::to_string(expected) + " channels, got " +
                      dimsText(image.dims()));
  if (channels != 1 && channels != 3)
    return op.invalid("image must have 1 or 3 channels, got " +
                      dimsText(image.dims()));
  // A marker of a JPEG file states its size in 16 bits, so it holds less than
  // 64 KiB.
  constexpr size_t mostMetadata = 65000;
  JpegEncoderOptions settings = {
      static_cast<int>(op.integer("quality", 95)),
      op.flag("progressive"),
      op.flag("optimize_size"),
      op.flag("chroma_downsampling", true),
      static_cast<uint8_t>(op.text("density_unit", "in") == "cm" ? 2 : 1),
      static_cast<uint16_t>(op.integer("x_density", 300)),
      static_cast<uint16_t>(op.integer("y_density", 300)),
      op.text("xmp_metadata")};
  if (settings.metadata.size() > mostMetadata)
    return op.invalid(
        "xmp_metadata has " + std::to_string(settings.metadata.size()) +
        " bytes; a JPEG holds at most " + std::to_string(mostMetadata));
  JpegEncoder encoder;
  INGOT_RETURN_IF_ERROR(encoder.write(
      {image.as<uint8_t>().data(), image.dim(0), image.dim(1), channels, 8},
      settings));
  INGOT_ASSIGN_OR_RETURN(auto file, op.output<ingot_string>(0, {}));
  INGOT_ASSIGN_OR_RETURN(file[0], op.string(encoder.file()));
  return Status::ok();
}
