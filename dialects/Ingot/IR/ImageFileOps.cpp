//===- ImageFileOps.cpp - Shapes of images in files -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ImageFileOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/ShapeInference.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotImageFileOps.cpp.inc"

void mlir::ingot::addImageFileOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotImageFileOps.cpp.inc"
      >();
}

LogicalResult ReadFileOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  // The name must be a scalar (read_file_c1).
  if (failed(verifyScalar(loc, adaptor.getFilename(), "a file's name")))
    return failure();
  types.push_back(RankedTensorType::get({}, StringType::get(context)));
  return success();
}

LogicalResult WriteFileOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &) {
  // The name and the contents must be scalars (write_file_c1).
  if (failed(verifyScalar(loc, adaptor.getFilename(), "a file's name")))
    return failure();
  return verifyScalar(loc, adaptor.getContents(), "a file's contents");
}

LogicalResult MatchingFilesOp::inferReturnTypes(MLIRContext *context,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  Type pattern = adaptor.getPattern().getType();
  // The patterns must be a scalar or a vector (matching_files_c1).
  if (!mayHaveRank(pattern, 0) && !mayHaveRank(pattern, 1))
    return emitOptionalError(
        loc, "Input patterns tensor must be scalar or vector, but had shape: ",
        toString(getTensorShape(pattern)));
  types.push_back(
      RankedTensorType::get({ShapedType::kDynamic}, StringType::get(context)));
  return success();
}

/// Infers the shape [height, width, channels] of a decoded image. The file
/// determines height and width, and also the channels if `channels` is 0.
static LogicalResult inferImage(std::optional<Location> loc, Value contents,
                                int64_t channels,
                                ArrayRef<int64_t> allowedChannels, Type element,
                                SmallVectorImpl<Type> &types) {
  if (failed(verifyScalar(loc, contents, "the contents of an image file")))
    return failure();
  if (!llvm::is_contained(allowedChannels, channels))
    return emitOptionalError(loc, "images of this format cannot be decoded to ",
                             channels, " channels: expected one of ",
                             allowedChannels, " (0: as many as the file has)");
  types.push_back(
      RankedTensorType::get({ShapedType::kDynamic, ShapedType::kDynamic,
                             channels != 0 ? channels : ShapedType::kDynamic},
                            element));
  return success();
}

static Type byteType(MLIRContext *context) {
  return IntegerType::get(context, 8, IntegerType::Unsigned);
}

/// Infers the result of ops that read JPEGs, after checking their attributes.
/// `inferImage` checks that the file's bytes are a scalar.
template <typename AdaptorT>
static LogicalResult inferJpeg(MLIRContext *context,
                               std::optional<Location> loc, AdaptorT adaptor,
                               SmallVectorImpl<Type> &types) {
  // The file's bytes must be a scalar (decode_jpeg_c1). There must be 0, 1 or 3
  // channels (decode_jpeg_c2).
  if (failed(inferImage(loc, adaptor.getContents(), adaptor.getChannels(),
                        {0, 1, 3}, byteType(context), types)))
    return failure();
  // The ratio must be 1, 2, 4 or 8 (decode_jpeg_c3).
  if (!llvm::is_contained({1, 2, 4, 8}, adaptor.getRatio()))
    return emitOptionalError(loc, "ratio must be 1, 2, 4, or 8, got ",
                             adaptor.getRatio());
  // `dct_method` must be INTEGER_FAST, INTEGER_ACCURATE or empty
  // (decode_jpeg_c4).
  if (!llvm::is_contained(
          ArrayRef<StringRef>{"", "INTEGER_FAST", "INTEGER_ACCURATE"},
          adaptor.getDctMethod()))
    return emitOptionalError(loc,
                             "dct_method must be one of {'', 'INTEGER_FAST', "
                             "'INTEGER_ACCURATE'}, got '",
                             adaptor.getDctMethod(), "'");
  return success();
}

LogicalResult DecodeJpegOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  return inferJpeg(context, loc, adaptor, types);
}

LogicalResult DecodeAndCropJpegOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Type window = adaptor.getWindow().getType();
  // The window must be a vector of four numbers (decode_and_crop_jpeg_c2).
  if (!mayHaveRank(window, 1) || !areCompatibleDims(getDim(window, 0), 4))
    return emitOptionalError(
        loc, "the crop window must be a vector of four numbers, but has shape ",
        toString(getTensorShape(window)));
  // The file's bytes must be a scalar (decode_and_crop_jpeg_c1), and the
  // attributes must have values that decode_jpeg accepts
  // (decode_and_crop_jpeg_c3).
  return inferJpeg(context, loc, adaptor, types);
}

LogicalResult DecodePngOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  Type type = adaptor.getOutputType();
  // `output_type` must be ui8 or ui16 (decode_png_c3).
  if (!type.isUnsignedInteger(8) && !type.isUnsignedInteger(16))
    return emitOptionalError(loc, "pixels of a PNG are uint8 or uint16, not ",
                             type);
  // The file's bytes must be a scalar (decode_png_c1). There must be 0, 1, 3 or
  // 4 channels (decode_png_c2).
  return inferImage(loc, adaptor.getContents(), adaptor.getChannels(),
                    {0, 1, 3, 4}, type, types);
}

LogicalResult DecodeBmpOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  // The file's bytes must be a scalar (decode_bmp_c1). There must be 0, 3 or 4
  // channels (decode_bmp_c2).
  return inferImage(loc, adaptor.getContents(), adaptor.getChannels(),
                    {0, 3, 4}, byteType(context), types);
}

LogicalResult DecodeGifOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  // The file's bytes must be a scalar (decode_gif_c1).
  if (failed(verifyScalar(loc, adaptor.getContents(),
                          "the contents of an image file")))
    return failure();
  constexpr int64_t open = ShapedType::kDynamic;
  types.push_back(
      RankedTensorType::get({open, open, open, 3}, byteType(context)));
  return success();
}

LogicalResult DecodeImageOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  Type type = adaptor.getOutputType();
  // `output_type` must be ui8, ui16 or f32 (decode_image_c3).
  if (!type.isUnsignedInteger(8) && !type.isUnsignedInteger(16) &&
      !type.isF32())
    return emitOptionalError(
        loc, "pixels of an image are uint8, uint16 or float32, not ", type);
  // The file's bytes must be a scalar (decode_image_c1). There must be 0, 1, 3
  // or 4 channels (decode_image_c2).
  return inferImage(loc, adaptor.getContents(), adaptor.getChannels(),
                    {0, 1, 3, 4}, type, types);
}

LogicalResult EncodePngOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  Type file = StringType::get(context);
  auto level = static_cast<int64_t>(adaptor.getCompression());
  // `compression` must be between -1 and 9 (encode_png_c3).
  if (level < -1 || level > 9)
    return emitOptionalError(loc, "compression should be in [-1,9], got ",
                             level);
  Shape shape = getTensorShape(adaptor.getImage().getType());
  if (!shape) {
    types.push_back(getTensorType(std::nullopt, file));
    return success();
  }
  // The images must have rank 3 or more (encode_png_c1).
  if (shape->size() < 3)
    return emitOptionalError(
        loc, "image must be at least rank 3, but has shape ", toString(shape));
  int64_t channels = shape->back();
  // There must be 1, 2, 3 or 4 channels (encode_png_c2).
  if (!ShapedType::isDynamic(channels) && (channels < 1 || channels > 4))
    return emitOptionalError(
        loc, "image must have 1, 2, 3, or 4 channels, got ", channels);
  shape->resize(shape->size() - 3);
  types.push_back(getTensorType(shape, file));
  return success();
}

LogicalResult EncodeJpegOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  Type image = adaptor.getImage().getType();
  // The image must have rank 3 (encode_jpeg_c1).
  if (!mayHaveRank(image, 3))
    return emitOptionalError(loc, "image must be 3-dimensional, but has shape ",
                             toString(getTensorShape(image)));
  StringRef format = adaptor.getFormat();
  int64_t channels = getDim(image, 2);
  bool fits = ShapedType::isDynamic(channels) ||
              (channels == 1 && format != "rgb") ||
              (channels == 3 && format != "grayscale");
  // `format` must be grayscale, rgb or empty, and the image must have its
  // channels (encode_jpeg_c2).
  if (!llvm::is_contained(ArrayRef<StringRef>{"", "grayscale", "rgb"}, format))
    return emitOptionalError(loc, "format must be '', grayscale or rgb, got ",
                             format);
  // Without a format, there must be 1 or 3 channels (encode_jpeg_c2).
  if (!fits)
    return emitOptionalError(loc, "image must have ",
                             format == "rgb" ? "3 channels for format 'rgb'"
                             : format == "grayscale"
                                 ? "1 channel for format 'grayscale'"
                                 : "1 or 3 channels",
                             ", but has ", channels);
  auto quality = static_cast<int64_t>(adaptor.getQuality());
  // `quality` must be between 0 and 100 (encode_jpeg_c3).
  if (quality < 0 || quality > 100)
    return emitOptionalError(loc, "quality must be in [0,100], got ", quality);
  // `density_unit` must be in or cm (encode_jpeg_c4).
  if (adaptor.getDensityUnit() != "in" && adaptor.getDensityUnit() != "cm")
    return emitOptionalError(loc, "density_unit must be 'in' or 'cm', got ",
                             adaptor.getDensityUnit());
  types.push_back(RankedTensorType::get({}, StringType::get(context)));
  return success();
}
