//===- ListOps.cpp - Ops on elements of TensorLists -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/TensorList.h"
#include "runtime/Support/DType.h"

#include <algorithm>

using namespace ingot;
using namespace ingot::ops;

static std::unique_ptr<TensorList> makeList(int32_t dtype, const OpInput &shape,
                                            size_t size) {
  return std::make_unique<TensorList>(dtype, shapeFrom(shape), size);
}

/// Checks the size of a list. Sizes may come from fed values, so they can be
/// negative or huge.
static Status checkSize(OpKernelContext &op, int64_t size) {
  constexpr int64_t most = int64_t(1) << 28;
  if (size < 0 || size > most)
    return op.invalid("the number of elements " + std::to_string(size) +
                      " is not in [0, " + std::to_string(most) + "]");
  return Status::ok();
}

/// Checks that an element of type `dtype` and shape `dims` may be stored in
/// `list`. A list of variants may also store strings, because graphs declare
/// ragged tensors as variants, but here they are serialized to strings.
static Status check(OpKernelContext &op, const TensorList &list, int32_t dtype,
                    Dims dims) {
  if (dtype != list.dtype &&
      (dtype != INGOT_STRING || list.dtype != INGOT_VARIANT))
    return op.invalid("an element of type " + dtypeName(dtype) +
                      " does not fit into a list whose elements have type " +
                      dtypeName(list.dtype));
  if (!fits(list.shape, dims))
    return op.invalid("an element of shape " + dimsText(dims) +
                      " does not fit into a list whose elements have shape " +
                      shapeText(list.shape));
  return Status::ok();
}

static Dims rowDims(const OpInput &tensor) { return tensor.dims().subspan(1); }

// Implements EmptyTensorList. Inputs: the shape of elements, and the largest
// size of the list (negative: no limit).
INGOT_RUNTIME_OP(tensor_list_empty) {
  auto list = makeList(static_cast<int32_t>(op.integer("element_type", 0)),
                       op.input(0), 0);
  list->maxSize = op.input(1).integer(0);
  return setList(op, 0, std::move(list));
}

// Implements TensorListReserve. Inputs: the shape of elements, and the number
// of elements, which have no values yet.
INGOT_RUNTIME_OP(tensor_list_reserve) {
  int64_t size = op.input(1).integer(0);
  INGOT_RETURN_IF_ERROR(checkSize(op, size));
  return setList(op, 0,
                 makeList(static_cast<int32_t>(op.integer("element_type", 0)),
                          op.input(0), static_cast<size_t>(size)));
}

// Implements TensorListPushBack. Inputs: a list, and the tensor to append.
INGOT_RUNTIME_OP(tensor_list_push_back) {
  INGOT_ASSIGN_OR_RETURN(const TensorList *list, listOf(op, op.input(0)));
  OpInput tensor = op.input(1);
  INGOT_RETURN_IF_ERROR(check(op, *list, tensor.dtype(), tensor.dims()));
  if (list->maxSize >= 0 && static_cast<int64_t>(list->size()) >= list->maxSize)
    return op.invalid(
        "the list already has as many elements as max_num_elements allows: " +
        std::to_string(list->maxSize));
  INGOT_ASSIGN_OR_RETURN(const TensorListItem *item, makeItem(op, tensor));
  auto pushed = list->pushed(item);
  pushed->dtype = tensor.dtype();
  return setList(op, 0, std::move(pushed));
}

/// Writes element `i` to an output. An element without a value becomes zeros of
/// shape `shape`, whose unknown dimensions are taken from the list's shape and
/// from the shapes of the other elements.
static Status writeElement(OpKernelContext &op, size_t output,
                           const TensorList &list, size_t i, ItemShape shape) {
  const TensorListItem *item = list[i];
  if (item && !fits(shape, item->dims))
    return op.invalid("element " + std::to_string(i) + " has shape " +
                      dimsText(item->dims) + ", expected " + shapeText(shape));
  if (!item) {
    bool agree = merge(shape, list.shape);
    if (agree && !isFullyKnown(shape))
      for (const TensorListItem *other : list.all())
        if (other)
          agree &= merge(shape, other->dims);
    if (!agree || !isFullyKnown(shape))
      return op.invalid(
          "element " + std::to_string(i) + " was never set, and " +
          (agree ? "its shape is not fully known: " + shapeText(shape)
                 : "its shape is unknown, because element_shape and the shapes "
                   "of the other elements are incompatible"));
    INGOT_ASSIGN_OR_RETURN(item, makeZeros(op, list.dtype, *shape));
  }
  return writeItem(op, output, *item);
}

// Implements TensorListPopBack. Inputs: a list, and the shape of elements.
// Outputs: the list without its last element, and this element.
INGOT_RUNTIME_OP(tensor_list_pop_back) {
  INGOT_ASSIGN_OR_RETURN(const TensorList *list, listOf(op, op.input(0)));
  if (list->size() == 0)
    return op.invalid("cannot pop an element from an empty list");
  INGOT_RETURN_IF_ERROR(
      writeElement(op, 1, *list, list->size() - 1, shapeFrom(op.input(1))));
  return setList(op, 0, list->popped());
}

static Status outside(OpKernelContext &op, int64_t index,
                      const TensorList &list) {
  return op.invalid("index " + std::to_string(index) +
                    " is outside a list of size " +
                    std::to_string(list.size()));
}

// Implements TensorListGetItem. Inputs: a list, the element's index, and the
// shape of elements.
INGOT_RUNTIME_OP(tensor_list_get_item) {
  INGOT_ASSIGN_OR_RETURN(const TensorList *list, listOf(op, op.input(0)));
  int64_t index = op.input(1).integer(0);
  if (index < 0 || static_cast<size_t>(index) >= list->size())
    return outside(op, index, *list);
  return writeElement(op, 0, *list, static_cast<size_t>(index),
                      shapeFrom(op.input(2)));
}

// Implements TensorListSetItem. Inputs: a list, an index, and the new element.
// With `resize`, the list grows if the index is beyond its end.
INGOT_RUNTIME_OP(tensor_list_set_item) {
  INGOT_ASSIGN_OR_RETURN(const TensorList *list, listOf(op, op.input(0)));
  int64_t index = op.input(1).integer(0);
  OpInput tensor = op.input(2);
  INGOT_RETURN_IF_ERROR(check(op, *list, tensor.dtype(), tensor.dims()));
  if (index < 0 ||
      (static_cast<size_t>(index) >= list->size() && !op.flag("resize")))
    return outside(op, index, *list);
  INGOT_ASSIGN_OR_RETURN(const TensorListItem *item, makeItem(op, tensor));
  auto place = static_cast<size_t>(index);
  if (place < list->size()) {
    auto replaced = list->replaced(place, item);
    replaced->dtype = tensor.dtype();
    return setList(op, 0, std::move(replaced));
  }
  INGOT_RETURN_IF_ERROR(checkSize(op, index + 1));
  auto longer = list->resized(place + 1);
  longer->set(place, item);
  return setList(op, 0, std::move(longer));
}

INGOT_RUNTIME_OP(tensor_list_length) {
  INGOT_ASSIGN_OR_RETURN(const TensorList *list, listOf(op, op.input(0)));
  INGOT_ASSIGN_OR_RETURN(auto length, op.output<int32_t>(0, {}));
  length[0] = static_cast<int32_t>(list->size());
  return Status::ok();
}

// Implements TensorListElementShape. Output: the static shape of elements, or
// [-2] if their rank is unknown.
INGOT_RUNTIME_OP(tensor_list_element_shape) {
  INGOT_ASSIGN_OR_RETURN(const TensorList *list, listOf(op, op.input(0)));
  std::vector<int64_t> dims = list->shape.value_or(std::vector<int64_t>{-2});
  auto rank = static_cast<int64_t>(dims.size());
  if (op.outputType(0) == INGOT_INT64) {
    INGOT_ASSIGN_OR_RETURN(auto shape, op.output<int64_t>(0, {rank}));
    std::copy(dims.begin(), dims.end(), shape.begin());
    return Status::ok();
  }
  INGOT_ASSIGN_OR_RETURN(auto shape, op.output<int32_t>(0, {rank}));
  for (size_t i = 0; i < dims.size(); ++i)
    shape[i] = static_cast<int32_t>(dims[i]);
  return Status::ok();
}

// Implements TensorListResize. Inputs: a list and the new size. Elements that
// are added have no values.
INGOT_RUNTIME_OP(tensor_list_resize) {
  INGOT_ASSIGN_OR_RETURN(const TensorList *list, listOf(op, op.input(0)));
  int64_t size = op.input(1).integer(0);
  INGOT_RETURN_IF_ERROR(checkSize(op, size));
  return setList(op, 0, list->resized(static_cast<size_t>(size)));
}

// Implements TensorListFromTensor. Inputs: a tensor, whose rows become the
// elements, and the shape of elements.
INGOT_RUNTIME_OP(tensor_list_from_tensor) {
  OpInput tensor = op.input(0);
  auto size = static_cast<size_t>(tensor.dim(0));
  auto list = makeList(tensor.dtype(), op.input(1), size);
  INGOT_RETURN_IF_ERROR(check(op, *list, tensor.dtype(), rowDims(tensor)));
  for (size_t i = 0; i < size; ++i) {
    INGOT_ASSIGN_OR_RETURN(
        const TensorListItem *row,
        makeRows(op, tensor, static_cast<int64_t>(i), std::nullopt));
    list->set(i, row);
  }
  return setList(op, 0, std::move(list));
}

/// Writes the rows of `tensor` to elements `indices` of a list that has no
/// other owner.
static Status scatter(OpKernelContext &op, TensorList &list,
                      const OpInput &tensor, const OpInput &indices) {
  if (tensor.dim(0) != indices.dim(0))
    return op.invalid("the tensor has " + std::to_string(tensor.dim(0)) +
                      " rows, but the number of indices is " +
                      std::to_string(indices.dim(0)));
  INGOT_RETURN_IF_ERROR(check(op, list, tensor.dtype(), rowDims(tensor)));
  for (int64_t row = 0; row < tensor.dim(0); ++row) {
    int64_t index = indices.integer(static_cast<size_t>(row));
    if (index < 0 || static_cast<size_t>(index) >= list.size())
      return outside(op, index, list);
    INGOT_ASSIGN_OR_RETURN(const TensorListItem *item,
                           makeRows(op, tensor, row, std::nullopt));
    list.set(static_cast<size_t>(index), item);
  }
  return Status::ok();
}

static int64_t sizeFor(const OpInput &indices) {
  int64_t size = 0;
  for (int64_t index : indices.integers())
    size = std::max(size, index + 1);
  return size;
}

// Implements TensorListScatter and TensorListScatterV2. Inputs: a tensor,
// indices, the shape of elements, and the list's size (-1: as large as the
// indices need). Row i of the tensor becomes element indices[i].
INGOT_RUNTIME_OP(tensor_list_scatter) {
  OpInput indices = op.input(1);
  int64_t size = op.input(3).integer(0);
  if (size == -1)
    size = sizeFor(indices);
  INGOT_RETURN_IF_ERROR(checkSize(op, size));
  auto list =
      makeList(op.input(0).dtype(), op.input(2), static_cast<size_t>(size));
  INGOT_RETURN_IF_ERROR(scatter(op, *list, op.input(0), indices));
  return setList(op, 0, std::move(list));
}

// Implements TensorListScatterIntoExistingList. Inputs: a list, a tensor and
// indices. Row i of the tensor replaces element indices[i]; the list grows if
// necessary.
INGOT_RUNTIME_OP(tensor_list_scatter_into) {
  INGOT_ASSIGN_OR_RETURN(const TensorList *old, listOf(op, op.input(0)));
  int64_t size =
      std::max(static_cast<int64_t>(old->size()), sizeFor(op.input(2)));
  INGOT_RETURN_IF_ERROR(checkSize(op, size));
  auto list = old->resized(static_cast<size_t>(size));
  INGOT_RETURN_IF_ERROR(scatter(op, *list, op.input(1), op.input(2)));
  return setList(op, 0, std::move(list));
}

// Implements TensorListSplit, which splits a tensor along its first dimension.
// Inputs: the tensor, the shape of elements, and the number of rows of each
// element.
INGOT_RUNTIME_OP(tensor_list_split) {
  OpInput tensor = op.input(0), lengths = op.input(2);
  auto list = makeList(tensor.dtype(), op.input(1),
                       static_cast<size_t>(lengths.dim(0)));
  int64_t begin = 0;
  for (size_t i = 0; i < list->size(); ++i) {
    int64_t length = lengths.integer(i);
    if (length < 0 || length > tensor.dim(0) - begin)
      return op.invalid(
          "lengths[" + std::to_string(i) + "] is " + std::to_string(length) +
          ", but must be in [0, " + std::to_string(tensor.dim(0) - begin) +
          "], because only " + std::to_string(tensor.dim(0) - begin) +
          " rows are left");
    INGOT_ASSIGN_OR_RETURN(const TensorListItem *piece,
                           makeRows(op, tensor, begin, length));
    INGOT_RETURN_IF_ERROR(check(op, *list, piece->dtype, piece->dims));
    list->set(i, piece);
    begin += length;
  }
  if (begin != tensor.dim(0))
    return op.invalid("the sum of lengths is " + std::to_string(begin) +
                      ", but the tensor has " + std::to_string(tensor.dim(0)) +
                      " rows");
  return setList(op, 0, std::move(list));
}

// Implements TensorListPushBackBatch: appends row i of a tensor to list i.
// Inputs: a vector of lists, and the tensor.
INGOT_RUNTIME_OP(tensor_list_push_back_batch) {
  OpInput lists = op.input(0), tensor = op.input(1);
  if (lists.dim(0) != tensor.dim(0))
    return op.invalid("the tensor has " + std::to_string(tensor.dim(0)) +
                      " rows, but the number of lists is " +
                      std::to_string(lists.dim(0)));
  INGOT_ASSIGN_OR_RETURN(auto pushed, op.output<int64_t>(0, lists.dims()));
  for (size_t i = 0; i < pushed.size(); ++i) {
    INGOT_ASSIGN_OR_RETURN(const TensorList *list, listOf(op, lists, i));
    INGOT_RETURN_IF_ERROR(check(op, *list, tensor.dtype(), rowDims(tensor)));
    INGOT_ASSIGN_OR_RETURN(
        const TensorListItem *row,
        makeRows(op, tensor, static_cast<int64_t>(i), std::nullopt));
    pushed[i] = op.memory().hold(list->pushed(row));
  }
  return Status::ok();
}

// Implements TensorListConcatLists: concatenates the lists at the same index of
// two tensors of lists.
INGOT_RUNTIME_OP(tensor_list_concat_lists) {
  OpInput first = op.input(0), second = op.input(1);
  if (!std::ranges::equal(first.dims(), second.dims()))
    return op.invalid("both inputs must have the same shape, but have shapes " +
                      dimsText(first.dims()) + " and " +
                      dimsText(second.dims()));
  auto dtype = static_cast<int32_t>(op.integer("element_type", 0));
  INGOT_ASSIGN_OR_RETURN(auto joined, op.output<int64_t>(0, first.dims()));
  for (size_t i = 0; i < joined.size(); ++i) {
    INGOT_ASSIGN_OR_RETURN(const TensorList *a, listOf(op, first, i));
    INGOT_ASSIGN_OR_RETURN(const TensorList *b, listOf(op, second, i));
    if (a->dtype != dtype || b->dtype != dtype)
      return op.invalid("the lists at index " + std::to_string(i) +
                        " have elements of types " + dtypeName(a->dtype) +
                        " and " + dtypeName(b->dtype) + ", expected " +
                        dtypeName(dtype));
    auto list = a->resized(a->size() + b->size());
    for (size_t k = 0; k < b->size(); ++k)
      list->set(a->size() + k, (*b)[k]);
    joined[i] = op.memory().hold(std::move(list));
  }
  return Status::ok();
}
