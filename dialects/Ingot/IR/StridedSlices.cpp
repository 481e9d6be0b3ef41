//===- StridedSlices.cpp - Interpret x[begin:end:stride, ...] -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/StridedSlices.h"

#include "dialects/Ingot/IR/PartialConstants.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::ingot;

static constexpr int64_t unknown = ShapedType::kDynamic;

std::optional<StridedRange> SlicedDim::rangeOf(int64_t size) const {
  if (ShapedType::isDynamic(size) || stride == unknown || stride == 0)
    return std::nullopt;
  if (kind == Index) {
    if (begin == unknown)
      return std::nullopt;
    int64_t index = begin < 0 ? begin + size : begin;
    if (index < 0 || index >= size)
      return std::nullopt;
    return StridedRange{index, 1, 1};
  }
  if ((!beginMasked && begin == unknown) || (!endMasked && end == unknown))
    return std::nullopt;
  // Clamps begin and end as in Python. With a negative stride, the end may be
  // -1: one before the first element.
  int64_t lowest = stride > 0 ? 0 : -1, highest = stride > 0 ? size : size - 1;
  auto clamp = [&](int64_t position) {
    return std::clamp(position < 0 ? position + size : position, lowest,
                      highest);
  };
  int64_t from = beginMasked ? (stride > 0 ? lowest : highest) : clamp(begin);
  int64_t to = endMasked ? (stride > 0 ? highest : lowest) : clamp(end);
  // The smallest int64, -2^63, has no absolute value in int64, so -2^63 + 1
  // replaces it: either stride selects at most one element.
  int64_t step = std::max(stride, -std::numeric_limits<int64_t>::max());
  int64_t distance = step > 0 ? to - from : from - to;
  int64_t magnitude = step > 0 ? step : -step;
  int64_t count = distance <= 0 ? 0 : (distance - 1) / magnitude + 1;
  return StridedRange{from, step, count};
}

FailureOr<SlicePlan> mlir::ingot::planStridedSlice(std::optional<Location> loc,
                                                   int64_t rank, Value begin,
                                                   Value end, Value strides,
                                                   const SliceMasks &masks) {
  int64_t entries = getDim(begin.getType(), 0);
  auto has = [](int64_t mask, int64_t entry) { return (mask >> entry) & 1; };
  int64_t taken = 0, ellipses = 0;
  for (int64_t i = 0; i < entries; ++i) {
    ellipses += has(masks.ellipsis, i);
    taken += !has(masks.ellipsis, i) && !has(masks.newAxis, i);
  }
  // `begin`, `end` and `strides` must be vectors of the same length, at most
  // 32, with at most one ellipsis (strided_slice_c1).
  if (ellipses > 1)
    return emitOptionalError(
        loc,
        "a strided slice can have only one ellipsis, but ellipsis_mask has "
        "several bits set");
  // There must not be more entries than dimensions of the input, without
  // counting an ellipsis and entries that add a dimension (strided_slice_c2).
  if (taken > rank)
    return emitOptionalError(loc, "a tensor of rank ", rank,
                             " cannot be indexed by ", taken,
                             " entries of begin, end and strides");
  auto ints = [&](Value value) {
    return getPartialInts(value).value_or(
        SmallVector<int64_t>(entries, unknown));
  };
  SmallVector<int64_t> begins = ints(begin), ends = ints(end),
                       steps = ints(strides);
  SlicePlan plan;
  int64_t dim = 0;
  auto takeWhole = [&](int64_t count) {
    for (; count > 0; --count)
      plan.push_back({SlicedDim::Range, dim++});
  };
  for (int64_t i = 0; i < entries; ++i) {
    if (has(masks.ellipsis, i)) {
      takeWhole(rank - taken);
      continue;
    }
    if (has(masks.newAxis, i)) {
      plan.push_back({SlicedDim::New});
      continue;
    }
    bool isIndex = has(masks.shrink, i);
    // Constant strides must not be 0. A stride must be positive if its entry
    // selects one element (strided_slice_c3).
    if (steps[i] == 0)
      return emitOptionalError(loc, "strides[", i, "] must be non-zero");
    // An entry that selects one element must have a positive stride
    // (strided_slice_c3).
    if (isIndex && steps[i] != unknown && steps[i] < 0)
      return emitOptionalError(
          loc, "dimension ", dim,
          " is in shrink_axis_mask, so its stride must be positive, but is ",
          steps[i]);
    plan.push_back({isIndex ? SlicedDim::Index : SlicedDim::Range, dim++, i,
                    bool(has(masks.begin, i)), bool(has(masks.end, i)),
                    begins[i], ends[i], steps[i]});
  }
  takeWhole(rank - dim);
  return plan;
}

FailureOr<Shape> mlir::ingot::inferStridedSlice(std::optional<Location> loc,
                                                const Shape &input, Value begin,
                                                Value end, Value strides,
                                                const SliceMasks &masks) {
  int64_t entries = unknown;
  for (Value operand : {begin, end, strides}) {
    // `begin`, `end` and `strides` must be vectors (strided_slice_c1).
    if (!mayHaveRank(operand.getType(), 1))
      return emitOptionalError(
          loc, "begin, end and strides must be vectors, but one has shape ",
          toString(getTensorShape(operand.getType())));
    int64_t size = getDim(operand.getType(), 0);
    // `begin`, `end` and `strides` must have the same length
    // (strided_slice_c1).
    if (!areCompatibleDims(entries, size))
      return emitOptionalError(
          loc, "begin, end and strides have different lengths: ", entries,
          " and ", size);
    if (entries == unknown)
      entries = size;
  }
  // There may be at most 32 entries: masks have 32 bits (strided_slice_c1).
  if (entries > 32)
    return emitOptionalError(loc,
                             "begin, end and strides must have at most 32 "
                             "entries, one for each bit of a mask, but have ",
                             entries);
  if (!input || getDim(begin.getType(), 0) == unknown)
    return Shape();
  FailureOr<SlicePlan> plan =
      planStridedSlice(loc, input->size(), begin, end, strides, masks);
  if (failed(plan))
    return failure();
  SmallVector<int64_t> dims;
  for (const SlicedDim &dim : *plan) {
    if (dim.kind == SlicedDim::New) {
      dims.push_back(1);
      continue;
    }
    int64_t size = (*input)[dim.dim];
    std::optional<StridedRange> range = dim.rangeOf(size);
    if (dim.kind == SlicedDim::Range) {
      dims.push_back(range ? range->count : unknown);
    } else if (!range && size != unknown && dim.begin != unknown) {
      // A constant index that selects one element must lie within its dimension
      // (strided_slice_c4).
      return emitOptionalError(
          loc, "index ", dim.begin, " lies outside of dimension ", dim.dim,
          ", whose size is ", size,
          size > 0 ? ": expected " + std::to_string(-size) + " to " +
                         std::to_string(size - 1)
                   : std::string());
    }
  }
  return Shape(std::move(dims));
}
