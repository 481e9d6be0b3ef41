//===- TensorArrayOps.cpp - Types of ops on TF1's arrays and stacks -------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/TensorArrayOps.h"

#include "dialects/Ingot/IR/ListChecks.h"
#include "dialects/Ingot/IR/ListOps.h"
#include "dialects/Ingot/IR/OpFamilies.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotTensorArrayOps.cpp.inc"

void mlir::ingot::addTensorArrayOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotTensorArrayOps.cpp.inc"
      >();
}

Type mlir::ingot::getItemsWritten(Operation *user, Value handle) {
  if (user->getNumOperands() == 0 || user->getOperand(0) != handle ||
      llvm::count(user->getOperands(), handle) != 1)
    return {};
  return llvm::TypeSwitch<Operation *, Type>(user)
      .Case<TensorArrayWriteOp, StackPushOp>(
          [](auto op) { return op.getValue().getType(); })
      .Case<TensorArrayScatterOp>(
          [](auto op) { return getRowType(op.getValue().getType()); })
      .Case<TensorArraySplitOp>(
          [](auto op) { return getPieceType(op.getValue().getType()); })
      .Case<TensorArrayReadOp, TensorArrayGatherOp, TensorArrayConcatOp,
            TensorArraySizeOp, TensorArrayGradOp, StackPopOp>(
          [](auto op) { return NoneType::get(op.getContext()); })
      .Default(Type());
}

/// Returns the type of an item with shape `shape` and element type
/// `elementType` that is read from the array `handle`.
static Type typeOfItems(Value handle, const Shape &shape, Type elementType) {
  if (!isa<VariantType>(elementType))
    return getTensorType(shape, elementType);
  TensorType item = getItemType(handle.getType(), elementType);
  return getVariantType(elementType.getContext(), shape,
                        item ? getItems(item) : Type());
}

static LogicalResult checkHandle(std::optional<Location> loc, Value handle) {
  return checkScalar(loc, handle, "the handle");
}

#define INFER(OP)                                                              \
  LogicalResult OP::inferReturnTypes(                                          \
      MLIRContext *context, [[maybe_unused]] std::optional<Location> loc,      \
      [[maybe_unused]] Adaptor adaptor,                                        \
      [[maybe_unused]] SmallVectorImpl<Type> &types)

INFER(TensorArrayOp) {
  Type items;
  if (adaptor.getHasShape()) {
    SmallVector<int64_t> dims(adaptor.getElementShape());
    for (int64_t &dim : dims)
      if (dim < 0)
        dim = ShapedType::kDynamic;
    items = getTensorType(Shape(dims), adaptor.getElementType());
  }
  types.push_back(getListType(context, items));
  // The size must be a scalar (tensor_array_c1).
  return checkScalar(loc, adaptor.getSize(), "the size");
}

INFER(TensorArrayGradOp) {
  // The TensorArray of gradients has items of the same types as the array whose
  // gradients it collects.
  types.push_back(getListType(context, getItems(adaptor.getArray().getType())));
  // The handle must be a scalar (tensor_array_grad_c1).
  return checkHandle(loc, adaptor.getArray());
}

INFER(TensorArrayWriteOp) {
  // The handle must be a scalar (tensor_array_write_c1).
  if (failed(checkHandle(loc, adaptor.getHandle())))
    return failure();
  // The index must be a scalar (tensor_array_write_c2).
  return checkScalar(loc, adaptor.getIndex(), "the index");
}

INFER(TensorArrayReadOp) {
  Value handle = adaptor.getHandle();
  Type element = adaptor.getElementType();
  types.push_back(
      typeOfItems(handle, getItemShape(handle.getType(), element), element));
  // The handle must be a scalar (tensor_array_read_c1).
  if (failed(checkHandle(loc, handle)))
    return failure();
  // The index must be a scalar (tensor_array_read_c2).
  return checkScalar(loc, adaptor.getIndex(), "the index");
}

INFER(TensorArrayGatherOp) {
  Value handle = adaptor.getHandle(), indices = adaptor.getIndices();
  Type element = adaptor.getElementType();
  // The handle must be a scalar (tensor_array_gather_c1). The indices must be a
  // vector (tensor_array_gather_c2).
  if (failed(checkHandle(loc, handle)) ||
      failed(checkVector(loc, indices, "the indices")))
    return failure();
  types.push_back(typeOfItems(handle,
                              withRows(getItemShape(handle.getType(), element),
                                       getDim(indices.getType(), 0)),
                              element));
  return success();
}

INFER(TensorArrayScatterOp) {
  // The handle must be a scalar (tensor_array_scatter_c1).
  if (failed(checkHandle(loc, adaptor.getHandle())))
    return failure();
  // The indices must be a vector (tensor_array_scatter_c2).
  if (failed(checkVector(loc, adaptor.getIndices(), "the indices")))
    return failure();
  // The tensor must have at least rank 1, so that it has rows
  // (tensor_array_scatter_c3).
  return checkRows(loc, adaptor.getValue());
}

INFER(TensorArrayConcatOp) {
  Value handle = adaptor.getHandle();
  Type element = adaptor.getElementType();
  Shape shape = getItemShape(handle.getType(), element);
  if (shape && !shape->empty())
    shape->front() = ShapedType::kDynamic;
  types.push_back(typeOfItems(handle, shape, element));
  types.push_back(RankedTensorType::get({ShapedType::kDynamic},
                                        IntegerType::get(context, 64)));
  // The handle must be a scalar (tensor_array_concat_c1).
  return checkHandle(loc, handle);
}

INFER(TensorArraySplitOp) {
  // The handle must be a scalar (tensor_array_split_c1). The tensor must have
  // at least rank 1, so that it has rows (tensor_array_split_c2).
  if (failed(checkHandle(loc, adaptor.getHandle())) ||
      failed(checkRows(loc, adaptor.getValue())))
    return failure();
  // The lengths must be a vector (tensor_array_split_c3).
  return checkVector(loc, adaptor.getLengths(), "the lengths");
}

INFER(TensorArraySizeOp) {
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 32)));
  // The handle must be a scalar (tensor_array_size_c1).
  return checkHandle(loc, adaptor.getHandle());
}

INFER(StackOp) {
  types.push_back(getListType(context, Type()));
  return success();
}

INFER(StackPushOp) {
  // The handle must be a scalar (stack_push_c1).
  return checkHandle(loc, adaptor.getHandle());
}

INFER(StackPopOp) {
  Value handle = adaptor.getHandle();
  Type element = adaptor.getElementType();
  types.push_back(
      typeOfItems(handle, getItemShape(handle.getType(), element), element));
  // The handle must be a scalar (stack_pop_c1).
  return checkHandle(loc, handle);
}
