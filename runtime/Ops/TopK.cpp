//===- TopK.cpp - The largest elements of each row ------------------------===//

#include "runtime/Ops/Op.h"
#include "runtime/Ops/Visit.h"

#include <numeric>

using namespace ingot;
using namespace ingot::ops;

/// Whether element `a` of `row` stands before element `b`: it is larger, or
/// equal and further in front. A NaN stands behind every number.
template <typename T>
static bool standsBefore(const T *row, int64_t a, int64_t b) {
  bool isNumberA = row[a] == row[a], isNumberB = row[b] == row[b];
  if (isNumberA != isNumberB)
    return isNumberA;
  if (isNumberA && !(row[a] == row[b]))
    return row[a] > row[b];
  return a < b;
}

template <typename T, typename IndexT>
static Status topK(Op &op, const Input &input, int64_t k) {
  std::vector<int64_t> dims(input.dims().begin(), input.dims().end());
  int64_t columns = dims.back();
  int64_t rows = 1;
  for (size_t axis = 0; axis + 1 < dims.size(); ++axis)
    rows *= dims[axis];
  dims.back() = k;
  INGOT_ASSIGN_OR_RETURN(auto values, op.output<T>(0, dims));
  INGOT_ASSIGN_OR_RETURN(auto indices, op.output<IndexT>(1, dims));
  std::vector<int64_t> order(static_cast<size_t>(columns));
  const T *row = input.as<T>().data();
  size_t out = 0;
  for (int64_t i = 0; i < rows; ++i, row += columns) {
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(
        order.begin(), order.begin() + k, order.end(),
        [&](int64_t a, int64_t b) { return standsBefore(row, a, b); });
    for (int64_t j = 0; j < k; ++j, ++out) {
      values[out] = row[order[static_cast<size_t>(j)]];
      indices[out] = static_cast<IndexT>(order[static_cast<size_t>(j)]);
    }
  }
  return Status::ok();
}

INGOT_RUNTIME_OP(top_k) {
  Input input = op.input(0);
  int64_t k = op.input(1).integer(0);
  if (input.rank() == 0)
    return op.invalid("input must be >= 1-D, got shape []");
  int64_t columns = input.dim(input.rank() - 1);
  if (k < 0 || k > columns)
    return op.invalid("the " + std::to_string(k) +
                      " largest elements are asked for, but the last "
                      "dimension has " +
                      std::to_string(columns));
  return visitNumbers(input.dtype(), [&]<typename T>() {
    return op.outputType(1) == INGOT_INT64 ? topK<T, int64_t>(op, input, k)
                                           : topK<T, int32_t>(op, input, k);
  });
}
