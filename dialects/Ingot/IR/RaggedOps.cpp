//===- RaggedOps.cpp - Shapes of ops on ragged tensors --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/RaggedOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/ShapeInference.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotRaggedOps.cpp.inc"

void mlir::ingot::addRaggedOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotRaggedOps.cpp.inc"
      >();
}

static constexpr int64_t unknown = ShapedType::kDynamic;

static RankedTensorType vectorOf(int64_t size, Type element) {
  return RankedTensorType::get({size}, element);
}

static Type elementOf(Value tensor) { return getElementTypeOrSelf(tensor); }

static LogicalResult checkSplits(std::optional<Location> loc,
                                 ValueRange nestedSplits) {
  for (Value splits : nestedSplits)
    if (!mayHaveRank(splits.getType(), 1))
      return emitOptionalError(loc,
                               "row splits must be vectors, but have shape ",
                               toString(getTensorShape(splits.getType())));
  return success();
}

static LogicalResult checkHasSplits(std::optional<Location> loc,
                                    ValueRange nestedSplits) {
  if (nestedSplits.empty())
    return emitOptionalError(loc, "expected row splits, but there are none");
  return checkSplits(loc, nestedSplits);
}

/// Returns the number of rows that row splits delimit.
static int64_t numRows(Value splits) {
  Shape shape = getTensorShape(splits.getType());
  return shape && !ShapedType::isDynamic(shape->front()) && shape->front() > 0
             ? shape->front() - 1
             : unknown;
}

static int64_t numSplits(int64_t rows) {
  return ShapedType::isDynamic(rows) ? unknown : rows + 1;
}

LogicalResult SerializeRaggedOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  ValueRange splits = adaptor.getNestedSplits();
  // Row splits must be vectors (serialize_ragged_c1).
  if (failed(checkSplits(loc, splits)))
    return failure();
  Shape values = getTensorShape(adaptor.getValues().getType());
  // The rank of the values must be known, and at least 1 if there are row
  // splits (serialize_ragged_c2).
  if (!values || (!splits.empty() && values->empty()))
    return emitOptionalError(loc, "the rank of the values must be known",
                             splits.empty() ? "" : " and at least 1",
                             ", but the shape is ", toString(values));
  // With `batched`, there must be row splits (serialize_ragged_c3).
  if (adaptor.getBatched() && splits.empty())
    return emitOptionalError(loc, "rt_nested_splits must be a list of one or "
                                  "more, but received rt_nested_splits of "
                                  "length 0.");
  SmallVector<int64_t> dims;
  auto width = static_cast<int64_t>(splits.size() + 1 + values->size());
  if (adaptor.getBatched()) {
    dims.push_back(numRows(splits.front()));
    --width;
  }
  dims.push_back(width);
  types.push_back(RankedTensorType::get(dims, StringType::get(context)));
  return success();
}

LogicalResult DeserializeRaggedOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Shape shape = getTensorShape(adaptor.getSerialized().getType());
  // The rank of the input must be known, and at least 1
  // (deserialize_ragged_c1).
  if (!shape || shape->empty())
    return emitOptionalError(loc,
                             "the input is not a ragged tensor as "
                             "RaggedTensorToVariant returns it: its "
                             "shape is ",
                             toString(shape));
  auto batch = static_cast<int64_t>(shape->size()) - 1;
  int64_t outputRank = adaptor.getOutputRaggedRank();
  int64_t inputRank = outputRank - batch;
  auto declaredRank = static_cast<int64_t>(adaptor.getInputRaggedRank());
  // `output_ragged_rank` must be the ragged rank of the serialized tensors plus
  // the number of batch dimensions (deserialize_ragged_c2).
  if (inputRank < 0 || (declaredRank >= 0 && declaredRank != inputRank))
    return emitOptionalError(
        loc,
        "output_ragged_rank must be equal to input_ragged_rank + "
        "encoded_ragged.dims(); output_ragged_rank: ",
        outputRank, ", encoded_ragged.dims(): ", batch,
        ", input_ragged_rank: ", declaredRank);
  // The last dimension must be the number of strings of a serialized tensor of
  // this ragged rank (deserialize_ragged_c3): one string for each ragged
  // dimension, one for the values, and one for each dimension of the values.
  // The values have at least one dimension if the result has row splits.
  int64_t rank = shape->back() - inputRank - 1;
  if (ShapedType::isDynamic(shape->back()) || rank < (outputRank > 0 ? 1 : 0))
    return emitOptionalError(loc, "a ragged tensor of ragged rank ", inputRank,
                             " consists of at least ",
                             inputRank + (outputRank > 0 ? 2 : 1),
                             " strings, but the shape is ", toString(shape));
  int64_t rows = 1;
  for (int64_t i = 0; i < outputRank; ++i) {
    bool isKnown = i < batch && !ShapedType::isDynamic(rows) &&
                   !ShapedType::isDynamic((*shape)[i]);
    rows = isKnown ? rows * (*shape)[i] : unknown;
    types.push_back(vectorOf(numSplits(rows), adaptor.getSplitsType()));
  }
  types.push_back(RankedTensorType::get(SmallVector<int64_t>(rank, unknown),
                                        adaptor.getElementType()));
  return success();
}

LogicalResult DeserializeRaggedGradientOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Shape splits = getTensorShape(adaptor.getSplits().getType());
  // Row splits must be a scalar or a vector (deserialize_ragged_gradient_c1).
  if (splits && splits->size() > 1)
    return emitOptionalError(
        loc, "row splits must be a scalar or a vector, but have shape ",
        toString(splits));
  Shape length = getTensorShape(adaptor.getShape().getType());
  // The shape must be a vector of known length
  // (deserialize_ragged_gradient_c2).
  if (!length || length->size() != 1 || ShapedType::isDynamic(length->front()))
    return emitOptionalError(
        loc,
        "the shape of the values must be a vector of known length, but "
        "has shape ",
        toString(length));
  Shape serialized = getTensorShape(adaptor.getSerialized().getType());
  // The last dimension of the input must be at least one more than the rank of
  // the values (deserialize_ragged_gradient_c3).
  if (serialized &&
      (serialized->empty() || (!ShapedType::isDynamic(serialized->back()) &&
                               serialized->back() < length->front() + 1)))
    return emitOptionalError(
        loc, "the input is not a ragged tensor with values of ",
        length->front(), " dimensions: its shape is ", toString(serialized));
  types.push_back(
      RankedTensorType::get(SmallVector<int64_t>(length->front(), unknown),
                            adaptor.getElementType()));
  return success();
}

LogicalResult RaggedGatherOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  ValueRange splits = adaptor.getNestedSplits();
  // There must be row splits, which must be vectors (ragged_gather_c1).
  if (failed(checkHasSplits(loc, splits)))
    return failure();
  Shape values = getTensorShape(adaptor.getValues().getType());
  // The values must have at least one dimension (ragged_gather_c2).
  if (values && values->empty())
    return emitOptionalError(
        loc, "the values must have at least one dimension, but are a scalar");
  int64_t outputRank = adaptor.getOutputRaggedRank();
  int64_t batch = outputRank + 1 - static_cast<int64_t>(splits.size());
  Shape indices = getTensorShape(adaptor.getIndices().getType());
  // The ragged rank of the result must be the rank of the indices plus the
  // ragged rank of the rows (ragged_gather_c3).
  if (batch < 0 || !mayHaveRank(adaptor.getIndices().getType(), batch))
    return emitOptionalError(
        loc,
        "output_ragged_rank must be indices.rank + params.ragged_rank - "
        "1, but it is ",
        outputRank, ", the indices have shape ", toString(indices),
        ", and the ragged rank is ", splits.size());
  Type element = elementOf(splits.front());
  int64_t rows = 1;
  for (int64_t i = 0; i < outputRank; ++i) {
    bool isKnown = i < batch && indices && !ShapedType::isDynamic(rows) &&
                   !ShapedType::isDynamic((*indices)[i]);
    rows = isKnown ? rows * (*indices)[i] : unknown;
    types.push_back(vectorOf(numSplits(rows), element));
  }
  if (values)
    values->front() = unknown;
  types.push_back(getTensorType(values, elementOf(adaptor.getValues())));
  return success();
}

LogicalResult RaggedToSparseOp::inferReturnTypes(MLIRContext *context,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  ValueRange splits = adaptor.getNestedSplits();
  // There must be row splits, which must be vectors (ragged_to_sparse_c1).
  if (failed(checkHasSplits(loc, splits)))
    return failure();
  Shape values = getTensorShape(adaptor.getValues().getType());
  // The rank of the values must be known, and at least 1
  // (ragged_to_sparse_c2).
  if (!values || values->empty())
    return emitOptionalError(loc,
                             "the rank of the values must be known and at "
                             "least 1, but the shape is ",
                             toString(values));
  auto rank = static_cast<int64_t>(splits.size() + values->size());
  int64_t count = 1;
  for (int64_t dim : *values)
    count = ShapedType::isDynamic(count) || ShapedType::isDynamic(dim)
                ? unknown
                : count * dim;
  Type number = IntegerType::get(context, 64);
  types.push_back(RankedTensorType::get({count, rank}, number));
  types.push_back(vectorOf(count, elementOf(adaptor.getValues())));
  types.push_back(vectorOf(rank, number));
  return success();
}
