//===- StringOps.cpp - Shapes of ops on strings ---------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/StringOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotStringOps.cpp.inc"

void mlir::ingot::addStringOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotStringOps.cpp.inc"
      >();
}

static Shape shapeOf(Value value) { return getTensorShape(value.getType()); }

static TensorType texts(const Shape &shape, MLIRContext *context) {
  return getTensorType(shape, StringType::get(context));
}

// Infers the result of splitting a vector of strings: a sparse matrix of
// strings.
static LogicalResult inferSplit(std::optional<Location> loc, Value input,
                                Value separator, MLIRContext *context,
                                SmallVectorImpl<Type> &types) {
  if (!mayHaveRank(input.getType(), 1) || !mayHaveRank(separator.getType(), 0))
    return emitOptionalError(loc,
                             "the input must be a vector and the separator a "
                             "scalar, but they have shapes ",
                             toString(shapeOf(input)), " and ",
                             toString(shapeOf(separator)));
  Type i64 = IntegerType::get(context, 64);
  types.push_back(RankedTensorType::get({ShapedType::kDynamic, 2}, i64));
  types.push_back(
      RankedTensorType::get({ShapedType::kDynamic}, StringType::get(context)));
  types.push_back(RankedTensorType::get({2}, i64));
  return success();
}

static bool isUnit(StringRef unit) {
  return unit == "BYTE" || unit == "UTF8_CHAR";
}

LogicalResult AsStringOp::inferReturnTypes(MLIRContext *context,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  // At most one of `scientific` and `shortest` may be set (as_string_c1).
  if (adaptor.getScientific() && adaptor.getShortest())
    return emitOptionalError(
        loc, "'scientific' and 'shortest' must not both be set");
  StringRef fill = adaptor.getFill();
  if (fill.size() > 1 || StringRef(" 0+-").find(fill) == StringRef::npos)
    // The attribute `fill` must be a space, 0, + or -, or empty (as_string_c2).
    return emitOptionalError(
        loc, "'fill' must be ' ', '0', '+', '-' or empty, but is '", fill, "'");
  types.push_back(texts(shapeOf(adaptor.getInput()), context));
  return success();
}

LogicalResult StringJoinOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  Shape shape(std::in_place);
  for (Value input : adaptor.getInputs()) {
    Shape own = shapeOf(input);
    if (own && own->empty())
      continue;
    if (shape && shape->empty())
      shape = own;
    // All inputs that are not scalars must have the same shape
    // (string_join_c1).
    if (!areCompatibleShapes(shape, own))
      return emitOptionalError(loc,
                               "inputs that are not scalars must have the same "
                               "shape, but have shapes ",
                               toString(shape), " and ", toString(own));
    // Inputs are broadcast only if they are scalars. An input of unknown rank
    // may be a scalar at run time, so it says nothing about the result's shape.
    if (shape && own)
      shape = refineShape(shape, own);
    else if (own)
      shape = own;
  }
  types.push_back(texts(shape, context));
  return success();
}

LogicalResult StringFormatOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({}, StringType::get(context)));
  return success();
}

LogicalResult StringLengthOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  // `unit` must be `BYTE` or `UTF8_CHAR` (string_length_c1).
  if (!isUnit(adaptor.getUnit()))
    return emitOptionalError(loc, "the unit '", adaptor.getUnit(),
                             "' is neither BYTE nor UTF8_CHAR");
  types.push_back(getTensorType(shapeOf(adaptor.getInput()),
                                IntegerType::get(context, 32)));
  return success();
}

LogicalResult SubstrOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  // `unit` must be `BYTE` or `UTF8_CHAR` (substr_c1).
  if (!isUnit(adaptor.getUnit()))
    return emitOptionalError(loc, "the unit '", adaptor.getUnit(),
                             "' is neither BYTE nor UTF8_CHAR");
  Shape position = shapeOf(adaptor.getPosition());
  Shape length = shapeOf(adaptor.getLength());
  // Positions and lengths must have the same shape, which must be broadcastable
  // against the input's shape (substr_c2).
  if (!areCompatibleShapes(position, length))
    return emitOptionalError(
        loc, "positions and lengths must have the same shape, but have shapes ",
        toString(position), " and ", toString(length));
  FailureOr<Shape> shape = broadcastShapes(loc, shapeOf(adaptor.getInput()),
                                           refineShape(position, length));
  // The shape of the positions must be broadcastable against the input's shape
  // (substr_c2).
  if (failed(shape))
    return failure();
  types.push_back(texts(*shape, context));
  return success();
}

LogicalResult StringLowerOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  types.push_back(texts(shapeOf(adaptor.getInput()), context));
  return success();
}

LogicalResult StringUpperOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  types.push_back(texts(shapeOf(adaptor.getInput()), context));
  return success();
}

LogicalResult StringStripOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  types.push_back(texts(shapeOf(adaptor.getInput()), context));
  return success();
}

LogicalResult EncodeBase64Op::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  types.push_back(texts(shapeOf(adaptor.getInput()), context));
  return success();
}

LogicalResult DecodeBase64Op::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  types.push_back(texts(shapeOf(adaptor.getInput()), context));
  return success();
}

LogicalResult StringEqualOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  // The shapes must be broadcastable against each other (string_equal_c1).
  FailureOr<Shape> shape = broadcastShapes(loc, shapeOf(adaptor.getLhs()),
                                           shapeOf(adaptor.getRhs()));
  if (failed(shape))
    return failure();
  types.push_back(getTensorType(*shape, IntegerType::get(context, 1)));
  return success();
}

LogicalResult StringSplitOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  // The input must be a vector, the separator a scalar (string_split_c1).
  if (failed(inferSplit(loc, adaptor.getInput(), adaptor.getSeparator(),
                        context, types)))
    return failure();
  return success();
}

LogicalResult StringSplitAnyOp::inferReturnTypes(MLIRContext *context,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  // The input must be a vector, the delimiters a scalar (string_split_any_c1).
  if (failed(inferSplit(loc, adaptor.getInput(), adaptor.getDelimiters(),
                        context, types)))
    return failure();
  return success();
}

LogicalResult StringToNumberOp::inferReturnTypes(MLIRContext *context,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  Type type = adaptor.getOutputType();
  // `output_type` must be f32, f64, i32 or i64 (string_to_number_c1).
  if (!type.isF32() && !type.isF64() && !type.isSignlessInteger(32) &&
      !type.isSignlessInteger(64))
    return emitOptionalError(
        loc, "numbers of type ", type,
        " cannot be parsed from strings: expected f32, f64, i32 or i64");
  types.push_back(getTensorType(shapeOf(adaptor.getInput()), type));
  return success();
}

LogicalResult StringToHashBucketOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  // There must be at least one bucket (string_to_hash_bucket_c1).
  if (adaptor.getNumBuckets() < 1)
    return emitOptionalError(loc, "num_buckets is ", adaptor.getNumBuckets(),
                             ", but must be at least 1");
  StringRef method = adaptor.getMethod();
  size_t keys = adaptor.getKey() ? adaptor.getKey()->size() : 0;
  // `method` must be fast, strong or classic. The method strong must have a key
  // of two integers, the other methods must not have one
  // (string_to_hash_bucket_c2).
  if ((method != "fast" && method != "strong" && method != "classic") ||
      keys != (method == "strong" ? 2 : 0))
    return emitOptionalError(
        loc,
        "the hash method must be 'strong' with a key of 2 integers, or 'fast' "
        "or 'classic' without a key, but is '",
        method, "' with a key of ", keys, " integers");
  types.push_back(getTensorType(shapeOf(adaptor.getInput()),
                                IntegerType::get(context, 64)));
  return success();
}

LogicalResult DecodeRawOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  Shape shape = shapeOf(adaptor.getInput());
  // The rank of the input must be known (decode_raw_c1).
  if (!shape)
    return emitOptionalError(loc,
                             "the rank of the input must be known: state its "
                             "shape in the graph, as with tf.ensure_shape");
  shape->push_back(ShapedType::kDynamic);
  types.push_back(getTensorType(shape, adaptor.getOutputType()));
  return success();
}

LogicalResult DecodePaddedRawOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Shape shape = shapeOf(adaptor.getInput());
  // The rank of the input must be known (decode_padded_raw_c1).
  if (!shape)
    return emitOptionalError(loc,
                             "the rank of the input must be known: state its "
                             "shape in the graph, as with tf.ensure_shape");
  Value fixedLength = adaptor.getFixedLength();
  // The length must be a scalar: the number of bytes to decode, a positive
  // multiple of the size of an element of the result (decode_padded_raw_c2).
  if (!mayHaveRank(fixedLength.getType(), 0))
    return emitOptionalError(loc, "the length must be a scalar, but has shape ",
                             toString(shapeOf(fixedLength)));
  Type element = adaptor.getOutputType();
  int64_t size =
      element.isIntOrFloat() ? (element.getIntOrFloatBitWidth() + 7) / 8 : 1;
  std::optional<int64_t> length = getConstantInt(fixedLength);
  // A constant length must be a positive multiple of the size of an element of
  // the result, in bytes (decode_padded_raw_c2).
  if (length && (*length <= 0 || *length % size != 0))
    return emitOptionalError(
        loc,
        "the length in bytes must be a positive multiple of the element size, ",
        size, ", but is ", *length);
  shape->push_back(length ? *length / size : ShapedType::kDynamic);
  types.push_back(getTensorType(shape, element));
  return success();
}

LogicalResult UnsortedSegmentJoinOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Shape input = shapeOf(adaptor.getInput());
  Shape ids = shapeOf(adaptor.getSegmentIds());
  Value count = adaptor.getNumSegments();
  std::optional<int64_t> segments = getConstantInt(count);
  // The number of segments must be a scalar, not negative
  // (unsorted_segment_join_c2).
  if (!mayHaveRank(count.getType(), 0) || (segments && *segments < 0))
    return emitOptionalError(
        loc, "the number of segments must be a non-negative scalar, ",
        segments && *segments < 0
            ? "but is " + std::to_string(*segments)
            : "but has shape " + toString(shapeOf(count)));
  if (!input || !ids) {
    types.push_back(texts(Shape(), context));
    return success();
  }
  bool begins = ids->size() <= input->size();
  for (size_t i = 0; begins && i < ids->size(); ++i)
    begins = areCompatibleDims((*ids)[i], (*input)[i]);
  // The shape of the ids must be a prefix of the input's shape
  // (unsorted_segment_join_c1).
  if (!begins)
    return emitOptionalError(
        loc, "segment ids of shape ", toString(ids),
        " do not match the first dimensions of an input of shape ",
        toString(input));
  SmallVector<int64_t> output = {segments.value_or(ShapedType::kDynamic)};
  llvm::append_range(output, ArrayRef(*input).drop_front(ids->size()));
  types.push_back(texts(Shape(output), context));
  return success();
}

LogicalResult ReduceJoinOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  Shape shape = shapeOf(adaptor.getInput());
  std::optional<SmallVector<int64_t>> axes = getConstantInts(adaptor.getAxes());
  if (!shape) {
    types.push_back(texts(shape, context));
    return success();
  }
  SmallVector<int64_t> rest;
  if (axes) {
    llvm::SmallBitVector isReduced(shape->size());
    for (int64_t axis : *axes) {
      // Constant axes must lie within the input's rank (reduce_join_c1).
      FailureOr<int64_t> found =
          normalizeAxis(loc, axis, shape->size(), "axis");
      if (failed(found))
        return failure();
      isReduced.set(*found);
    }
    for (auto [axis, dim] : llvm::enumerate(*shape)) {
      if (!isReduced.test(axis))
        rest.push_back(dim);
      else if (adaptor.getKeepDims())
        rest.push_back(1);
    }
  } else if (adaptor.getKeepDims()) {
    rest.assign(shape->size(), ShapedType::kDynamic);
  } else {
    int64_t count = getDim(adaptor.getAxes().getType(), 0);
    if (ShapedType::isDynamic(count) ||
        count > static_cast<int64_t>(shape->size())) {
      types.push_back(texts(Shape(), context));
      return success();
    }
    rest.assign(shape->size() - count, ShapedType::kDynamic);
  }
  types.push_back(texts(Shape(rest), context));
  return success();
}

LogicalResult DecodeCsvOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  Shape shape = shapeOf(adaptor.getRecords());
  for (Value value : adaptor.getDefaults()) {
    auto type = cast<TensorType>(value.getType());
    // Each default must have at most one element (decode_csv_c1).
    if (type.hasStaticShape() && type.getNumElements() > 1)
      return emitOptionalError(loc,
                               "the default of a column must have at most one "
                               "element, but has shape ",
                               toString(getTensorShape(type)));
    types.push_back(getTensorType(shape, type.getElementType()));
  }
  // `field_delim` must be one byte (decode_csv_c2).
  if (adaptor.getFieldDelim().size() != 1)
    return emitOptionalError(loc, "'field_delim' must be one byte, but is '",
                             adaptor.getFieldDelim(), "'");
  if (adaptor.getSelectCols() &&
      adaptor.getSelectCols()->size() != adaptor.getDefaults().size())
    // There must be a default for each selected column (decode_csv_c3).
    return emitOptionalError(loc, "'select_cols' selects ",
                             adaptor.getSelectCols()->size(),
                             " columns, but the number of defaults is ",
                             adaptor.getDefaults().size());
  return success();
}

LogicalResult RegexFullMatchOp::inferReturnTypes(MLIRContext *context,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  // The pattern must be a scalar (regex_full_match_c1).
  if (!mayHaveRank(adaptor.getPattern().getType(), 0))
    return emitOptionalError(loc,
                             "the pattern must be a scalar, but has shape ",
                             toString(shapeOf(adaptor.getPattern())));
  types.push_back(
      getTensorType(shapeOf(adaptor.getInput()), IntegerType::get(context, 1)));
  return success();
}

LogicalResult RegexReplaceOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  // Pattern and rewrite must be scalars (regex_replace_c1).
  if (!mayHaveRank(adaptor.getPattern().getType(), 0) ||
      !mayHaveRank(adaptor.getRewrite().getType(), 0))
    return emitOptionalError(
        loc, "the pattern and rewrite must be scalars, but have shapes ",
        toString(shapeOf(adaptor.getPattern())), " and ",
        toString(shapeOf(adaptor.getRewrite())));
  types.push_back(texts(shapeOf(adaptor.getInput()), context));
  return success();
}
