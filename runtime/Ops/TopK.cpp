//===- TopK.cpp - The k largest elements of each row ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/OpKernelContext.h"

#include <algorithm>
#include <numeric>

using namespace ingot;
using namespace ingot::ops;

// Finds the k largest elements, in descending order; of equal elements, the one
// with the lower index comes first. As comparisons with NaN are false, a result
// with NaNs depends on the algorithm, so the algorithms here are TensorFlow's.

/// Returns the index of the largest element of `row`; of equal elements, the
/// first.
template <typename T> static int64_t findLargest(std::span<const T> row) {
  T largest = row.front();
  for (const T &element : row.subspan(1))
    largest = largest > element ? largest : element;
  auto found = std::find(row.begin(), row.end(), largest);
  return found == row.end() ? 0 : found - row.begin();
}

/// Sorts all indices of a row in descending order of the row's elements.
template <typename T>
static void sortAll(std::span<const T> row, std::vector<int64_t> &order) {
  auto isLarger = [&](int64_t a, int64_t b) { return row[b] < row[a]; };
  // At most this many elements are sorted by insertion.
  constexpr size_t few = 16;
  if (row.size() > few) {
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      bool isNumberA = row[a] == row[a], isNumberB = row[b] == row[b];
      return isNumberA != isNumberB ? isNumberA : isLarger(a, b);
    });
    return;
  }
  for (size_t i = 1; i < order.size(); ++i) {
    int64_t place = order[i];
    size_t to = isLarger(place, order[0]) ? 0 : i;
    while (to != 0 && isLarger(place, order[to - 1]))
      --to;
    std::rotate(order.begin() + to, order.begin() + i, order.begin() + i + 1);
  }
}

/// Finds the indices of the `k` largest elements of `row`, with a heap of the
/// largest elements found so far. Without `isSorted`, the indices remain in the
/// order of the heap's array, as in TensorFlow.
template <typename T>
static void findBest(std::span<const T> row, size_t k, bool isSorted,
                     std::vector<int64_t> &order) {
  auto standsBefore = [&](int64_t a, int64_t b) {
    if (row[b] < row[a])
      return true;
    return row[b] > row[a] ? false : a < b;
  };
  // Make a heap of the first k + 1 elements and drop the smallest. Then each
  // further element that is larger than the heap's smallest element replaces
  // it.
  auto begin = order.begin(), end = begin + static_cast<std::ptrdiff_t>(k);
  std::make_heap(begin, end + 1, standsBefore);
  std::pop_heap(begin, end + 1, standsBefore);
  for (size_t i = k + 1; i < row.size(); ++i) {
    if (!standsBefore(static_cast<int64_t>(i), order.front()))
      continue;
    std::pop_heap(begin, end, standsBefore);
    order[k - 1] = static_cast<int64_t>(i);
    std::push_heap(begin, end, standsBefore);
  }
  if (isSorted)
    std::sort_heap(begin, end, standsBefore);
}

/// Moves the indices of the `k` largest elements of a row to the start of
/// `order`.
template <typename T>
static void findOrder(std::span<const T> row, int64_t k, bool isSorted,
                      std::vector<int64_t> &order) {
  std::iota(order.begin(), order.end(), 0);
  if (k == 1)
    order[0] = findLargest(row);
  else if (k == std::ssize(row))
    sortAll(row, order);
  else if (k != 0)
    findBest(row, static_cast<size_t>(k), isSorted, order);
}

/// The type to which numbers of type T are converted for comparisons, so that
/// sorting is instantiated for four types only.
template <typename T>
using Compared = std::conditional_t<
    std::is_same_v<T, double>, double,
    std::conditional_t<
        !std::is_integral_v<T>, float,
        std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>>;

template <typename T>
static Status topK(OpKernelContext &op, const OpInput &input, int64_t k) {
  std::vector<int64_t> dims(input.dims().begin(), input.dims().end());
  int64_t columns = dims.back();
  int64_t rows = 1;
  for (size_t axis = 0; axis + 1 < dims.size(); ++axis)
    rows *= dims[axis];
  dims.back() = k;
  INGOT_ASSIGN_OR_RETURN(auto values, op.output<T>(0, dims));
  INGOT_ASSIGN_OR_RETURN(void *indices, op.allocate(1, dims));
  bool isWide = op.outputType(1) == INGOT_INT64;
  bool isSorted = op.flag("sorted", true);
  std::vector<int64_t> order(static_cast<size_t>(columns));
  [[maybe_unused]] std::vector<Compared<T>> compared;
  const T *row = input.as<T>().data();
  size_t out = 0;
  for (int64_t i = 0; i < rows; ++i, row += columns) {
    std::span<const T> elements(row, static_cast<size_t>(columns));
    if constexpr (std::is_same_v<T, Compared<T>>) {
      findOrder(elements, k, isSorted, order);
    } else {
      compared.assign(elements.begin(), elements.end());
      findOrder(std::span<const Compared<T>>(compared), k, isSorted, order);
    }
    for (int64_t j = 0; j < k; ++j, ++out) {
      int64_t place = order[static_cast<size_t>(j)];
      values[out] = row[place];
      if (isWide)
        static_cast<int64_t *>(indices)[out] = place;
      else
        static_cast<int32_t *>(indices)[out] = static_cast<int32_t>(place);
    }
  }
  return Status::ok();
}

// Implements TopKV2. Inputs: a tensor and k. Outputs: the k largest elements of
// each row, and their indices in the row.
INGOT_RUNTIME_OP(top_k) {
  OpInput input = op.input(0);
  int64_t k = op.input(1).integer(0);
  if (input.rank() == 0)
    return op.invalid("input must be >= 1-D, got shape []");
  int64_t columns = input.dim(input.rank() - 1);
  if (k < 0 || k > columns)
    return op.invalid("k is " + std::to_string(k) + ", but must be from 0 to " +
                      std::to_string(columns) +
                      ", the size of the last dimension");
  return visitNumbers(input.dtype(),
                      [&]<typename T>() { return topK<T>(op, input, k); });
}
