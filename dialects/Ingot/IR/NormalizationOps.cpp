//===- NormalizationOps.cpp - Shapes of normalizations and losses ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/NormalizationOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotNormalizationOps.cpp.inc"

void mlir::ingot::addNormalizationOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotNormalizationOps.cpp.inc"
      >();
}

/// Checks that each of `vectors` has one element per channel of `x`, and each
/// of `optional` has one element per channel or no elements. Returns the type
/// of the vectors.
static FailureOr<RankedTensorType> getChannels(std::optional<Location> loc,
                                               Type x, TypeRange vectors,
                                               TypeRange optional) {
  Shape shape = getTensorShape(x);
  // `x` must have rank 4 or 5 (batch_norm_c1).
  if (shape && shape->size() != 4 && shape->size() != 5)
    return emitOptionalError(
        loc, "the input must have 4 or 5 dimensions, but has shape ",
        toString(shape));
  int64_t channels = shape ? shape->back() : ShapedType::kDynamic;
  Type element = getElementTypeOrSelf(vectors.front());
  // Scale, offset, mean and variance must have the same element type, which is
  // not narrower than that of `x` (batch_norm_c3).
  if (element.getIntOrFloatBitWidth() <
      getElementTypeOrSelf(x).getIntOrFloatBitWidth())
    return emitOptionalError(loc,
                             "the element type of the scale must not be "
                             "narrower than that of the input, ",
                             getElementTypeOrSelf(x), ", but is ", element);
  auto check = [&](Type type, bool mayBeEmpty) -> LogicalResult {
    // All vectors must have the same element type (batch_norm_c3).
    if (getElementTypeOrSelf(type) != element)
      return emitOptionalError(
          loc,
          "the per-channel operands have different element types: ", element,
          " and ", getElementTypeOrSelf(type));
    // Scale, offset, mean and variance must be vectors with one element per
    // channel. Mean and variance may be empty if they are not used
    // (batch_norm_c2).
    if (!mayHaveRank(type, 1))
      return emitOptionalError(
          loc, "per-channel operands must be vectors, but one has shape ",
          toString(getTensorShape(type)));
    int64_t length = getDim(type, 0);
    if (mayBeEmpty && length == 0)
      return success();
    // Each vector must have one element per channel (batch_norm_c2).
    if (!areCompatibleDims(length, channels))
      return emitOptionalError(loc, "the input has ", channels,
                               " channels, but a per-channel vector has ",
                               length, " elements");
    if (ShapedType::isDynamic(channels))
      channels = length;
    return success();
  };
  for (Type type : vectors)
    if (failed(check(type, false)))
      return failure();
  for (Type type : optional)
    if (failed(check(type, true)))
      return failure();
  return RankedTensorType::get({channels}, element);
}

LogicalResult FusedBatchNormOp::inferReturnTypes(MLIRContext *,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  Type x = adaptor.getX().getType();
  SmallVector<Type> vectors = {adaptor.getScale().getType(),
                               adaptor.getOffset().getType()};
  SmallVector<Type> statistics = {adaptor.getMean().getType(),
                                  adaptor.getVariance().getType()};
  bool unused = adaptor.getIsTraining() &&
                adaptor.getExponentialAvgFactor().convertToFloat() == 1.0f;
  if (!unused)
    llvm::append_range(vectors, statistics);
  FailureOr<RankedTensorType> channels = getChannels(
      loc, x, vectors, unused ? TypeRange(statistics) : TypeRange());
  if (failed(channels))
    return failure();
  types.push_back(x);
  types.append(4, *channels);
  return success();
}

LogicalResult FusedBatchNormGradOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Type x = adaptor.getX().getType();
  Type gradient = adaptor.getGradient().getType();
  // The gradient must have x's shape and element type (batch_norm_grad_c1).
  if (!areCompatibleTypes(x, gradient))
    return emitOptionalError(loc,
                             "the gradient must have the type of the input, ",
                             x, ", but has type ", gradient);
  FailureOr<RankedTensorType> channels =
      getChannels(loc, x,
                  {adaptor.getScale().getType(), adaptor.getMean().getType(),
                   adaptor.getVariance().getType()},
                  {});
  if (failed(channels))
    return failure();
  types.push_back(
      getTensorType(refineShape(getTensorShape(x), getTensorShape(gradient)),
                    getElementTypeOrSelf(x)));
  types.append(2, *channels);
  return success();
}

/// Infers the result of softmax or log_softmax.
static LogicalResult inferSoftmax(std::optional<Location> loc, Type logits,
                                  SmallVectorImpl<Type> &types) {
  // The logits must have at least one dimension (softmax_c1).
  if (Shape shape = getTensorShape(logits); shape && shape->empty())
    return emitOptionalError(loc,
                             "the logits must have at least one dimension, "
                             "but are a scalar");
  types.push_back(logits);
  return success();
}

LogicalResult SoftmaxOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferSoftmax(loc, adaptor.getLogits().getType(), types);
}

LogicalResult LogSoftmaxOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  return inferSoftmax(loc, adaptor.getLogits().getType(), types);
}

LogicalResult SoftmaxCrossEntropyOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Type logits = adaptor.getLogits().getType();
  Type labels = adaptor.getLabels().getType();
  Type element = getElementTypeOrSelf(logits);
  // Logits and labels must have the same element type (softmax_xent_c2).
  if (element != getElementTypeOrSelf(labels))
    return emitOptionalError(loc, "element types differ: ", element,
                             " of the logits and ",
                             getElementTypeOrSelf(labels), " of the labels");
  FailureOr<Shape> shape =
      broadcastShapes(loc, getTensorShape(logits), getTensorShape(labels));
  if (failed(shape))
    return failure();
  // Logits and labels must broadcast to rank 2 (softmax_xent_c1).
  if (*shape && (*shape)->size() != 2)
    return emitOptionalError(
        loc,
        "logits and labels must have shape [batch, classes], but have shape ",
        toString(*shape));
  SmallVector<int64_t> dims =
      *shape ? **shape : SmallVector<int64_t>(2, ShapedType::kDynamic);
  types.push_back(RankedTensorType::get({dims[0]}, element));
  types.push_back(RankedTensorType::get(dims, element));
  return success();
}
