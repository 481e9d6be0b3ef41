//===- DecodeImage.cpp - Ops that decode images ---------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops that decode JPEG, PNG, BMP and GIF files. As in TensorFlow, the ops for
// JPEG and PNG also decode files of the other of these two formats, and GIF
// files of one frame. The ops are in a file of their own, so that trainers
// without image ops do not link libjpeg and libpng.
//===----------------------------------------------------------------------===//

#include "runtime/Ops/ImageDecoders.h"
#include "runtime/Ops/OpKernelContext.h"

#include <vector>

using namespace ingot;
using namespace ingot::ops;

ImageDecoder::~ImageDecoder() = default;

ImageFormat ingot::ops::formatOf(std::string_view bytes) {
  using namespace std::literals;
  if (bytes.starts_with("\xff\xd8\xff"sv))
    return ImageFormat::Jpeg;
  if (bytes.starts_with("\x89PNG\r\n\x1a\n"sv))
    return ImageFormat::Png;
  if (bytes.starts_with("GIF8"sv))
    return ImageFormat::Gif;
  return bytes.starts_with("BM"sv) ? ImageFormat::Bmp : ImageFormat::Unknown;
}

static JpegOptions jpegOptions(const OpKernelContext &op) {
  JpegOptions options;
  options.channels = op.integer("channels", 0);
  options.ratio = op.integer("ratio", 1);
  options.fancyUpsampling = op.flag("fancy_upscaling", true);
  options.recoversTruncated = op.flag("try_recover_truncated");
  options.acceptableFraction =
      static_cast<float>(op.number("acceptable_fraction", 1));
  options.isAccurate = op.text("dct_method") == "INTEGER_ACCURATE";
  return options;
}

static Status isNotDecoded(const OpKernelContext &op, std::string_view bytes) {
  if (bytes.empty())
    return op.invalid("the image file is empty");
  return op.invalid(
      "Unknown image file format; expected JPEG, PNG, GIF or BMP");
}

/// Opens a GIF file for an op whose result is one image.
static Expected<std::unique_ptr<ImageDecoder>>
openOneFrame(const OpKernelContext &op, std::string_view bytes,
             bool onlyFirst) {
  int64_t channels = op.integer("channels", 0);
  if (channels != 0 && channels != 3)
    return op.invalid("channels must be 0 or 3 for GIF, but got " +
                      std::to_string(channels));
  INGOT_ASSIGN_OR_RETURN(auto decoder, openGif(bytes, onlyFirst));
  if (decoder->frames > 1)
    return op.invalid("Got " + std::to_string(decoder->frames) +
                      " frames, but animated gifs can only be decoded by "
                      "tf.io.decode_gif");
  return decoder;
}

/// Opens a JPEG file, with 8-bit values, or a PNG file, with 8-bit or
/// (`isWide`) 16-bit values.
static Expected<std::unique_ptr<ImageDecoder>>
openAny(const OpKernelContext &op, std::string_view bytes, bool isWide) {
  if (formatOf(bytes) == ImageFormat::Png)
    return openPng(bytes, op.integer("channels", 0), isWide);
  if (formatOf(bytes) == ImageFormat::Gif)
    return openOneFrame(op, bytes, /*onlyFirst=*/false);
  if (formatOf(bytes) != ImageFormat::Jpeg)
    return isNotDecoded(op, bytes);
  if (op.integer("channels", 0) == 4)
    return op.invalid("channels=4 is not valid for JPEG, expected 0, 1 or 3");
  return openJpeg(bytes, jpegOptions(op));
}

/// Reads pixels of type StoredT and converts them to the result's type T,
/// multiplied by `scale`.
template <typename StoredT, typename T>
static Status readScaled(OpKernelContext &op, ImageDecoder &decoder, T scale) {
  INGOT_ASSIGN_OR_RETURN(
      auto pixels,
      op.output<T>(0, {decoder.height, decoder.width, decoder.channels}));
  std::vector<StoredT> stored(pixels.size());
  INGOT_RETURN_IF_ERROR(decoder.read(stored.data()));
  for (size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = static_cast<T>(static_cast<T>(stored[i]) * scale);
  return Status::ok();
}

static Status readAsStored(OpKernelContext &op, ImageDecoder &decoder) {
  INGOT_ASSIGN_OR_RETURN(
      void *pixels, op.allocate(0, std::array{decoder.height, decoder.width,
                                              decoder.channels}));
  return decoder.read(pixels);
}

/// Reads all pixels. `isWide`: the decoder's values have 16 bits.
static Status readPixels(OpKernelContext &op, ImageDecoder &decoder,
                         bool isWide) {
  switch (op.outputType(0)) {
  case INGOT_FLOAT:
    return isWide ? readScaled<uint16_t>(op, decoder, float(1.0 / UINT16_MAX))
                  : readScaled<uint8_t>(op, decoder, float(1.0 / UINT8_MAX));
  case INGOT_UINT16:
    return isWide ? readAsStored(op, decoder)
                  : readScaled<uint8_t>(op, decoder, uint16_t(256));
  default:
    return readAsStored(op, decoder);
  }
}

INGOT_RUNTIME_OP(decode_jpeg) {
  INGOT_ASSIGN_OR_RETURN(auto decoder, openAny(op, op.input(0).text(0), false));
  return readPixels(op, *decoder, false);
}

INGOT_RUNTIME_OP(decode_and_crop_jpeg) {
  std::string_view bytes = op.input(0).text(0);
  if (formatOf(bytes) != ImageFormat::Jpeg)
    return isNotDecoded(op, bytes);
  OpInput window = op.input(1);
  if (window.rank() != 1 || window.numElements() != 4)
    return op.invalid(
        "crop_window must be a vector of 4 elements, but has shape " +
        dimsText(window.dims()));
  JpegOptions options = jpegOptions(op);
  options.window = {window.integer(0), window.integer(1), window.integer(2),
                    window.integer(3)};
  INGOT_ASSIGN_OR_RETURN(auto decoder, openJpeg(bytes, options));
  return readPixels(op, *decoder, false);
}

INGOT_RUNTIME_OP(decode_png) {
  std::string_view bytes = op.input(0).text(0);
  bool isWide =
      formatOf(bytes) == ImageFormat::Png && op.outputType(0) != INGOT_UINT8;
  INGOT_ASSIGN_OR_RETURN(auto decoder, openAny(op, bytes, isWide));
  return readPixels(op, *decoder, isWide);
}

INGOT_RUNTIME_OP(decode_bmp) {
  std::string_view bytes = op.input(0).text(0);
  if (formatOf(bytes) != ImageFormat::Bmp)
    return isNotDecoded(op, bytes);
  INGOT_ASSIGN_OR_RETURN(auto decoder,
                         openBmp(bytes, op.integer("channels", 0)));
  return readPixels(op, *decoder, false);
}

INGOT_RUNTIME_OP(decode_gif) {
  std::string_view bytes = op.input(0).text(0);
  if (formatOf(bytes) != ImageFormat::Gif)
    return isNotDecoded(op, bytes);
  INGOT_ASSIGN_OR_RETURN(auto decoder, openGif(bytes, /*onlyFirst=*/false));
  INGOT_ASSIGN_OR_RETURN(
      auto pixels, op.output<uint8_t>(0, {decoder->frames, decoder->height,
                                          decoder->width, decoder->channels}));
  return decoder->read(pixels.data());
}

INGOT_RUNTIME_OP(decode_image) {
  std::string_view bytes = op.input(0).text(0);
  int64_t channels = op.integer("channels", 0);
  ImageFormat format = formatOf(bytes);
  bool isWide = format == ImageFormat::Png && op.outputType(0) != INGOT_UINT8;
  if (format == ImageFormat::Bmp && channels == 1)
    return op.invalid("channels=1 is not valid for BMP, expected 0, 3 or 4");
  // With `expand_animations`, TensorFlow decodes a GIF to 4 dimensions and any
  // other format to 3. The compiled program needs the rank at compile time, so
  // a GIF is an error here.
  bool expands = op.flag("expand_animations", true);
  if (format == ImageFormat::Gif && expands)
    return op.invalid("a GIF is decoded to 4 dimensions; pass "
                      "expand_animations=False, or use tf.io.decode_gif");
  INGOT_ASSIGN_OR_RETURN(auto decoder,
                         format == ImageFormat::Bmp ? openBmp(bytes, channels)
                         : format == ImageFormat::Gif
                             ? openOneFrame(op, bytes, /*onlyFirst=*/true)
                             : openAny(op, bytes, isWide));
  return readPixels(op, *decoder, isWide);
}
