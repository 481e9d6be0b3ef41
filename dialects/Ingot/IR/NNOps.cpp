//===- NNOps.cpp - Shape functions of layers and losses -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/NNOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotNNOps.cpp.inc"

void mlir::ingot::addNNOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotNNOps.cpp.inc"
      >();
}

LogicalResult MatMulOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Type a = adaptor.getA().getType(), b = adaptor.getB().getType();
  // Both operands must have rank 2 (matmul_c1).
  for (auto [type, name] : {std::pair(a, "'a'"), std::pair(b, "'b'")})
    if (!mayHaveRank(type, 2))
      return emitOptionalError(loc, name, " must be a matrix, but has shape ",
                               toString(getTensorShape(type)));
  Type element = getElementTypeOrSelf(a);
  // The operands must have the same element type (matmul_c3).
  if (element != getElementTypeOrSelf(b))
    return emitOptionalError(loc, "element types differ: ", element,
                             " of 'a' and ", getElementTypeOrSelf(b),
                             " of 'b'");
  bool transposeA = adaptor.getTransposeA(),
       transposeB = adaptor.getTransposeB();
  int64_t innerA = getDim(a, transposeA ? 0 : 1);
  int64_t innerB = getDim(b, transposeB ? 1 : 0);
  // The inner dimensions must agree (matmul_c2).
  if (!areCompatibleDims(innerA, innerB))
    return emitOptionalError(loc, "inner dimensions differ: ", innerA,
                             " of 'a' and ", innerB, " of 'b'");
  // Blocks of K must have equal sizes (matmul_c4).
  if (std::optional<uint64_t> size = adaptor.getSumBlock()) {
    int64_t inner = ShapedType::isDynamic(innerA) ? innerB : innerA;
    if (ShapedType::isDynamic(inner) || *size == 0 ||
        inner % static_cast<int64_t>(*size) != 0)
      return emitOptionalError(loc, "blocks of ", *size,
                               " steps do not divide the inner dimension, ",
                               dimToString(inner));
    if (!element.isF32() && !element.isF64())
      return emitOptionalError(loc, "sums of blocks are of f32 or f64, not of ",
                               element);
  }
  int64_t dims[] = {getDim(a, transposeA ? 1 : 0),
                    getDim(b, transposeB ? 0 : 1)};
  types.push_back(RankedTensorType::get(dims, element));
  return success();
}

// Returns the index of the channels' dimension: the last one for NHWC, the
// second one for NCHW. Emits an error and fails for other formats.
static FailureOr<int64_t> getChannelDim(std::optional<Location> loc,
                                        StringRef dataFormat, int64_t rank) {
  if (dataFormat == "NHWC")
    return rank - 1;
  if (dataFormat == "NCHW")
    return 1;
  return emitOptionalError(loc, "the data format '", dataFormat,
                           "' is neither NHWC nor NCHW");
}

LogicalResult BiasAddOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  Type bias = adaptor.getBias().getType();
  Type value = adaptor.getValue().getType();
  Shape shape = getTensorShape(value);
  // `bias` must be a vector, and `value` must have at least rank 2
  // (bias_add_c1).
  if (!mayHaveRank(bias, 1))
    return emitOptionalError(loc, "the bias must be a vector, but has shape ",
                             toString(getTensorShape(bias)));
  // `value` must have at least rank 2 (bias_add_c1).
  if (shape && shape->size() < 2)
    return emitOptionalError(
        loc, "the value must have at least 2 dimensions, but has shape ",
        toString(shape));
  Type element = getElementTypeOrSelf(value);
  // `value` and `bias` must have the same element type (bias_add_c4).
  if (element != getElementTypeOrSelf(bias))
    return emitOptionalError(loc, "element types differ: ", element,
                             " of the value and ", getElementTypeOrSelf(bias),
                             " of the bias");
  // `data_format` must be NHWC or NCHW (bias_add_c3).
  FailureOr<int64_t> channels =
      getChannelDim(loc, adaptor.getDataFormat(), shape ? shape->size() : 2);
  if (failed(channels))
    return failure();
  if (shape) {
    int64_t length = getDim(bias, 0);
    // The bias must be as long as the channel dimension (bias_add_c2).
    if (!areCompatibleDims((*shape)[*channels], length))
      return emitOptionalError(loc, "the bias has ", length,
                               " elements, but the value has ",
                               (*shape)[*channels], " channels");
    if (ShapedType::isDynamic((*shape)[*channels]))
      (*shape)[*channels] = length;
  }
  types.push_back(getTensorType(shape, element));
  return success();
}

LogicalResult BiasAddGradOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  Type gradient = adaptor.getGradient().getType();
  Shape shape = getTensorShape(gradient);
  // The gradient must have at least rank 2 (bias_add_grad_c1).
  if (shape && shape->size() < 2)
    return emitOptionalError(
        loc, "the gradient must have at least 2 dimensions, but has shape ",
        toString(shape));
  // `data_format` must be NHWC or NCHW (bias_add_grad_c2).
  FailureOr<int64_t> channels =
      getChannelDim(loc, adaptor.getDataFormat(), shape ? shape->size() : 2);
  if (failed(channels))
    return failure();
  int64_t length = shape ? (*shape)[*channels] : ShapedType::kDynamic;
  types.push_back(
      RankedTensorType::get({length}, getElementTypeOrSelf(gradient)));
  return success();
}

LogicalResult SparseSoftmaxCrossEntropyOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Type logits = adaptor.getLogits().getType();
  Type labels = adaptor.getLabels().getType();
  // Logits must have rank 2, labels rank 1 (xent_c1).
  if (!mayHaveRank(logits, 2))
    return emitOptionalError(
        loc, "logits must have shape [batch, classes], but have shape ",
        toString(getTensorShape(logits)));
  // Labels must be a vector (xent_c1).
  if (!mayHaveRank(labels, 1))
    return emitOptionalError(loc,
                             "labels must have shape [batch], but have shape ",
                             toString(getTensorShape(labels)));
  int64_t logitsBatch = getDim(logits, 0), labelsBatch = getDim(labels, 0);
  // Logits and labels must have the same batch size (xent_c2).
  if (!areCompatibleDims(logitsBatch, labelsBatch))
    return emitOptionalError(loc, "batch sizes differ: ", logitsBatch,
                             " of the logits and ", labelsBatch,
                             " of the labels");
  int64_t batch =
      ShapedType::isDynamic(logitsBatch) ? labelsBatch : logitsBatch;
  Type element = getElementTypeOrSelf(logits);
  types.push_back(RankedTensorType::get({batch}, element));
  types.push_back(RankedTensorType::get({batch, getDim(logits, 1)}, element));
  return success();
}

LogicalResult StatelessRandomGetKeyCounterOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Shape seed = getTensorShape(adaptor.getSeed().getType());
  // The seed must have shape [2] (key_counter_c1).
  if (!areCompatibleShapes(seed, SmallVector<int64_t>{2}))
    return emitOptionalError(loc, "the seed must have shape [2], but has ",
                             toString(seed));
  Type i64 = IntegerType::get(context, 64);
  types.push_back(RankedTensorType::get({1}, i64));
  types.push_back(RankedTensorType::get({2}, i64));
  return success();
}

LogicalResult StatelessRandomUniformOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  Shape key = getTensorShape(adaptor.getKey().getType());
  Shape counter = getTensorShape(adaptor.getCounter().getType());
  // The key must have shape [1], and the counter shape [2] (random_uniform_c1).
  if (!areCompatibleShapes(key, SmallVector<int64_t>{1}) ||
      !areCompatibleShapes(counter, SmallVector<int64_t>{2}))
    return emitOptionalError(
        loc, "key and counter must have the shapes [1] and [2], but have ",
        toString(key), " and ", toString(counter));
  std::optional<int64_t> algorithm = getConstantInt(adaptor.getAlgorithm());
  // A constant algorithm must be 1 (Philox) or 3 (auto) (random_uniform_c2).
  if (algorithm && *algorithm != 1 && *algorithm != 3)
    return emitOptionalError(loc, "random algorithm ", *algorithm,
                             " is not supported, only 1 (Philox) and 3 (auto)");
  // `dtype` must be a type of floats (random_uniform_c3).
  if (!isa<FloatType>(adaptor.getDtype()))
    return emitOptionalError(
        loc, "uniform random numbers must have a floating-point type, not ",
        adaptor.getDtype());
  // `shape` must be a vector of at most 254 sizes that are not negative; their
  // product must be below 2^63 (random_uniform_c4).
  FailureOr<Shape> shape = shapeFromOperand(loc, adaptor.getShape(), "'shape'");
  if (failed(shape))
    return failure();
  types.push_back(getTensorType(*shape, adaptor.getDtype()));
  return success();
}
