//===- UnicodeShapes.cpp - Shapes of ops on Unicode texts -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/SetOps.h"
#include "dialects/Ingot/IR/ShapeInference.h"

using namespace mlir;
using namespace mlir::ingot;

static LogicalResult checkEncoding(std::optional<Location> loc, StringRef name,
                                   bool isOutput) {
  static constexpr StringRef both[] = {"UTF-8", "UTF-16-BE", "UTF-32-BE"};
  static constexpr StringRef others[] = {"UTF-16-LE", "UTF-32-LE", "US-ASCII",
                                         "ISO-8859-1"};
  if (llvm::is_contained(both, name) ||
      (!isOutput && llvm::is_contained(others, name)))
    return success();
  return emitOptionalError(loc, "encoding '", name,
                           "' is not supported; supported are UTF-8, "
                           "UTF-16-BE, UTF-32-BE",
                           isOutput ? ""
                                    : ", UTF-16-LE, UTF-32-LE, US-ASCII and "
                                      "ISO-8859-1");
}

static LogicalResult checkErrors(std::optional<Location> loc, StringRef errors,
                                 int64_t replacement) {
  if (errors != "strict" && errors != "ignore" && errors != "replace")
    return emitOptionalError(
        loc, "'errors' must be 'strict', 'replace' or 'ignore', but is '",
        errors, "'");
  if (replacement < 0 || replacement > 0x10ffff)
    return emitOptionalError(
        loc, "replacement_char out of unicode codepoint range: ", replacement,
        ", expected 0 to 1114111");
  return success();
}

LogicalResult UnicodeTranscodeOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  // The encodings must be supported (unicode_transcode_c1), `errors` and
  // `replacement_char` must be valid (unicode_transcode_c2).
  if (failed(checkEncoding(loc, adaptor.getInputEncoding(), false)) ||
      failed(checkEncoding(loc, adaptor.getOutputEncoding(), true)) ||
      failed(
          checkErrors(loc, adaptor.getErrors(), adaptor.getReplacementChar())))
    return failure();
  types.push_back(getTensorType(getTensorShape(adaptor.getInput().getType()),
                                StringType::get(context)));
  return success();
}

LogicalResult UnicodeDecodeOp::inferReturnTypes(MLIRContext *context,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  // The encoding must be supported (unicode_decode_c1), `errors` and
  // `replacement_char` must be valid (unicode_decode_c2).
  if (failed(checkEncoding(loc, adaptor.getInputEncoding(), false)) ||
      failed(
          checkErrors(loc, adaptor.getErrors(), adaptor.getReplacementChar())))
    return failure();
  Type splits = adaptor.getSplitsType();
  // Splits must be int32 or int64 (unicode_decode_c3).
  if (!splits.isSignlessInteger(32) && !splits.isSignlessInteger(64))
    return emitOptionalError(loc, "'splits_type' must be i32 or i64, but is ",
                             splits);
  int64_t rows = ShapedType::kDynamic;
  if (auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
      input && input.hasStaticShape())
    rows = input.getNumElements() + 1;
  types.push_back(RankedTensorType::get({rows}, splits));
  for (unsigned width : {32, 64})
    types.push_back(RankedTensorType::get({ShapedType::kDynamic},
                                          IntegerType::get(context, width)));
  return success();
}

LogicalResult UnicodeEncodeOp::inferReturnTypes(MLIRContext *context,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  Type codePoints = adaptor.getCodePoints().getType();
  Type splits = adaptor.getSplits().getType();
  // The code points and the splits must be vectors (unicode_encode_c1).
  if (!mayHaveRank(codePoints, 1) || !mayHaveRank(splits, 1))
    return emitOptionalError(
        loc, "code points of shape ", toString(getTensorShape(codePoints)),
        " and splits of shape ", toString(getTensorShape(splits)),
        " must be vectors");
  // The encoding must be supported (unicode_encode_c2), `errors` and
  // `replacement_char` must be valid (unicode_encode_c3).
  if (failed(checkEncoding(loc, adaptor.getOutputEncoding(), true)) ||
      failed(
          checkErrors(loc, adaptor.getErrors(), adaptor.getReplacementChar())))
    return failure();
  int64_t rows =
      getTensorShape(splits) ? getDim(splits, 0) : ShapedType::kDynamic;
  types.push_back(RankedTensorType::get(
      {ShapedType::isDynamic(rows) || rows == 0 ? ShapedType::kDynamic
                                                : rows - 1},
      StringType::get(context)));
  return success();
}
