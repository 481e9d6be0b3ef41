//===- Sparse.cpp - Reorders, reshapes, slices sparse tensors -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/Sparse.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace ingot;
using namespace ingot::ops;

Status ingot::ops::outsideOfShape(Dims index, Dims shape) {
  return Status(StatusCode::InvalidArgument, "index " + dimsText(index) +
                                                 " is outside shape " +
                                                 dimsText(shape));
}

static bool liesWithin(Dims index, Dims shape) {
  for (size_t axis = 0; axis < index.size(); ++axis)
    if (index[axis] < 0 || index[axis] >= shape[axis])
      return false;
  return true;
}

Status SparseInput::checkSizes() const {
  if (values.dim(0) != size() || dims().size() != rank())
    return Status(StatusCode::InvalidArgument,
                  "shapes " + dimsText(indices.dims()) + ", " +
                      dimsText(values.dims()) + ", " + dimsText(shape.dims()) +
                      " of indices, values and shape do not match: expected "
                      "[n, rank], [n] and [rank]");
  return Status::ok();
}

Status SparseInput::checkShape() const {
  INGOT_RETURN_IF_ERROR(checkSizes());
  int64_t count = 1;
  for (int64_t dim : dims())
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count))
      return Status(StatusCode::InvalidArgument,
                    "shape " + dimsText(dims()) +
                        " has a negative dimension, or more elements than can "
                        "be counted");
  return Status::ok();
}

Status SparseInput::check() const {
  INGOT_RETURN_IF_ERROR(checkSizes());
  for (int64_t element = 0; element < size(); ++element)
    if (!liesWithin(at(element), dims()))
      return outsideOfShape(at(element), dims());
  return Status::ok();
}

std::vector<int64_t> ingot::ops::rowMajorOrder(const SparseInput &sparse) {
  std::vector<int64_t> order(static_cast<size_t>(sparse.size()));
  std::iota(order.begin(), order.end(), 0);
  auto isBefore = [&](int64_t a, int64_t b) {
    Dims x = sparse.at(a), y = sparse.at(b);
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  };
  if (!std::is_sorted(order.begin(), order.end(), isBefore))
    std::stable_sort(order.begin(), order.end(), isBefore);
  return order;
}

/// Writes elements `chosen` of a sparse tensor to outputs 0 (coordinates) and 1
/// (values). If `start` is not empty, it is the start of a slice, and is
/// subtracted from the coordinates.
static Status writeElements(OpKernelContext &op, const SparseInput &sparse,
                            const std::vector<int64_t> &chosen,
                            Dims start = {}) {
  auto size = static_cast<int64_t>(chosen.size());
  auto rank = static_cast<int64_t>(sparse.rank());
  INGOT_ASSIGN_OR_RETURN(auto indices, op.output<int64_t>(0, {size, rank}));
  INGOT_ASSIGN_OR_RETURN(void *values, op.allocate(1, {&size, 1}));
  size_t bytes = elementSize(sparse.values.dtype());
  const char *from = static_cast<const char *>(sparse.values.data());
  char *to = static_cast<char *>(values);
  auto out = indices.begin();
  for (int64_t element : chosen) {
    Dims at = sparse.at(element);
    for (size_t axis = 0; axis < at.size(); ++axis)
      *out++ = at[axis] - (start.empty() ? 0 : start[axis]);
    std::memcpy(to, from + static_cast<size_t>(element) * bytes, bytes);
    to += bytes;
  }
  return Status::ok();
}

// Implements SparseReorder. As in TensorFlow, coordinates outside the tensor's
// shape are not an error, but are sorted like all others.
INGOT_RUNTIME_OP(sparse_reorder) {
  SparseInput sparse(op.input(0), op.input(1), op.input(2));
  INGOT_RETURN_IF_ERROR(sparse.checkSizes());
  return writeElements(op, sparse, rowMajorOrder(sparse));
}

// Implements SparseSlice. Inputs: a sparse tensor, then the start and the size
// of the slice along each dimension. The slice ends at the tensor's end at the
// latest.
INGOT_RUNTIME_OP(sparse_slice) {
  SparseInput sparse(op.input(0), op.input(1), op.input(2));
  INGOT_RETURN_IF_ERROR(sparse.checkShape());
  auto start = op.input(3).as<int64_t>(), size = op.input(4).as<int64_t>();
  size_t rank = sparse.rank();
  if (start.size() != rank || size.size() != rank)
    return op.invalid("start and size must have one element per dimension of "
                      "the tensor, which has rank " +
                      std::to_string(rank) + ", but have " +
                      std::to_string(start.size()) + " and " +
                      std::to_string(size.size()) + " elements");
  INGOT_ASSIGN_OR_RETURN(auto shape,
                         op.output<int64_t>(2, {static_cast<int64_t>(rank)}));
  for (size_t axis = 0; axis < rank; ++axis) {
    if (start[axis] < 0 || size[axis] < 0)
      return op.invalid("start " + dimsText(start) + " and size " +
                        dimsText(size) + " must not be negative");
    int64_t left = std::max<int64_t>(sparse.dims()[axis] - start[axis], 0);
    shape[axis] = std::min(size[axis], left);
  }
  std::vector<int64_t> chosen;
  for (int64_t element = 0; element < sparse.size(); ++element) {
    Dims at = sparse.at(element);
    bool isInside = true;
    for (size_t axis = 0; axis < rank; ++axis)
      isInside &=
          at[axis] >= start[axis] && at[axis] - start[axis] < shape[axis];
    if (isInside)
      chosen.push_back(element);
  }
  return writeElements(op, sparse, chosen, start);
}

// Implements SparseReshape. Inputs: coordinates, the shape, and the new shape,
// in which one size may be -1.
INGOT_RUNTIME_OP(sparse_reshape) {
  OpInput indices = op.input(0);
  auto shape = op.input(1).as<int64_t>(), wanted = op.input(2).as<int64_t>();
  if (indices.dim(1) != static_cast<int64_t>(shape.size()))
    return op.invalid("indices of shape " + dimsText(indices.dims()) +
                      " do not match a tensor of rank " +
                      std::to_string(shape.size()) + ": expected [n, " +
                      std::to_string(shape.size()) + "]");
  auto rank = static_cast<int64_t>(wanted.size());
  INGOT_ASSIGN_OR_RETURN(auto newShape, op.output<int64_t>(1, {rank}));
  int64_t count = 1, known = 1, open = -1;
  for (int64_t dim : shape)
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count))
      return op.invalid("shape " + dimsText(shape) +
                        " has a negative dimension or too many elements");
  for (size_t axis = 0; axis < wanted.size(); ++axis) {
    newShape[axis] = wanted[axis];
    if (wanted[axis] == -1 && open < 0)
      open = static_cast<int64_t>(axis);
    else if (wanted[axis] < 0 ||
             __builtin_mul_overflow(known, wanted[axis], &known))
      return op.invalid("the new shape " + dimsText(wanted) +
                        " has too many elements, or a negative dimension other "
                        "than a single -1");
  }
  if (open >= 0 && known > 0 && count % known == 0)
    newShape[static_cast<size_t>(open)] = count / known;
  else if (open >= 0 || known != count)
    return op.invalid("a tensor of shape " + dimsText(shape) +
                      " cannot be reshaped to " + dimsText(wanted));
  INGOT_ASSIGN_OR_RETURN(auto output,
                         op.output<int64_t>(0, {indices.dim(0), rank}));
  // As in TensorFlow, coordinates are not checked if the shape stays the same.
  if (std::ranges::equal(newShape, shape)) {
    std::ranges::copy(indices.as<int64_t>(), output.begin());
    return Status::ok();
  }
  if (indices.dim(0) == 0)
    return Status::ok();
  if (count == 0)
    return op.invalid("a tensor of shape " + dimsText(shape) +
                      " has no elements, but the number of indices is " +
                      std::to_string(indices.dim(0)));
  // As in TensorFlow, coordinates outside the old shape are not an error: they
  // get the new coordinates of the flat index that is computed from them.
  for (int64_t element = 0; element < indices.dim(0); ++element) {
    Dims at = indices.as<int64_t>().subspan(
        static_cast<size_t>(element) * shape.size(), shape.size());
    uint64_t sum = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      sum = sum * static_cast<uint64_t>(shape[axis]) +
            static_cast<uint64_t>(at[axis]);
    auto place = static_cast<int64_t>(sum);
    int64_t stride = count;
    for (size_t axis = 0; axis < wanted.size(); ++axis) {
      stride /= newShape[axis];
      output[static_cast<size_t>(element * rank) + axis] = place / stride;
      place %= stride;
    }
  }
  return Status::ok();
}

/// Returns the flat index of coordinates `i` in a tensor of the given dims, or
/// -1 if they are outside it.
static int64_t placeOf(const OpInput &indices, int64_t i, Dims dims) {
  int64_t place = 0;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    int64_t at = indices.integer(static_cast<size_t>(i) * dims.size() + axis);
    if (at < 0 || at >= dims[axis])
      return -1;
    place = place * dims[axis] + at;
  }
  return place;
}

// Implements SparseToDense. Inputs: coordinates, the output's shape, the values
// (a scalar: one value for all coordinates) and the value of all other
// elements.
INGOT_RUNTIME_OP(sparse_to_dense) {
  OpInput indices = op.input(0), values = op.input(2), byDefault = op.input(3);
  std::vector<int64_t> dims = op.input(1).integers();
  int64_t count = indices.rank() == 0 ? 1 : indices.dim(0);
  auto width = static_cast<int64_t>(dims.size());
  if (indices.numElements() != count * width ||
      (values.rank() == 1 && values.numElements() != count))
    return op.invalid(
        "expected indices of shape [n, " + std::to_string(width) +
        "] and either n values or one, but got indices of shape " +
        dimsText(indices.dims()) + " and values of shape " +
        dimsText(values.dims()));
  INGOT_ASSIGN_OR_RETURN(void *memory, op.allocate(0, dims));
  size_t bytes = elementSize(values.dtype());
  char *output = static_cast<char *>(memory);
  size_t size = 1;
  for (int64_t dim : dims)
    size *= static_cast<size_t>(dim);
  for (size_t i = 0; i < size; ++i)
    std::memcpy(output + i * bytes, byDefault.data(), bytes);
  const char *value = static_cast<const char *>(values.data());
  bool validate = op.flag("validate_indices", true);
  int64_t last = -1;
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = placeOf(indices, i, dims);
    if (place < 0)
      return op.invalid("row " + std::to_string(i) +
                        " of sparse_indices is out of bounds of shape " +
                        dimsText(dims));
    if (validate && place <= last)
      return op.invalid("row " + std::to_string(i) + " of sparse_indices is " +
                        (place == last ? "a duplicate" : "out of order"));
    last = place;
    std::memcpy(output + static_cast<size_t>(place) * bytes, value, bytes);
    if (values.rank() == 1)
      value += bytes;
  }
  return Status::ok();
}
