//===- TensorArrayOps.cpp - Types of ops on TF1's arrays and stacks -------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/TensorArrayOps.h"

#include "dialects/Ingot/Families.h"
#include "dialects/Ingot/ListChecks.h"
#include "dialects/Ingot/ListOps.h"

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
  return checkScalar(loc, adaptor.getSize(), // (tensor_array_c1)
                     "the size");
}

INFER(TensorArrayGradOp) {
  // The TensorArray of gradients has items of the same types as the array whose
  // gradients it collects.
  types.push_back(getListType(context, getItems(adaptor.getArray().getType())));
  return checkHandle(loc, adaptor.getArray()); // (tensor_array_grad_c1)
}

INFER(TensorArrayWriteOp) {
  if (failed(checkHandle(loc, adaptor.getHandle())))
    return failure();                         // (tensor_array_write_c1)
  return checkScalar(loc, adaptor.getIndex(), // (tensor_array_write_c2)
                     "the index");
}

INFER(TensorArrayReadOp) {
  Value handle = adaptor.getHandle();
  Type element = adaptor.getElementType();
  types.push_back(
      typeOfItems(handle, getItemShape(handle.getType(), element), element));
  if (failed(checkHandle(loc, handle))) // (tensor_array_read_c1)
    return failure();
  return checkScalar(loc, adaptor.getIndex(), // (tensor_array_read_c2)
                     "the index");
}

INFER(TensorArrayGatherOp) {
  Value handle = adaptor.getHandle(), indices = adaptor.getIndices();
  Type element = adaptor.getElementType();
  if (failed(checkHandle(loc, handle)) || // (tensor_array_gather_c1)
      failed(checkVector(loc, indices,    // (tensor_array_gather_c2)
                         "the indices")))
    return failure();
  types.push_back(typeOfItems(handle,
                              withRows(getItemShape(handle.getType(), element),
                                       getDim(indices.getType(), 0)),
                              element));
  return success();
}

INFER(TensorArrayScatterOp) {
  if (failed(checkHandle(loc, adaptor.getHandle())))
    return failure();                               // (tensor_array_scatter_c1)
  if (failed(checkVector(loc, adaptor.getIndices(), // (tensor_array_scatter_c2)
                         "the indices")))
    return failure();
  return checkRows(loc, adaptor.getValue()); // (tensor_array_scatter_c3)
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
  return checkHandle(loc, handle); // (tensor_array_concat_c1)
}

INFER(TensorArraySplitOp) {
  if (failed(
          checkHandle(loc, adaptor.getHandle())) || // (tensor_array_split_c1)
      failed(checkRows(loc, adaptor.getValue())))   // (tensor_array_split_c2)
    return failure();
  return checkVector(loc, adaptor.getLengths(), // (tensor_array_split_c3)
                     "the lengths");
}

INFER(TensorArraySizeOp) {
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 32)));
  return checkHandle(loc, adaptor.getHandle()); // (tensor_array_size_c1)
}

INFER(StackOp) {
  types.push_back(getListType(context, Type()));
  return success();
}

INFER(StackPushOp) {
  return checkHandle(loc, adaptor.getHandle()); // (stack_push_c1)
}

INFER(StackPopOp) {
  Value handle = adaptor.getHandle();
  Type element = adaptor.getElementType();
  types.push_back(
      typeOfItems(handle, getItemShape(handle.getType(), element), element));
  return checkHandle(loc, handle); // (stack_pop_c1)
}
