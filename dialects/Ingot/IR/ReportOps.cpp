//===- ReportOps.cpp - Checks that stop a run, and prints -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ReportOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotReportOps.cpp.inc"

void mlir::ingot::addReportOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotReportOps.cpp.inc"
      >();
}

LogicalResult AssertOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Type condition = adaptor.getCondition().getType();
  // The condition must be a scalar (assert_c1).
  if (!mayHaveRank(condition, 0))
    return emitOptionalError(loc,
                             "the condition must be a scalar, but has shape ",
                             toString(getTensorShape(condition)));
  return success();
}

LogicalResult CheckNumericsOp::inferReturnTypes(MLIRContext *context,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}

LogicalResult PrintOp::inferReturnTypes(MLIRContext *context,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  Type input = adaptor.getInput().getType();
  // The string must be a scalar (print_c1).
  if (!mayHaveRank(input, 0))
    return emitOptionalError(
        loc, "the string to print must be a scalar, but has shape ",
        toString(getTensorShape(input)));
  return success();
}

LogicalResult PrintDataOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getInput().getType());
  return success();
}

LogicalResult TimestampOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({}, Float64Type::get(context)));
  return success();
}

// Reports an error if one of `values` cannot be a scalar. Null values, of
// absent operands, are skipped.
static LogicalResult checkScalars(std::optional<Location> loc,
                                  ArrayRef<Value> values) {
  for (Value value : values)
    if (value && !mayHaveRank(value.getType(), 0))
      return emitOptionalError(loc,
                               "the tag, step, metadata and scalar value of a "
                               "summary must have rank 0, but one has shape ",
                               toString(getTensorShape(value.getType())));
  return success();
}

LogicalResult RecordTensorOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  // The tag, the metadata and the step must be scalars (record_tensor_c1).
  return checkScalars(
      loc, {adaptor.getTag(), adaptor.getMetadata(), adaptor.getStep()});
}

LogicalResult RecordScalarOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  // The tag, the value and the step must be scalars (record_scalar_c1).
  return checkScalars(
      loc, {adaptor.getTag(), adaptor.getValue(), adaptor.getStep()});
}

LogicalResult RecordHistogramOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  // The tag and the step must be scalars (record_histogram_c1).
  return checkScalars(loc, {adaptor.getTag(), adaptor.getStep()});
}

LogicalResult RecordImageOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  // Tag and step must be scalars, the color a vector (record_image_c1).
  if (failed(checkScalars(loc, {adaptor.getTag(), adaptor.getStep()})))
    return failure();
  // The color must be a vector (record_image_c1).
  if (!mayHaveRank(adaptor.getBadColor().getType(), 1))
    return emitOptionalError(
        loc, "'bad_color' must be a vector, but has shape ",
        toString(getTensorShape(adaptor.getBadColor().getType())));
  Shape shape = getTensorShape(adaptor.getValue().getType());
  if (!shape)
    return success();
  int64_t channels = shape->size() == 4 ? shape->back() : 0;
  // Pictures must have four dimensions, the last one of size 1, 3 or 4
  // (record_image_c2).
  if (channels != 1 && channels != 3 && channels != 4 &&
      !ShapedType::isDynamic(channels))
    return emitOptionalError(
        loc,
        "images must have shape [batch, height, width, channels] with 1, 3 or "
        "4 channels, but have shape ",
        toString(shape));
  return success();
}
