//===- TensorArrays.cpp - TensorArrays and stacks -------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorArrays and stacks: objects that ops modify in place. With the attribute
// clear_after_read, an element can be read only once, as in TensorFlow. Its
// memory is nevertheless freed only when the compiled function that has created
// it returns.
//===----------------------------------------------------------------------===//

#include "runtime/Ops/TensorList.h"
#include "runtime/Support/DType.h"

#include <map>
#include <unordered_map>

using namespace ingot;
using namespace ingot::ops;

namespace {

struct Element {
  const TensorListItem *item = nullptr; // null: not written yet
  bool wasRead = false;
};

class TensorArray final : public VariantObject {
public:
  static const char kind;

  TensorArray(int32_t dtype, ItemShape shape, int64_t size)
      : VariantObject(&kind), dtype(dtype), shape(std::move(shape)),
        size(size) {}

  /// Returns the element that was written at `index`, or null.
  const TensorListItem *find(int64_t index) const {
    auto place = elements.find(index);
    return place == elements.end() ? nullptr : place->second.item;
  }

  const int32_t dtype;
  /// The shape of elements. If all elements must have equal shapes, the first
  /// write determines it.
  mutable ItemShape shape;
  bool isDynamic = false;
  bool areAlike = false;
  bool clearsAfterRead = true;
  /// The array of the values to which the gradients in this array belong; null
  /// if this array contains no gradients. Gradients that are written to the
  /// same index are added up.
  const TensorArray *forward = nullptr;

  // These fields are mutable because ops change an array in place: all handles
  // share it. `elements` is a map because a graph may request any size: only
  // written elements take memory.
  mutable int64_t size;
  mutable std::unordered_map<int64_t, Element> elements;
  mutable std::map<std::string, int64_t, std::less<>> gradients;
};
const char TensorArray::kind = 0;

class Stack final : public VariantObject {
public:
  static const char kind;
  Stack() : VariantObject(&kind) {}

  mutable std::vector<const TensorListItem *> items;
};
const char Stack::kind = 0;

} // namespace

static Expected<const TensorArray *> arrayOf(OpKernelContext &op) {
  const auto *array =
      op.memory().find<TensorArray>(op.input(0).as<int64_t>()[0]);
  if (array)
    return array;
  return op.invalid("the first input must be the handle of a TensorArray that "
                    "was created in this run, but is not");
}

static Expected<const Stack *> stackOf(OpKernelContext &op) {
  const auto *stack = op.memory().find<Stack>(op.input(0).as<int64_t>()[0]);
  if (stack)
    return stack;
  return op.invalid("the first input must be the handle of a stack that was "
                    "created in this run, but is not");
}

static Status setHandle(OpKernelContext &op, int64_t handle) {
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<int64_t>(0, {}));
  output[0] = handle;
  return Status::ok();
}

static Status outside(OpKernelContext &op, int64_t index,
                      const TensorArray &array) {
  return op.invalid("index " + std::to_string(index) +
                    " is outside an array of size " +
                    std::to_string(array.size));
}

INGOT_RUNTIME_OP(tensor_array) {
  int64_t size = op.input(0).integer(0);
  if (size < 0)
    return op.invalid(
        "the size of a TensorArray must not be negative, but is " +
        std::to_string(size));
  ItemShape shape;
  if (op.flag("has_shape")) {
    auto dims = op.integers("element_shape");
    shape.emplace(dims.begin(), dims.end());
  }
  auto array = std::make_unique<TensorArray>(
      static_cast<int32_t>(op.integer("element_type", 0)), std::move(shape),
      size);
  array->isDynamic = op.flag("dynamic_size");
  array->areAlike = op.flag("identical_element_shapes");
  array->clearsAfterRead = op.flag("clear_after_read");
  return setHandle(op, op.memory().hold(std::move(array)));
}

INGOT_RUNTIME_OP(tensor_array_grad) {
  INGOT_ASSIGN_OR_RETURN(const TensorArray *array, arrayOf(op));
  auto [place, isNew] =
      array->gradients.try_emplace(std::string(op.text("source")), 0);
  if (isNew) {
    auto gradient =
        std::make_unique<TensorArray>(array->dtype, array->shape, array->size);
    gradient->forward = array;
    gradient->areAlike = array->areAlike;
    place->second = op.memory().hold(std::move(gradient));
  }
  return setHandle(op, place->second);
}

static Status write(OpKernelContext &op, const TensorArray &array,
                    int64_t index, const TensorListItem *item) {
  if (index < 0 || (index >= array.size && !array.isDynamic))
    return outside(op, index, array);
  if (item->dtype != array.dtype)
    return op.invalid("an element of type " + dtypeName(item->dtype) +
                      " does not fit into an array whose elements have type " +
                      dtypeName(array.dtype));
  if (!fits(array.shape, item->dims))
    return op.invalid("an element of shape " + dimsText(item->dims) +
                      " does not fit into an array whose elements have shape " +
                      shapeText(array.shape));
  if (array.areAlike && !isFullyKnown(array.shape))
    array.shape = item->dims;
  array.size = std::max(array.size, index + 1);
  Element &element = array.elements[index];
  if (element.wasRead)
    return op.invalid("Could not write to TensorArray index " +
                      std::to_string(index) +
                      " because it has already been read");
  if (element.item && !array.forward)
    return op.invalid("Could not write to TensorArray index " +
                      std::to_string(index) +
                      " because it has already been written to");
  if (element.item) {
    INGOT_ASSIGN_OR_RETURN(item, addItems(op, *element.item, *item));
  }
  element.item = item;
  return Status::ok();
}

/// Returns the element at `index`. An element that was not written is zero if
/// its shape is static; otherwise the read fails.
static Expected<const TensorListItem *>
read(OpKernelContext &op, const TensorArray &array, int64_t index) {
  if (index < 0 || index >= array.size)
    return outside(op, index, array);
  Element &element = array.elements[index];
  if (element.wasRead && array.clearsAfterRead)
    return op.invalid("Could not read index " + std::to_string(index) +
                      " twice because it was cleared after a previous read: "
                      "create the TensorArray with clear_after_read=False");
  element.wasRead = true;
  if (element.item)
    return element.item;
  ItemShape shape = array.shape;
  // Zeros for a missing gradient have the shape of the value to which it
  // belongs, the element with the same index in the forward array.
  if (array.forward)
    if (const TensorListItem *forward = array.forward->find(index))
      shape = forward->dims;
  if (!isFullyKnown(shape))
    return op.invalid(
        "element " + std::to_string(index) +
        " was not written, so element_shape must be fully known, but is " +
        shapeText(shape));
  return makeZeros(op, array.dtype, *shape);
}

INGOT_RUNTIME_OP(tensor_array_write) {
  INGOT_ASSIGN_OR_RETURN(const TensorArray *array, arrayOf(op));
  INGOT_ASSIGN_OR_RETURN(const TensorListItem *item, makeItem(op, op.input(2)));
  return write(op, *array, op.input(1).integer(0), item);
}

INGOT_RUNTIME_OP(tensor_array_read) {
  INGOT_ASSIGN_OR_RETURN(const TensorArray *array, arrayOf(op));
  INGOT_ASSIGN_OR_RETURN(const TensorListItem *item,
                         read(op, *array, op.input(1).integer(0)));
  return writeItem(op, 0, *item);
}

INGOT_RUNTIME_OP(tensor_array_gather) {
  INGOT_ASSIGN_OR_RETURN(const TensorArray *array, arrayOf(op));
  std::vector<const TensorListItem *> items;
  ItemShape shape = array->shape;
  for (int64_t index : op.input(1).integers()) {
    INGOT_ASSIGN_OR_RETURN(const TensorListItem *item, read(op, *array, index));
    if (!merge(shape, item->dims))
      return op.invalid("element " + std::to_string(index) + " has shape " +
                        dimsText(item->dims) + ", but the others have " +
                        shapeText(shape));
    items.push_back(item);
  }
  if (!isFullyKnown(shape))
    return op.invalid("no elements are gathered, so element_shape must be "
                      "fully known, but is " +
                      shapeText(shape));
  std::vector<int64_t> dims = {static_cast<int64_t>(items.size())};
  dims.insert(dims.end(), shape->begin(), shape->end());
  return writeItems(op, dims, items);
}

INGOT_RUNTIME_OP(tensor_array_scatter) {
  INGOT_ASSIGN_OR_RETURN(const TensorArray *array, arrayOf(op));
  OpInput indices = op.input(1), value = op.input(2);
  if (value.dim(0) != indices.dim(0))
    return op.invalid("the tensor has " + std::to_string(value.dim(0)) +
                      " rows, but the number of indices is " +
                      std::to_string(indices.dim(0)));
  for (int64_t row = 0; row < value.dim(0); ++row) {
    INGOT_ASSIGN_OR_RETURN(const TensorListItem *item,
                           makeRows(op, value, row, std::nullopt));
    INGOT_RETURN_IF_ERROR(
        write(op, *array, indices.integer(static_cast<size_t>(row)), item));
  }
  return Status::ok();
}

INGOT_RUNTIME_OP(tensor_array_concat) {
  INGOT_ASSIGN_OR_RETURN(const TensorArray *array, arrayOf(op));
  INGOT_ASSIGN_OR_RETURN(auto lengths, op.output<int64_t>(1, {array->size}));
  std::vector<const TensorListItem *> items;
  ItemShape shape;
  int64_t rows = 0;
  for (int64_t i = 0; i < array->size; ++i) {
    INGOT_ASSIGN_OR_RETURN(const TensorListItem *item, read(op, *array, i));
    items.push_back(item);
    ItemShape own = item->dims;
    if (own->empty())
      return op.invalid("cannot concatenate scalars: the elements must have at "
                        "least one dimension");
    lengths[static_cast<size_t>(i)] = own->front();
    rows += own->front();
    own->front() = 0;
    if (!merge(shape, own))
      return op.invalid("elements must have equal shapes except for the first "
                        "dimension, but the shape " +
                        dimsText(item->dims) + " of element " +
                        std::to_string(i) + " differs from earlier elements");
  }
  if (!shape)
    shape = array->shape;
  if (!shape)
    return op.invalid(
        "the array is empty, so the rank of element_shape must be known");
  if (shape->empty())
    return op.invalid("cannot concatenate scalars: the elements must have at "
                      "least one dimension");
  shape->front() = rows;
  if (!isFullyKnown(shape))
    return op.invalid("the array is empty, so element_shape must be known "
                      "except for the first dimension, but is " +
                      shapeText(shape));
  return writeItems(op, *shape, items);
}

INGOT_RUNTIME_OP(tensor_array_split) {
  INGOT_ASSIGN_OR_RETURN(const TensorArray *array, arrayOf(op));
  OpInput value = op.input(1), lengths = op.input(2);
  int64_t begin = 0;
  for (int64_t i = 0; i < lengths.dim(0); ++i) {
    int64_t length = lengths.integer(static_cast<size_t>(i));
    if (length < 0 || length > value.dim(0) - begin)
      return op.invalid(
          "lengths[" + std::to_string(i) + "] is " + std::to_string(length) +
          ", but must be in [0, " + std::to_string(value.dim(0) - begin) +
          "], because only " + std::to_string(value.dim(0) - begin) +
          " rows are left");
    INGOT_ASSIGN_OR_RETURN(const TensorListItem *piece,
                           makeRows(op, value, begin, length));
    INGOT_RETURN_IF_ERROR(write(op, *array, i, piece));
    begin += length;
  }
  if (begin != value.dim(0))
    return op.invalid("the sum of lengths is " + std::to_string(begin) +
                      ", but the tensor has " + std::to_string(value.dim(0)) +
                      " rows");
  return Status::ok();
}

INGOT_RUNTIME_OP(tensor_array_size) {
  INGOT_ASSIGN_OR_RETURN(const TensorArray *array, arrayOf(op));
  INGOT_ASSIGN_OR_RETURN(auto size, op.output<int32_t>(0, {}));
  size[0] = static_cast<int32_t>(array->size);
  return Status::ok();
}

INGOT_RUNTIME_OP(stack) {
  return setHandle(op, op.memory().hold(std::make_unique<Stack>()));
}

INGOT_RUNTIME_OP(stack_push) {
  INGOT_ASSIGN_OR_RETURN(const Stack *stack, stackOf(op));
  INGOT_ASSIGN_OR_RETURN(const TensorListItem *item, makeItem(op, op.input(1)));
  stack->items.push_back(item);
  return Status::ok();
}

INGOT_RUNTIME_OP(stack_pop) {
  INGOT_ASSIGN_OR_RETURN(const Stack *stack, stackOf(op));
  if (stack->items.empty())
    return op.invalid("cannot pop an element from an empty stack");
  INGOT_RETURN_IF_ERROR(writeItem(op, 0, *stack->items.back()));
  stack->items.pop_back();
  return Status::ok();
}
