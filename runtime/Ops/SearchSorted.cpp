//===- SearchSorted.cpp - Binary search in sorted rows --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/OpKernelContext.h"

using namespace ingot;
using namespace ingot::ops;

/// Implements lower_bound and upper_bound: for each value in row i of input 1,
/// finds its index in row i of input 0, which is sorted, by the binary search
/// `find`.
template <typename T, typename Place, typename Find>
static Status placeRows(OpKernelContext &op, Find find) {
  OpInput sorted = op.input(0), values = op.input(1);
  INGOT_ASSIGN_OR_RETURN(auto places, op.output<Place>(0, values.dims()));
  auto width = static_cast<size_t>(sorted.dim(1));
  auto count = static_cast<size_t>(values.dim(1));
  for (size_t i = 0; i < places.size(); ++i) {
    auto row = sorted.as<T>().subspan(i / count * width, width);
    places[i] = static_cast<Place>(find(row, values.as<T>()[i]) - row.begin());
  }
  return Status::ok();
}

template <typename Find> static Status place(OpKernelContext &op, Find find) {
  OpInput sorted = op.input(0), values = op.input(1);
  for (const auto &[input, name] :
       {std::pair(sorted, "sorted_inputs"), std::pair(values, "values")})
    if (input.rank() != 2)
      return op.invalid("Shape must be rank 2 but is rank " +
                        std::to_string(input.rank()) + " for `" + name +
                        "` argument");
  if (sorted.dim(0) != values.dim(0))
    return op.invalid("Leading dim_size of both tensors must match. "
                      "sorted_inputs has " +
                      std::to_string(sorted.dim(0)) + " rows, values " +
                      std::to_string(values.dim(0)));
  return visitNumbers(sorted.dtype(), [&]<typename T>() {
    return op.outputType(0) == INGOT_INT64 ? placeRows<T, int64_t>(op, find)
                                           : placeRows<T, int32_t>(op, find);
  });
}

INGOT_RUNTIME_OP(lower_bound) {
  return place(op, [](auto row, auto value) {
    return std::lower_bound(row.begin(), row.end(), value);
  });
}

INGOT_RUNTIME_OP(upper_bound) {
  return place(op, [](auto row, auto value) {
    return std::upper_bound(row.begin(), row.end(), value);
  });
}
