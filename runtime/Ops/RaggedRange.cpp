//===- RaggedRange.cpp - Ranges as ragged rows ----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/OpKernelContext.h"

#include <cmath>
#include <limits>
#include <type_traits>

using namespace ingot;
using namespace ingot::ops;

/// Sets `size` to the number of elements of a range. Returns false if this
/// number does not fit int64.
template <typename T>
static bool sizeOfRange(T start, T limit, T delta, int64_t &size) {
  size = 0;
  if (delta > 0 ? limit < start : limit > start)
    return true;
  if constexpr (std::is_integral_v<T>) {
    // The distance is at most 2^64 - 1 and the step at most 2^63, so both fit
    // in a uint64.
    auto from = static_cast<uint64_t>(start), to = static_cast<uint64_t>(limit),
         step = static_cast<uint64_t>(delta);
    uint64_t distance = delta > 0 ? to - from : from - to;
    step = delta > 0 ? step : 0 - step;
    uint64_t count = distance / step + (distance % step != 0);
    size = static_cast<int64_t>(count);
    return count <= std::numeric_limits<int64_t>::max();
  } else {
    T count = std::ceil(std::abs((limit - start) / delta));
    // A NaN, or a number of 2^63 or more, does not fit int64.
    if (!(count < static_cast<T>(0x1p63)))
      return false;
    size = static_cast<int64_t>(count);
    return true;
  }
}

static Status checkShapes(const OpKernelContext &op, int64_t &rows) {
  static constexpr const char *names[] = {"starts", "limits", "deltas"};
  rows = -1;
  for (size_t i = 0; i < 3; ++i) {
    OpInput input = op.input(i);
    if (input.rank() > 1)
      return op.invalid(std::string(names[i]) +
                        " must be a scalar or vector, but its shape is " +
                        dimsText(input.dims()));
    if (input.rank() == 0)
      continue;
    if (rows >= 0 && rows != input.dim(0))
      return op.invalid("starts, limits, and deltas must have the same shape, "
                        "but one has " +
                        std::to_string(rows) + " elements and another has " +
                        std::to_string(input.dim(0)));
    rows = input.dim(0);
  }
  rows = rows < 0 ? 1 : rows;
  return Status::ok();
}

template <typename T, typename SplitT>
static Status writeRanges(OpKernelContext &op) {
  int64_t rows = 0;
  INGOT_RETURN_IF_ERROR(checkShapes(op, rows));
  auto at = [&](size_t input, size_t row) {
    OpInput values = op.input(input);
    return values.as<T>()[values.rank() == 0 ? 0 : row];
  };
  INGOT_ASSIGN_OR_RETURN(auto splits, op.output<SplitT>(0, {rows + 1}));
  splits[0] = 0;
  for (size_t row = 0; row + 1 < splits.size(); ++row) {
    T start = at(0, row), limit = at(1, row), delta = at(2, row);
    auto fail = [&](const std::string &what) {
      return op.invalid(what + ", but row " + std::to_string(row) +
                        " has start " + std::to_string(start) + ", limit " +
                        std::to_string(limit) + " and delta " +
                        std::to_string(delta));
    };
    if (delta == 0)
      return fail("Requires delta != 0");
    int64_t size = 0;
    if (!sizeOfRange(start, limit, delta, size))
      return fail("Requires ((limit - start) / delta) <= 9223372036854775807");
    int64_t most = std::numeric_limits<SplitT>::max();
    if (size > most - splits[row])
      return fail("Requires (rt_nested_splits + size) <= " +
                  std::to_string(most));
    splits[row + 1] = static_cast<SplitT>(splits[row] + size);
  }
  INGOT_ASSIGN_OR_RETURN(
      auto values, op.output<T>(1, {static_cast<int64_t>(splits.back())}));
  for (size_t row = 0; row + 1 < splits.size(); ++row) {
    T value = at(0, row), delta = at(2, row);
    for (auto i = static_cast<size_t>(splits[row]);
         i < static_cast<size_t>(splits[row + 1]); ++i) {
      values[i] = value;
      if constexpr (std::is_integral_v<T>)
        // The value after the last element may be out of range: unsigned
        // arithmetic wraps around.
        value = static_cast<T>(static_cast<uint64_t>(value) +
                               static_cast<uint64_t>(delta));
      else
        value += delta;
    }
  }
  return Status::ok();
}

// Implements RaggedRange. Inputs: the starts, limits and deltas of the rows.
INGOT_RUNTIME_OP(ragged_range) {
  auto write = [&]<typename T>() {
    return op.outputType(0) == INGOT_INT64 ? writeRanges<T, int64_t>(op)
                                           : writeRanges<T, int32_t>(op);
  };
  switch (op.input(0).dtype()) {
  case INGOT_FLOAT:
    return write.template operator()<float>();
  case INGOT_DOUBLE:
    return write.template operator()<double>();
  case INGOT_INT32:
    return write.template operator()<int32_t>();
  case INGOT_INT64:
    return write.template operator()<int64_t>();
  default:
    return unsupportedType(op.input(0).dtype());
  }
}
