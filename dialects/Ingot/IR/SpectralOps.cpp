//===- SpectralOps.cpp - Eigenvalues and singular values ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/SpectralOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotSpectralOps.cpp.inc"

void mlir::ingot::addSpectralOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotSpectralOps.cpp.inc"
      >();
}

static LogicalResult checkMatrix(std::optional<Location> loc,
                                 const Shape &shape) {
  // The input must be at least a matrix (svd_c1).
  if (shape && shape->size() < 2)
    return emitOptionalError(loc, "the input has shape ", toString(shape),
                             ", but must have at least 2 dimensions");
  return success();
}

LogicalResult SelfAdjointEigOp::inferReturnTypes(MLIRContext *,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  Shape shape = getTensorShape(adaptor.getInput().getType());
  if (failed(checkMatrix(loc, shape)))
    return failure();
  // The input's matrices (its last two dimensions) must be square
  // (self_adjoint_eig_c1).
  if (shape && !areCompatibleDims(shape->back(), (*shape)[shape->size() - 2]))
    return emitOptionalError(loc, "Input matrix must be square, but has shape ",
                             toString(shape));
  Type element = getElementTypeOrSelf(adaptor.getInput());
  Shape values = shape, vectors = SmallVector<int64_t>{0};
  if (shape) {
    values->pop_back();
    if (ShapedType::isDynamic(values->back()))
      values->back() = shape->back();
  }
  if (adaptor.getComputeV()) {
    vectors = shape;
    if (shape)
      vectors->back() = (*vectors)[vectors->size() - 2] = values->back();
  }
  types.append(
      {getTensorType(values, element), getTensorType(vectors, element)});
  return success();
}

LogicalResult SVDOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  Shape shape = getTensorShape(adaptor.getInput().getType());
  if (failed(checkMatrix(loc, shape)))
    return failure();
  Type element = getElementTypeOrSelf(adaptor.getInput());
  Shape values = shape, u = SmallVector<int64_t>{0}, v = u;
  if (shape) {
    int64_t rows = (*shape)[shape->size() - 2], columns = shape->back();
    int64_t rank = ShapedType::isStatic(rows) && ShapedType::isStatic(columns)
                       ? std::min(rows, columns)
                       : ShapedType::kDynamic;
    values->pop_back();
    values->back() = rank;
    if (adaptor.getComputeUv()) {
      bool isFull = adaptor.getFullMatrices();
      u = v = shape;
      u->back() = isFull ? rows : rank;
      (*v)[v->size() - 2] = columns;
      v->back() = isFull ? columns : rank;
    }
  } else if (adaptor.getComputeUv()) {
    u = v = std::nullopt;
  }
  for (const Shape &result : {values, u, v})
    types.push_back(getTensorType(result, element));
  return success();
}

/// Returns the input's shape. Its matrices (its last two dimensions) must be
/// square (square_c1), so if only one of these two sizes is known, the other
/// one is set to it.
static FailureOr<Shape> inferSquare(std::optional<Location> loc, Value input) {
  Shape shape = getTensorShape(input.getType());
  if (failed(checkMatrix(loc, shape)))
    return failure();
  if (!shape)
    return shape;
  int64_t &rows = (*shape)[shape->size() - 2], &columns = shape->back();
  if (!areCompatibleDims(rows, columns))
    return emitOptionalError(loc, "Input matrix must be square, but has shape ",
                             toString(shape));
  rows = columns = ShapedType::isDynamic(rows) ? columns : rows;
  return shape;
}

LogicalResult EigOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  FailureOr<Shape> vectors = inferSquare(loc, adaptor.getInput());
  if (failed(vectors))
    return failure();
  Type element = getElementTypeOrSelf(adaptor.getInput());
  if (!isa<ComplexType>(element))
    element = ComplexType::get(element);
  Shape values = *vectors;
  if (values)
    values->pop_back();
  if (!adaptor.getComputeV())
    vectors = Shape(SmallVector<int64_t>{0});
  types.append(
      {getTensorType(values, element), getTensorType(*vectors, element)});
  return success();
}

LogicalResult LuOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                     Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  FailureOr<Shape> shape = inferSquare(loc, adaptor.getInput());
  if (failed(shape))
    return failure();
  types.push_back(
      getTensorType(*shape, getElementTypeOrSelf(adaptor.getInput())));
  if (*shape)
    (*shape)->pop_back();
  types.push_back(getTensorType(*shape, adaptor.getIndexType()));
  return success();
}

template <typename AdaptorT>
static LogicalResult inferFunction(std::optional<Location> loc,
                                   AdaptorT adaptor,
                                   SmallVectorImpl<Type> &types) {
  FailureOr<Shape> shape = inferSquare(loc, adaptor.getInput());
  if (succeeded(shape))
    types.push_back(
        getTensorType(*shape, getElementTypeOrSelf(adaptor.getInput())));
  return LogicalResult(shape);
}

LogicalResult
MatrixSquareRootOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                     Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  return inferFunction(loc, adaptor, types);
}

LogicalResult MatrixExponentialOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferFunction(loc, adaptor, types);
}

LogicalResult
MatrixLogarithmOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                    Adaptor adaptor,
                                    SmallVectorImpl<Type> &types) {
  return inferFunction(loc, adaptor, types);
}
