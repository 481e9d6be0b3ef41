//===- ListTensors.cpp - Ops on whole TensorLists -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/TensorList.h"
#include "runtime/Support/DType.h"

using namespace ingot;
using namespace ingot::ops;

/// Merges `other` into `shape`, the shape of a list's elements.
static Status mergeShape(OpKernelContext &op, ItemShape &shape,
                         const ItemShape &other) {
  ItemShape before = shape;
  if (merge(shape, other))
    return Status::ok();
  return op.invalid(
      "the list's elements must have the same shape, but have shapes " +
      shapeText(before) + " and " + shapeText(other));
}

/// Writes list elements of one shape as the rows of output 0; a null element
/// becomes a row of zeros.
static Status stack(OpKernelContext &op, const TensorList &list,
                    ItemShape shape,
                    std::vector<const TensorListItem *> items) {
  INGOT_RETURN_IF_ERROR(mergeShape(op, shape, list.shape));
  for (const TensorListItem *item : items)
    if (item)
      INGOT_RETURN_IF_ERROR(mergeShape(op, shape, item->dims));
  if (!isFullyKnown(shape))
    return op.invalid("no element of the list was set, so element_shape must "
                      "be fully known, but is " +
                      shapeText(shape));
  const TensorListItem *zeros = nullptr;
  for (const TensorListItem *&item : items) {
    if (item)
      continue;
    if (!zeros) {
      INGOT_ASSIGN_OR_RETURN(zeros, makeZeros(op, list.dtype, *shape));
    }
    item = zeros;
  }
  std::vector<int64_t> dims = {static_cast<int64_t>(items.size())};
  dims.insert(dims.end(), shape->begin(), shape->end());
  return writeItems(op, dims, items);
}

// Implements TensorListStack. Inputs: a list, and the shape of elements.
// Output: a tensor whose rows are the elements.
INGOT_RUNTIME_OP(tensor_list_stack) {
  INGOT_ASSIGN_OR_RETURN(const TensorList *list, listOf(op, op.input(0)));
  int64_t expected = op.integer("num_elements", -1);
  if (expected >= 0 && static_cast<int64_t>(list->size()) != expected)
    return op.invalid("expected a list of " + std::to_string(expected) +
                      " elements, found " + std::to_string(list->size()));
  auto items = list->all();
  return stack(op, *list, shapeFrom(op.input(1)), {items.begin(), items.end()});
}

// Implements TensorListGather. Inputs: a list, indices, and the shape of
// elements. Output: a tensor whose rows are the chosen elements.
INGOT_RUNTIME_OP(tensor_list_gather) {
  INGOT_ASSIGN_OR_RETURN(const TensorList *list, listOf(op, op.input(0)));
  std::vector<const TensorListItem *> items;
  for (int64_t index : op.input(1).integers()) {
    if (index < 0 || static_cast<size_t>(index) >= list->size())
      return op.invalid("index " + std::to_string(index) +
                        " is outside a list of size " +
                        std::to_string(list->size()));
    items.push_back((*list)[static_cast<size_t>(index)]);
  }
  return stack(op, *list, shapeFrom(op.input(2)), std::move(items));
}

// Implements TensorListConcat and TensorListConcatV2. Inputs: a list, the shape
// of elements, and the lengths of elements without values. Outputs: the
// elements, concatenated along their first dimension, and the length of each.
INGOT_RUNTIME_OP(tensor_list_concat) {
  INGOT_ASSIGN_OR_RETURN(const TensorList *list, listOf(op, op.input(0)));
  ItemShape shape = shapeFrom(op.input(1));
  INGOT_RETURN_IF_ERROR(mergeShape(op, shape, list->shape));
  OpInput leading = op.input(2);
  // Elements are concatenated along their first dimension, so their sizes along
  // it may differ.
  if (shape && !shape->empty())
    shape->front() = -1;
  auto all = list->all();
  std::vector<const TensorListItem *> items(all.begin(), all.end());
  for (const TensorListItem *item : items) {
    if (!item)
      continue;
    if (item->dims.empty())
      return op.invalid("cannot concatenate scalars: the elements must have at "
                        "least one dimension");
    ItemShape own = item->dims;
    own->front() = -1;
    INGOT_RETURN_IF_ERROR(mergeShape(op, shape, own));
  }
  if (!shape)
    return op.invalid("no element of the list was set, so the rank of "
                      "element_shape must be known");
  if (shape->empty())
    return op.invalid("cannot concatenate scalars: the elements must have at "
                      "least one dimension");
  int64_t rows = 0;
  INGOT_ASSIGN_OR_RETURN(
      auto lengths,
      op.output<int64_t>(1, {static_cast<int64_t>(items.size())}));
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items[i]) {
      if (i >= static_cast<size_t>(leading.numElements()))
        return op.invalid("element " + std::to_string(i) +
                          " was never set, so leading_dims must contain its "
                          "first dimension, but has only " +
                          std::to_string(leading.numElements()) + " elements");
      std::vector<int64_t> dims = *shape;
      dims.front() = leading.integer(i);
      if (!isFullyKnown(dims))
        return op.invalid("element " + std::to_string(i) +
                          " was never set, and its shape is not fully known: " +
                          dimsText(dims));
      INGOT_ASSIGN_OR_RETURN(items[i], makeZeros(op, list->dtype, dims));
    }
    lengths[i] = items[i]->dims.front();
    rows += lengths[i];
  }
  shape->front() = rows;
  if (!isFullyKnown(shape))
    return op.invalid("the list is empty, so element_shape must be known "
                      "except for the first dimension, but is " +
                      shapeText(shape));
  return writeItems(op, *shape, items);
}

Expected<std::unique_ptr<TensorList>>
ops::addLists(OpKernelContext &op, const TensorList &a, const TensorList &b) {
  // Graphs declare ragged tensors as variants, but here they are serialized to
  // strings. So a list of variants whose elements have no values may be added
  // to a list of strings.
  bool isRagged = std::max(a.dtype, b.dtype) == INGOT_VARIANT &&
                  std::min(a.dtype, b.dtype) == INGOT_STRING;
  if ((a.dtype != b.dtype && !isRagged) || a.size() != b.size())
    return op.invalid("cannot add lists of different sizes or types: " +
                      std::to_string(a.size()) + " elements of type " +
                      dtypeName(a.dtype) + " and " + std::to_string(b.size()) +
                      " elements of type " + dtypeName(b.dtype));
  auto sum = std::make_unique<TensorList>(isRagged ? INGOT_STRING : a.dtype,
                                          a.shape, a.size());
  if (!merge(sum->shape, b.shape))
    return op.invalid("cannot add lists with incompatible element shapes " +
                      shapeText(a.shape) + " and " + shapeText(b.shape));
  // Copy the items of `a`. Lists are persistent: if `a` and `b` are versions of
  // one list, they share an array, and reading `b` changes this array to the
  // elements of `b`.
  auto items = a.all();
  std::vector<const TensorListItem *> first(items.begin(), items.end());
  for (size_t i = 0; i < a.size(); ++i) {
    const TensorListItem *x = first[i], *y = b[i];
    if (x && y) {
      INGOT_ASSIGN_OR_RETURN(x, addItems(op, *x, *y));
    }
    sum->set(i, x ? x : y);
  }
  return sum;
}

// Implements AddN for TensorLists: adds the elements of all lists at each
// index.
INGOT_RUNTIME_OP(variant_add) {
  INGOT_ASSIGN_OR_RETURN(const TensorList *sum, listOf(op, op.input(0)));
  for (size_t i = 1; i < op.numInputs(); ++i) {
    INGOT_ASSIGN_OR_RETURN(const TensorList *next, listOf(op, op.input(i)));
    INGOT_ASSIGN_OR_RETURN(auto total, addLists(op, *sum, *next));
    sum = total.get();
    op.memory().hold(std::move(total));
  }
  return setList(op, 0, sum->resized(sum->size()));
}

static Expected<std::unique_ptr<TensorList>> zerosLike(OpKernelContext &op,
                                                       const TensorList &list) {
  auto zeros =
      std::make_unique<TensorList>(list.dtype, list.shape, list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    const TensorListItem *item = list[i];
    if (!item)
      continue;
    if (item->dtype != INGOT_VARIANT) {
      INGOT_ASSIGN_OR_RETURN(item, makeZeros(op, item->dtype, item->dims));
      zeros->set(i, item);
      continue;
    }
    std::vector<int64_t> handles(item->numBytes() / sizeof(int64_t));
    for (size_t j = 0; j < handles.size(); ++j) {
      const auto *inner = op.memory().find<TensorList>(
          static_cast<const int64_t *>(item->data)[j]);
      if (!inner)
        return op.invalid("cannot create zeros like a list element that is a "
                          "variant other than a TensorList");
      INGOT_ASSIGN_OR_RETURN(auto made, zerosLike(op, *inner));
      handles[j] = op.memory().hold(std::move(made));
    }
    INGOT_ASSIGN_OR_RETURN(
        item, makeItem(op, item->dtype, item->dims, handles.data()));
    zeros->set(i, item);
  }
  return zeros;
}

// Implements ZerosLike for TensorLists: returns a list like the input whose
// elements are all zeros.
INGOT_RUNTIME_OP(variant_zeros) {
  INGOT_ASSIGN_OR_RETURN(const TensorList *list, listOf(op, op.input(0)));
  INGOT_ASSIGN_OR_RETURN(auto zeros, zerosLike(op, *list));
  return setList(op, 0, std::move(zeros));
}

// An optional with a value is represented as the list of the value's
// components, and an optional without a value as the empty list. The two
// differ, because every value has at least one component.
INGOT_RUNTIME_OP(optional_from_value) {
  auto list = std::make_unique<TensorList>(op.input(0).dtype(), std::nullopt,
                                           op.numInputs());
  for (size_t i = 0; i < op.numInputs(); ++i) {
    INGOT_ASSIGN_OR_RETURN(const TensorListItem *item,
                           makeItem(op, op.input(i)));
    list->set(i, item);
  }
  return setList(op, 0, std::move(list));
}

// Returns an optional without a value.
INGOT_RUNTIME_OP(optional_none) {
  return setList(op, 0, std::make_unique<TensorList>(0, std::nullopt));
}

INGOT_RUNTIME_OP(optional_has_value) {
  INGOT_ASSIGN_OR_RETURN(const TensorList *list, listOf(op, op.input(0)));
  INGOT_ASSIGN_OR_RETURN(auto hasValue, op.output<bool>(0, {}));
  hasValue[0] = list->size() != 0;
  return Status::ok();
}

// Implements OptionalGetValue. Output: component `index` of the optional's
// value.
INGOT_RUNTIME_OP(optional_get_value) {
  INGOT_ASSIGN_OR_RETURN(const TensorList *list, listOf(op, op.input(0)));
  auto index = static_cast<size_t>(op.integer("index", 0));
  if (index >= list->size())
    return op.invalid("cannot get the value of an optional without a value: "
                      "check OptionalHasValue first");
  return writeItem(op, 0, *(*list)[index]);
}
