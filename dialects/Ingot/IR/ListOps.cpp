//===- ListOps.cpp - Types of ops on lists of tensors ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ListOps.h"

#include "dialects/Ingot/IR/ListChecks.h"
#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/PartialConstants.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotListOps.cpp.inc"

void mlir::ingot::addListOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotListOps.cpp.inc"
      >();
}

/// Returns the shape that the operand `elementShape` describes, as far as it is
/// known: -1 stands for an unknown size, and a vector with -2 as its only
/// element (ingot.tensor_list_element_shape makes such vectors) for an unknown
/// rank.
static Shape shapeOf(Value elementShape) {
  auto type = dyn_cast<RankedTensorType>(elementShape.getType());
  if (!type || type.getRank() != 1)
    return std::nullopt;
  std::optional<SmallVector<int64_t>> dims = getPartialInts(elementShape);
  if (!dims || (dims->size() == 1 && dims->front() == -2))
    return std::nullopt;
  for (int64_t &dim : *dims)
    if (dim < 0)
      dim = ShapedType::kDynamic;
  return *dims;
}

static Shape refined(const Shape &a, const Shape &b) {
  return areCompatibleShapes(a, b) ? refineShape(a, b) : a;
}

/// Returns the shape of an item that is read from a list, as far as the list's
/// type and the operand `elementShape` determine it.
static Shape itemShape(Value list, Value elementShape, Type elementType) {
  return refined(shapeOf(elementShape),
                 getItemShape(list.getType(), elementType));
}

/// Returns the type of items with element type `elementType` that are read from
/// a list and have shape `shape`.
static Type typeOfItems(Value list, const Shape &shape, Type elementType) {
  if (!isa<VariantType>(elementType))
    return getTensorType(shape, elementType);
  TensorType item = getItemType(list.getType(), elementType);
  return getVariantType(elementType.getContext(), shape,
                        item ? getItems(item) : Type());
}

static Type noItems(MLIRContext *context) {
  return getListType(context, NoneType::get(context));
}

#define INFER(OP)                                                              \
  LogicalResult OP::inferReturnTypes(                                          \
      MLIRContext *context, [[maybe_unused]] std::optional<Location> loc,      \
      [[maybe_unused]] Adaptor adaptor, SmallVectorImpl<Type> &types)

INFER(TensorListEmptyOp) {
  types.push_back(noItems(context));
  // The element shape must be a scalar or a vector (tensor_list_empty_c1).
  return checkElementShape(loc, adaptor.getElementShape());
}

INFER(TensorListReserveOp) {
  types.push_back(noItems(context));
  // The element shape must be a scalar or a vector (tensor_list_reserve_c1).
  if (failed(checkElementShape(loc, adaptor.getElementShape())))
    return failure();
  // The number of elements must be a scalar (tensor_list_reserve_c2).
  return checkScalar(loc, adaptor.getNumElements(), "the number of elements");
}

INFER(TensorListPushBackOp) {
  types.push_back(
      getListType(context, joinItems(getItems(adaptor.getInput().getType()),
                                     adaptor.getTensor().getType())));
  // The list must be a scalar (tensor_list_push_back_c1).
  return checkList(loc, adaptor.getInput());
}

INFER(TensorListPopBackOp) {
  Value list = adaptor.getInput();
  types.push_back(getListType(context, getItems(list.getType())));
  types.push_back(typeOfItems(
      list,
      itemShape(list, adaptor.getElementShape(), adaptor.getElementType()),
      adaptor.getElementType()));
  // The list must be a scalar (tensor_list_pop_back_c1).
  if (failed(checkList(loc, list)))
    return failure();
  // The element shape must be a scalar or a vector (tensor_list_pop_back_c2).
  return checkElementShape(loc, adaptor.getElementShape());
}

INFER(TensorListGetItemOp) {
  Value list = adaptor.getInput();
  types.push_back(typeOfItems(
      list,
      itemShape(list, adaptor.getElementShape(), adaptor.getElementType()),
      adaptor.getElementType()));
  // The list must be a scalar (tensor_list_get_item_c1). The element shape must
  // be a scalar or a vector (tensor_list_get_item_c2).
  if (failed(checkList(loc, list)) ||
      failed(checkElementShape(loc, adaptor.getElementShape())))
    return failure();
  // The index must be a scalar (tensor_list_get_item_c3).
  return checkScalar(loc, adaptor.getIndex(), "the index");
}

INFER(TensorListSetItemOp) {
  types.push_back(
      getListType(context, joinItems(getItems(adaptor.getInput().getType()),
                                     adaptor.getItem().getType())));
  // The list must be a scalar (tensor_list_set_item_c1).
  if (failed(checkList(loc, adaptor.getInput())))
    return failure();
  // The index must be a scalar (tensor_list_set_item_c2).
  return checkScalar(loc, adaptor.getIndex(), "the index");
}

INFER(TensorListStackOp) {
  Value list = adaptor.getInput();
  int64_t count = adaptor.getNumElements();
  types.push_back(
      typeOfItems(list,
                  withRows(itemShape(list, adaptor.getElementShape(),
                                     adaptor.getElementType()),
                           count < 0 ? ShapedType::kDynamic : count),
                  adaptor.getElementType()));
  // The list must be a scalar (tensor_list_stack_c1).
  if (failed(checkList(loc, list)))
    return failure();
  // The element shape must be a scalar or a vector (tensor_list_stack_c2).
  return checkElementShape(loc, adaptor.getElementShape());
}

INFER(TensorListFromTensorOp) {
  Type row = getRowType(adaptor.getTensor().getType());
  types.push_back(getListType(context, row));
  // The tensor must have at least rank 1, so that it has rows
  // (tensor_list_from_tensor_c1).
  if (failed(checkRows(loc, adaptor.getTensor())))
    return failure();
  // The element shape must be a scalar or a vector
  // (tensor_list_from_tensor_c2).
  return checkElementShape(loc, adaptor.getElementShape());
}

INFER(TensorListLengthOp) {
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 32)));
  // The list must be a scalar (tensor_list_length_c1).
  return checkList(loc, adaptor.getInput());
}

INFER(TensorListElementShapeOp) {
  Type type = adaptor.getShapeType();
  types.push_back(RankedTensorType::get({ShapedType::kDynamic}, type));
  // The list must be a scalar (tensor_list_element_shape_c1).
  if (failed(checkList(loc, adaptor.getInput())))
    return failure();
  // `shape_type` must be i32 or i64 (tensor_list_element_shape_c2).
  if (!type.isSignlessInteger(32) && !type.isSignlessInteger(64))
    return emitOptionalError(
        loc, "a shape must have int32 or int64 elements, not ", type);
  return success();
}

INFER(TensorListResizeOp) {
  types.push_back(getListType(context, getItems(adaptor.getInput().getType())));
  // The list must be a scalar (tensor_list_resize_c1).
  if (failed(checkList(loc, adaptor.getInput())))
    return failure();
  // The size must be a scalar (tensor_list_resize_c2).
  return checkScalar(loc, adaptor.getSize(), "the size");
}

INFER(TensorListGatherOp) {
  Value list = adaptor.getInput(), indices = adaptor.getIndices();
  // The list must be a scalar (tensor_list_gather_c1). The element shape must
  // be a scalar or a vector (tensor_list_gather_c2). The indices must be a
  // vector (tensor_list_gather_c3).
  if (failed(checkList(loc, list)) ||
      failed(checkElementShape(loc, adaptor.getElementShape())) ||
      failed(checkVector(loc, indices, "the indices")))
    return failure();
  types.push_back(
      typeOfItems(list,
                  withRows(itemShape(list, adaptor.getElementShape(),
                                     adaptor.getElementType()),
                           getDim(indices.getType(), 0)),
                  adaptor.getElementType()));
  return success();
}

INFER(TensorListScatterOp) {
  types.push_back(
      getListType(context, getRowType(adaptor.getTensor().getType())));
  // The tensor must have at least rank 1, so that it has rows
  // (tensor_list_scatter_c1). The indices must be a vector
  // (tensor_list_scatter_c2).
  if (failed(checkRows(loc, adaptor.getTensor())) ||
      failed(checkVector(loc, adaptor.getIndices(), "the indices")))
    return failure();
  // The element shape must be a scalar or a vector (tensor_list_scatter_c3).
  return checkElementShape(loc, adaptor.getElementShape());
}

INFER(TensorListScatterIntoOp) {
  Value list = adaptor.getInput();
  types.push_back(getListType(
      context, joinItems(getItems(list.getType()),
                         getRowType(adaptor.getTensor().getType()))));
  // The list must be a scalar (tensor_list_scatter_into_c1). The tensor must
  // have at least rank 1, so that it has rows (tensor_list_scatter_into_c2).
  if (failed(checkList(loc, list)) ||
      failed(checkRows(loc, adaptor.getTensor())))
    return failure();
  // The indices must be a vector (tensor_list_scatter_into_c3).
  return checkVector(loc, adaptor.getIndices(), "the indices");
}

INFER(TensorListSplitOp) {
  Value tensor = adaptor.getTensor();
  // The tensor must have at least rank 1, so that it has rows
  // (tensor_list_split_c1). The element shape must be a scalar or a vector
  // (tensor_list_split_c2). The lengths must be a vector
  // (tensor_list_split_c3).
  if (failed(checkRows(loc, tensor)) ||
      failed(checkElementShape(loc, adaptor.getElementShape())) ||
      failed(checkVector(loc, adaptor.getLengths(), "the lengths")))
    return failure();
  types.push_back(getListType(context, getPieceType(tensor.getType())));
  return success();
}

INFER(TensorListConcatOp) {
  Value list = adaptor.getInput();
  Shape shape =
      itemShape(list, adaptor.getElementShape(), adaptor.getElementType());
  if (shape && !shape->empty())
    shape->front() = ShapedType::kDynamic;
  types.push_back(typeOfItems(list, shape, adaptor.getElementType()));
  types.push_back(RankedTensorType::get({ShapedType::kDynamic},
                                        IntegerType::get(context, 64)));
  // The list must be a scalar (tensor_list_concat_c1).
  if (failed(checkList(loc, list)))
    return failure();
  // The element shape must be a scalar or a vector (tensor_list_concat_c2).
  return checkElementShape(loc, adaptor.getElementShape());
}

INFER(TensorListPushBackBatchOp) {
  Type lists = adaptor.getInput().getType();
  Type tensor = adaptor.getTensor().getType();
  Shape shape = getTensorShape(lists), rows = getTensorShape(tensor);
  // The tensor must have one row for each list: the row that is appended to
  // this list (tensor_list_push_back_batch_c1).
  if ((shape && shape->size() != 1) || (rows && rows->empty()) ||
      (shape && rows && !areCompatibleDims(shape->front(), rows->front())))
    return emitOptionalError(loc,
                             "expected a vector of lists and a tensor with one "
                             "row for each list, but got shapes ",
                             toString(shape), " and ", toString(rows));
  types.push_back(getVariantType(
      context, shape, joinItems(getItems(lists), getRowType(tensor))));
  return success();
}

INFER(TensorListConcatListsOp) {
  Type first = adaptor.getFirst().getType();
  Type second = adaptor.getSecond().getType();
  Shape a = getTensorShape(first), b = getTensorShape(second);
  // Both operands must have the same number of lists
  // (tensor_list_concat_lists_c1).
  if (!areCompatibleShapes(a, b))
    return emitOptionalError(
        loc,
        "the two tensors of lists must have the same shape, but have shapes ",
        toString(a), " and ", toString(b));
  types.push_back(getVariantType(context, refineShape(a, b),
                                 joinItems(getItems(first), getItems(second))));
  return success();
}

INFER(VariantAddOp) {
  // There must be at least one input, and all inputs must be scalars
  // (variant_add_c1).
  if (adaptor.getInputs().empty())
    return emitOptionalError(loc, "expected at least one list to add");
  Type items = getItems(adaptor.getInputs().front().getType());
  for (Value input : adaptor.getInputs()) {
    if (failed(checkList(loc, input)))
      return failure();
    items = joinItems(items, getItems(input.getType()));
  }
  types.push_back(getListType(context, items));
  return success();
}

INFER(VariantZerosOp) {
  types.push_back(getListType(context, getItems(adaptor.getInput().getType())));
  // The input must be a scalar (variant_zeros_c1).
  return checkList(loc, adaptor.getInput());
}

INFER(OptionalFromValueOp) {
  // There must be at least one component (optional_from_value_c1).
  if (adaptor.getComponents().empty())
    return emitOptionalError(loc,
                             "an optional must have at least one component");
  Type items;
  for (auto [i, component] : llvm::enumerate(adaptor.getComponents()))
    items =
        i == 0 ? component.getType() : joinItems(items, component.getType());
  types.push_back(getListType(context, items));
  return success();
}

INFER(OptionalNoneOp) {
  types.push_back(noItems(context));
  return success();
}

INFER(OptionalHasValueOp) {
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 1)));
  // The optional must be a scalar (optional_has_value_c1).
  return checkList(loc, adaptor.getOptional());
}

INFER(OptionalGetValueOp) {
  Value optional = adaptor.getOptional();
  types.push_back(typeOfItems(
      optional, getItemShape(optional.getType(), adaptor.getElementType()),
      adaptor.getElementType()));
  // The index must be that of a component (optional_get_value_c2).
  std::optional<ArrayAttr> components = adaptor.getComponentTypes();
  size_t count = components ? components->size() : 1;
  if (static_cast<uint64_t>(adaptor.getIndex()) >= count)
    return emitOptionalError(loc, "the index must be in [0, ", count,
                             "), by the number of components, but is ",
                             adaptor.getIndex());
  // The optional must be a scalar (optional_get_value_c1).
  return checkList(loc, optional);
}

INFER(RowsGetOp) {
  types.push_back(getRowType(adaptor.getRows().getType()));
  // The tensor must have at least rank 1, so that it has rows (rows_get_c1).
  if (failed(checkRows(loc, adaptor.getRows())))
    return failure();
  // The index must be a scalar (rows_get_c2).
  return checkScalar(loc, adaptor.getIndex(), "the index");
}

INFER(RowsSetOp) {
  Type rows = adaptor.getRows().getType();
  types.push_back(rows);
  // The tensor must have at least rank 1, so that it has rows (rows_set_c1).
  // The index must be a scalar (rows_set_c2).
  if (failed(checkRows(loc, adaptor.getRows())) ||
      failed(checkScalar(loc, adaptor.getIndex(), "the index")))
    return failure();
  Type row = adaptor.getRow().getType();
  // The row must have the type of the tensor's rows (rows_set_c3).
  if (!areCompatibleTypes(row, getRowType(rows)))
    return emitOptionalError(loc, "the row must have type ", getRowType(rows),
                             ", that of the tensor's rows, but has type ", row);
  return success();
}
