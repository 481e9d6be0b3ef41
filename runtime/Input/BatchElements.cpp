//===- BatchElements.cpp - Elements of a queue as one batch -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Input/BatchElements.h"

#include "runtime/Input/QueueScheduler.h"

#include <algorithm>
#include <cstring>

namespace ingot::input {

std::vector<int64_t> batchShape(Shape declared,
                                std::span<const Element *const> elements,
                                size_t component) {
  std::vector<int64_t> shape = {static_cast<int64_t>(elements.size())};
  for (size_t axis = 0; axis < declared.size(); ++axis) {
    int64_t size = std::max<int64_t>(declared[axis], 0);
    for (const Element *element : elements)
      size = std::max(size, (*element)[component].shape()[axis]);
    shape.push_back(size);
  }
  return shape;
}

static size_t productOf(Shape shape) {
  size_t product = 1;
  for (int64_t dim : shape)
    product *= static_cast<size_t>(dim);
  return product;
}

/// Copies a tensor of shape `from` into a larger one of shape `to`, at index 0
/// of every dimension.
static void copyInto(const char *source, Shape from, char *target, Shape to,
                     size_t elementBytes) {
  if (std::ranges::equal(from, to)) {
    std::memcpy(target, source, productOf(from) * elementBytes);
    return;
  }
  size_t sourceRow = productOf(from.subspan(1)) * elementBytes;
  size_t targetRow = productOf(to.subspan(1)) * elementBytes;
  for (int64_t row = 0; row < from[0]; ++row)
    copyInto(source + static_cast<size_t>(row) * sourceRow, from.subspan(1),
             target + static_cast<size_t>(row) * targetRow, to.subspan(1),
             elementBytes);
}

static void fillEmpty(int32_t dtype, char *to, size_t count) {
  if (dtype == INGOT_STRING)
    std::fill_n(reinterpret_cast<ingot_string *>(to), count,
                ingot_string{"", 0});
  else
    std::memset(to, 0, count * elementSize(dtype));
}

void copyToBatch(std::span<const Element *const> elements, size_t component,
                 Shape shape, void *to) {
  Shape row = shape.subspan(1);
  auto *target = static_cast<char *>(to);
  for (const Element *element : elements) {
    const Tensor &tensor = (*element)[component];
    size_t size = elementSize(tensor.dtype());
    if (!std::ranges::equal(tensor.shape(), row))
      fillEmpty(tensor.dtype(), target, productOf(row));
    copyInto(static_cast<const char *>(tensor.data()), tensor.shape(), target,
             row, size);
    target += productOf(row) * size;
  }
}

Status makeBatch(TensorMemoryPool &pool, const Queue &queue,
                 std::span<QueueItem *const> items, Element &batch) {
  std::vector<const Element *> elements;
  for (const QueueItem *item : items)
    elements.push_back(&item->element);
  batch.clear();
  for (size_t i = 0; i < queue.numComponents(); ++i) {
    std::vector<int64_t> shape =
        batchShape(queue.componentShape(i), elements, i);
    int64_t count = 0;
    if (!countElements(shape, count))
      return Status(StatusCode::ResourceExhausted,
                    "a batch of shape " + shapeText(shape) +
                        " is too large for memory");
    Tensor rows = Tensor::allocate(pool, queue.componentType(i), shape);
    copyToBatch(elements, i, shape, rows.mutableData());
    // Copy strings: their bytes belong to the elements, which are dropped.
    batch.push_back(queue.componentType(i) == INGOT_STRING
                        ? Tensor::copy(pool, INGOT_STRING, shape, rows.data())
                        : std::move(rows));
  }
  return Status::ok();
}

} // namespace ingot::input
