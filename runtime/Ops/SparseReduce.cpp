//===- SparseReduce.cpp - Reductions of sparse tensors --------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Reductions of sparse tensors. Elements are sorted by their coordinates along
// the kept axes, then by those along the reduced axes. So elements with the
// same coordinates along the kept axes, which are reduced to one element, are
// neighbors. As in TensorFlow, coordinates outside the tensor's shape are not
// an error.
//===----------------------------------------------------------------------===//
#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/Sparse.h"

#include <cmath>
#include <numeric>
#include <type_traits>

using namespace ingot;
using namespace ingot::ops;

namespace {

/// The elements of a sparse tensor, divided into groups.
struct SparseElementGroups {
  std::vector<int64_t> order; // indices of the elements, group by group
  std::vector<size_t> ends;   // the end of each group in `order`
};

} // namespace

static Status checkTensor(const OpKernelContext &op,
                          const SparseInput &sparse) {
  if (sparse.values.dim(0) != sparse.size())
    return op.invalid("indices and values rows (indexing dimension) must "
                      "match. (indices = " +
                      std::to_string(sparse.size()) + ", values = " +
                      std::to_string(sparse.values.dim(0)) + ")");
  if (sparse.dims().size() != sparse.rank())
    return op.invalid("Order length must be SparseTensor rank, but the shape "
                      "has " +
                      std::to_string(sparse.dims().size()) +
                      " elements for indices of " +
                      std::to_string(sparse.rank()));
  int64_t count = 1;
  for (int64_t dim : sparse.dims()) {
    if (dim < 0)
      return op.invalid("Expected shape dimensions to be non-negative, got " +
                        std::to_string(dim));
    if (__builtin_mul_overflow(count, dim, &count))
      return op.invalid("Encountered overflow when multiplying the sizes of "
                        "shape " +
                        dimsText(sparse.dims()));
  }
  return Status::ok();
}

/// Sorts the elements by their coordinates along `axes`, a permutation of all
/// axes. Elements with the same coordinates along the first `numKept` of these
/// axes form a group.
static SparseElementGroups groupElements(const SparseInput &sparse,
                                         const std::vector<size_t> &axes,
                                         size_t numKept) {
  SparseElementGroups groups;
  groups.order.resize(static_cast<size_t>(sparse.size()));
  std::iota(groups.order.begin(), groups.order.end(), 0);
  auto compare = [&](int64_t a, int64_t b, size_t numAxes) {
    Dims x = sparse.at(a), y = sparse.at(b);
    for (size_t i = 0; i < numAxes; ++i)
      if (x[axes[i]] != y[axes[i]])
        return x[axes[i]] < y[axes[i]] ? -1 : 1;
    return 0;
  };
  std::stable_sort(
      groups.order.begin(), groups.order.end(),
      [&](int64_t a, int64_t b) { return compare(a, b, axes.size()) < 0; });
  for (size_t i = 1; i <= groups.order.size(); ++i)
    if (i == groups.order.size() ||
        compare(groups.order[i - 1], groups.order[i], numKept) != 0)
      groups.ends.push_back(i);
  return groups;
}

/// Adds two numbers; integers wrap around.
template <typename T> static T add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) +
                          static_cast<std::make_unsigned_t<T>>(b));
  else
    return a + b;
}

/// Reduces the `count` elements of `values` whose indices are in `places`.
template <typename T>
static T reduce(std::span<const T> values, const int64_t *places, size_t count,
                bool isMax) {
  auto at = [&](size_t i) { return values[static_cast<size_t>(places[i])]; };
  if (isMax) {
    // If one of two elements is NaN, the comparison chooses the later one, as
    // TensorFlow's scalar code does.
    T best = at(0);
    for (size_t i = 1; i < count; ++i)
      best = best >= at(i) ? best : at(i);
    return best;
  }
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>) {
    float sum = at(0);
    for (size_t i = 1; i < count; ++i)
      sum += at(i);
    if constexpr (std::is_same_v<T, Half>)
      return {floatToHalf(sum)};
    else
      return {floatToBfloat16(sum)};
  } else {
    T sum = at(0);
    for (size_t i = 1; i < count; ++i)
      sum = add(sum, at(i));
    return sum;
  }
}

/// Stores all axes in `order`: first the axes that are kept, because `axes`
/// does not list them, then the reduced ones. Sets `numKept` to the number of
/// kept axes.
static Status orderAxes(const OpKernelContext &op, const OpInput &axes,
                        size_t rank, std::vector<size_t> &order,
                        size_t &numKept) {
  std::vector<bool> isReduced(rank);
  auto signedRank = static_cast<int64_t>(rank);
  for (int64_t axis : axes.integers()) {
    if (axis < -signedRank || axis >= signedRank)
      return op.invalid("Invalid reduction dimension " + std::to_string(axis) +
                        ", for input with " + std::to_string(rank) +
                        " dimensions.");
    isReduced[static_cast<size_t>(axis < 0 ? axis + signedRank : axis)] = true;
  }
  for (bool wanted : {false, true}) {
    for (size_t axis = 0; axis < rank; ++axis)
      if (isReduced[axis] == wanted)
        order.push_back(axis);
    if (!wanted)
      numKept = order.size();
  }
  return Status::ok();
}

// Implements SparseReduceSumSparse and SparseReduceMaxSparse. Inputs: a sparse
// tensor and the axes to reduce.
INGOT_RUNTIME_OP(sparse_reduce) {
  SparseInput sparse(op.input(0), op.input(1), op.input(2));
  INGOT_RETURN_IF_ERROR(checkTensor(op, sparse));
  std::vector<size_t> axes;
  size_t numKept = 0;
  INGOT_RETURN_IF_ERROR(
      orderAxes(op, op.input(3), sparse.rank(), axes, numKept));
  bool isMax = op.text("reduction") == "max", keepDims = op.flag("keep_dims");
  SparseElementGroups groups = groupElements(sparse, axes, numKept);
  size_t rank = keepDims ? sparse.rank() : numKept;
  auto count = static_cast<int64_t>(groups.ends.size());
  INGOT_ASSIGN_OR_RETURN(
      auto indices, op.output<int64_t>(0, {count, static_cast<int64_t>(rank)}));
  INGOT_ASSIGN_OR_RETURN(auto shape,
                         op.output<int64_t>(2, {static_cast<int64_t>(rank)}));
  std::ranges::fill(indices, 0);
  std::ranges::fill(shape, 1);
  // Returns the axis of the result for the i-th axis that is not reduced.
  auto placeOf = [&](size_t i) { return keepDims ? axes[i] : i; };
  for (size_t i = 0; i < numKept; ++i)
    shape[placeOf(i)] = sparse.dims()[axes[i]];
  return visitNumbers(sparse.values.dtype(), [&]<typename T>() {
    INGOT_ASSIGN_OR_RETURN(auto out, op.output<T>(1, {count}));
    size_t begin = 0;
    for (size_t group = 0; group < groups.ends.size(); ++group) {
      Dims first = sparse.at(groups.order[begin]);
      for (size_t i = 0; i < numKept; ++i)
        indices[group * rank + placeOf(i)] = first[axes[i]];
      out[group] = reduce(sparse.values.as<T>(), groups.order.data() + begin,
                          groups.ends[group] - begin, isMax);
      begin = groups.ends[group];
    }
    return Status::ok();
  });
}

/// Writes the softmax of the values at `places` to `out`, computed in type T.
template <typename T, typename StoredT, typename StoreT>
static void softmax(std::span<const StoredT> values,
                    std::span<const int64_t> places, StoredT *out,
                    StoreT store) {
  auto at = [&](size_t i) {
    return static_cast<T>(values[static_cast<size_t>(places[i])]);
  };
  T largest = at(0), sum = 0;
  for (size_t i = 1; i < places.size(); ++i)
    largest = std::max(largest, at(i));
  for (size_t i = 0; i < places.size(); ++i)
    sum += std::exp(at(i) - largest);
  for (size_t i = 0; i < places.size(); ++i)
    out[i] = store(std::exp(at(i) - largest) / sum);
}

// Implements SparseSoftmax.
INGOT_RUNTIME_OP(sparse_softmax) {
  SparseInput sparse(op.input(0), op.input(1), op.input(2));
  if (sparse.dims().size() < 2)
    return op.invalid("Input should have rank >= 2, but received shape: " +
                      dimsText(sparse.dims()));
  INGOT_RETURN_IF_ERROR(checkTensor(op, sparse));
  std::vector<size_t> axes(sparse.rank());
  std::iota(axes.begin(), axes.end(), 0);
  SparseElementGroups groups = groupElements(sparse, axes, axes.size() - 1);
  auto write = [&]<typename T, typename StoredT>(auto store) {
    INGOT_ASSIGN_OR_RETURN(auto out, op.output<StoredT>(0, {sparse.size()}));
    size_t begin = 0;
    for (size_t end : groups.ends) {
      softmax<T>(sparse.values.as<StoredT>(),
                 std::span(groups.order).subspan(begin, end - begin),
                 out.data() + begin, store);
      begin = end;
    }
    return Status::ok();
  };
  auto same = [](auto value) { return value; };
  switch (sparse.values.dtype()) {
  case INGOT_FLOAT:
    return write.template operator()<float, float>(same);
  case INGOT_DOUBLE:
    return write.template operator()<double, double>(same);
  case INGOT_HALF:
    return write.template operator()<float, Half>(
        [](float value) { return Half{floatToHalf(value)}; });
  default:
    return unsupportedType(sparse.values.dtype());
  }
}
