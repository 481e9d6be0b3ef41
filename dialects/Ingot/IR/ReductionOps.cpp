//===- ReductionOps.cpp - Shapes of segments, scans and top_k -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ReductionOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotReductionOps.cpp.inc"

void mlir::ingot::addReductionOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotReductionOps.cpp.inc"
      >();
}

// Returns the shape of one row of the result of segment_reduce.
static FailureOr<Shape> segmentRow(std::optional<Location> loc,
                                   SegmentReduceOp::Adaptor adaptor) {
  Shape data = getTensorShape(adaptor.getData().getType());
  Type ids = adaptor.getSegmentIds().getType();
  Shape idShape = getTensorShape(ids);
  if (Value indices = adaptor.getIndices()) {
    // With `indices`, the indices and the segment ids must be vectors of the
    // same length, and the data must have at least one dimension (segment_c4).
    if (!mayHaveRank(ids, 1) || !mayHaveRank(indices.getType(), 1) ||
        !areCompatibleShapes(idShape, getTensorShape(indices.getType())) ||
        (data && data->empty()))
      return emitOptionalError(
          loc,
          "expected indices and segment ids that are vectors of the same "
          "length, and data of at least one dimension, but got shapes ",
          toString(getTensorShape(indices.getType())), ", ", toString(idShape),
          " and ", toString(data));
    if (data)
      data->erase(data->begin());
    return data;
  }
  if (!idShape || !data)
    return Shape();
  // Without `indices`, the data's shape must begin with the shape of the ids
  // (segment_c1).
  if (data->size() < idShape->size() ||
      !areCompatibleShapes(Shape(SmallVector<int64_t>(
                               data->begin(), data->begin() + idShape->size())),
                           idShape))
    return emitOptionalError(
        loc, "the shape of segment ids, ", toString(idShape),
        ", is not a prefix of the shape ", toString(data), " of the data");
  data->erase(data->begin(), data->begin() + idShape->size());
  return data;
}

LogicalResult SegmentReduceOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  // `reduction` must be sum, prod, min, max, mean or sqrtn (segment_c3).
  if (!llvm::is_contained({"sum", "prod", "min", "max", "mean", "sqrtn"},
                          adaptor.getReduction()))
    return emitOptionalError(
        loc, "'reduction' must be sum, prod, min, max, mean or sqrtn, but is '",
        adaptor.getReduction(), "'");
  FailureOr<Shape> shape = segmentRow(loc, adaptor);
  if (failed(shape))
    return failure();
  Value count = adaptor.getNumSegments();
  std::optional<int64_t> constant = getConstantInt(count);
  // The number of segments must be a scalar, and not negative if it is constant
  // (segment_c2).
  if (!mayHaveRank(count.getType(), 0) || (constant && *constant < 0))
    return emitOptionalError(
        loc, "the number of segments must be a non-negative scalar, ",
        constant && *constant < 0
            ? "but is " + std::to_string(*constant)
            : "but has shape " + toString(getTensorShape(count.getType())));
  if (*shape)
    (*shape)->insert((*shape)->begin(),
                     constant.value_or(ShapedType::kDynamic));
  types.push_back(
      getTensorType(*shape, getElementTypeOrSelf(adaptor.getData())));
  return success();
}

LogicalResult CumulativeOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  // `kind` must be sum, prod or logsumexp (cumulative_c2).
  if (!llvm::is_contained({"sum", "prod", "logsumexp"}, adaptor.getKind()))
    return emitOptionalError(loc,
                             "'kind' must be sum, prod or logsumexp, but is '",
                             adaptor.getKind(), "'");
  Type input = adaptor.getInput().getType();
  Shape shape = getTensorShape(input);
  std::optional<int64_t> axis = getConstantInt(adaptor.getAxis());
  // The axis must be a constant scalar within the input's rank (cumulative_c1).
  if (!axis || !mayHaveRank(adaptor.getAxis().getType(), 0))
    return emitOptionalError(loc, "the axis must be a constant scalar");
  if (shape && failed(normalizeAxis(loc, *axis, shape->size(), "axis")))
    return failure();
  types.push_back(input);
  return success();
}

LogicalResult InTopKOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Type predictions = adaptor.getPredictions().getType();
  Type targets = adaptor.getTargets().getType();
  // Predictions must be [batch, classes], targets [batch], k a scalar
  // (in_top_k_c1).
  if (!mayHaveRank(predictions, 2) || !mayHaveRank(targets, 1) ||
      !mayHaveRank(adaptor.getK().getType(), 0) ||
      !areCompatibleDims(getDim(predictions, 0), getDim(targets, 0)))
    return emitOptionalError(
        loc,
        "expected predictions [batch, classes], targets [batch] and a scalar "
        "k, but got shapes ",
        toString(getTensorShape(predictions)), ", ",
        toString(getTensorShape(targets)), " and ",
        toString(getTensorShape(adaptor.getK().getType())));
  int64_t batch = getDim(predictions, 0);
  if (ShapedType::isDynamic(batch))
    batch = getDim(targets, 0);
  types.push_back(RankedTensorType::get({batch}, IntegerType::get(context, 1)));
  return success();
}

LogicalResult TopKOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  Type input = adaptor.getInput().getType();
  Shape shape = getTensorShape(input);
  // The input must have at least rank 1, and k must be a scalar (top_k_c1).
  if ((shape && shape->empty()) || !mayHaveRank(adaptor.getK().getType(), 0))
    return emitOptionalError(
        loc,
        "the input must have at least one dimension and k must be a scalar, "
        "but the input has shape ",
        toString(shape), " and k has shape ",
        toString(getTensorShape(adaptor.getK().getType())));
  std::optional<int64_t> k = getConstantInt(adaptor.getK());
  // A constant k must be at least 0, and at most the size of the last dimension
  // (top_k_c2).
  if (k && (*k < 0 || (shape && ShapedType::isStatic(shape->back()) &&
                       *k > shape->back())))
    return emitOptionalError(loc, "k must be from 0 to ",
                             shape ? dimToString(shape->back()) : "?",
                             ", the size of the last dimension, but is ", *k);
  Type index = adaptor.getIndexType();
  // `index_type` must be i32 or i64 (top_k_c3).
  if (!index.isSignlessInteger(32) && !index.isSignlessInteger(64))
    return emitOptionalError(loc, "indices must be int32 or int64, not ",
                             index);
  if (shape)
    shape->back() = k.value_or(ShapedType::kDynamic);
  types.push_back(getTensorType(shape, getElementTypeOrSelf(input)));
  types.push_back(getTensorType(shape, index));
  return success();
}
