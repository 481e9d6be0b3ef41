//===- Unique.cpp - Distinct elements and list differences ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/IndexHashSet.h"
#include "runtime/Ops/KeyNumbering.h"
#include "runtime/Ops/OpKernelContext.h"

#include <memory>
#include <numeric>

using namespace ingot;
using namespace ingot::ops;

/// Writes integers to an output, converted to its type, int32 or int64.
static Status writeIntegers(OpKernelContext &op, size_t output,
                            const std::vector<int64_t> &values) {
  int64_t size[] = {static_cast<int64_t>(values.size())};
  INGOT_ASSIGN_OR_RETURN(void *data, op.allocate(output, size));
  if (op.outputType(output) == INGOT_INT64)
    std::copy(values.begin(), values.end(), static_cast<int64_t *>(data));
  else
    std::transform(values.begin(), values.end(), static_cast<int32_t *>(data),
                   [](int64_t value) { return static_cast<int32_t>(value); });
  return Status::ok();
}

namespace {
/// A tensor reshaped to [outer, size, inner]. Slice i consists of all elements
/// with index i in the middle dimension, the axis of the op.
template <typename T> struct TensorSlicesAlongAxis {
  const T *data;
  int64_t outer, size, inner;

  const T &at(int64_t o, int64_t slice, int64_t i) const {
    return data[(o * size + slice) * inner + i];
  }
  uint64_t hash(int64_t slice) const {
    uint64_t bits = 0;
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i)
        bits = mixBits(bits + hashElement(at(o, slice, i)));
    return bits;
  }
  bool equal(int64_t a, int64_t b) const {
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i)
        if (!sameElement(at(o, a, i), at(o, b, i)))
          return false;
    return true;
  }
};
} // namespace

static int64_t product(Dims dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

/// Writes the outputs of unique() for a vector of integers. `NumberT` is the
/// type of output 1, and `numbering` finds the number of an element's key, its
/// distance from `least`.
template <typename NumberT, typename T, typename NumberingT>
static Status numberElements(OpKernelContext &op, std::span<const T> elements,
                             T least, NumberingT numbering) {
  int64_t size[] = {static_cast<int64_t>(elements.size())};
  INGOT_ASSIGN_OR_RETURN(auto numbers, op.output<NumberT>(1, size));
  auto distinct = std::make_unique_for_overwrite<T[]>(elements.size());
  std::vector<int64_t> counts(elements.size());
  int32_t next = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    int32_t &number = numbering.numberOf(distanceOf(elements[i], least));
    // No branch depends on whether the element is new: it would often be
    // mispredicted. The element of a number is overwritten until it is new.
    bool isNew = number < 0;
    number = isNew ? next : number;
    distinct[static_cast<size_t>(next)] = elements[i];
    next += isNew;
    numbers[i] = number;
    ++counts[static_cast<size_t>(number)];
  }
  counts.resize(static_cast<size_t>(next));
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<T>(0, {next}));
  std::copy_n(distinct.get(), counts.size(), output.begin());
  return writeIntegers(op, 2, counts);
}

/// As unique(), for a vector of integers. Chooses the numbering by their range.
template <typename NumberT, typename T>
static Status uniqueIntegers(OpKernelContext &op, std::span<const T> elements) {
  T least = elements.empty() ? T() : elements.front(), most = least;
  for (T element : elements) {
    least = std::min(least, element);
    most = std::max(most, element);
  }
  uint64_t range = distanceOf(most, least);
  if (DenseKeyNumbering::fits(range, elements.size()))
    return numberElements<NumberT>(op, elements, least,
                                   DenseKeyNumbering(range));
  return numberElements<NumberT>(op, elements, least,
                                 HashedKeyNumbering(elements.size()));
}

template <typename T>
static Status unique(OpKernelContext &op, const OpInput &input) {
  if constexpr (std::is_integral_v<T>)
    if (input.rank() == 1 && input.numElements() < INT32_MAX)
      return op.outputType(1) == INGOT_INT64
                 ? uniqueIntegers<int64_t>(op, input.as<T>())
                 : uniqueIntegers<int32_t>(op, input.as<T>());
  int64_t rank = static_cast<int64_t>(input.rank());
  int64_t axis = op.integer("axis", 0);
  auto at = static_cast<size_t>(axis < 0 ? axis + rank : axis);
  TensorSlicesAlongAxis<T> slices{
      input.as<T>().data(), product(input.dims().first(at)), input.dim(at),
      product(input.dims().subspan(at + 1))};
  auto size = static_cast<size_t>(slices.size);
  IndexHashSet index(size);
  std::vector<int64_t> firsts, places(size), counts;
  for (int64_t slice = 0; slice < slices.size; ++slice) {
    auto next = static_cast<int64_t>(firsts.size());
    int64_t place = index.find(slices.hash(slice), next, [&](int64_t other) {
      return slices.equal(firsts[static_cast<size_t>(other)], slice);
    });
    if (place == next) {
      firsts.push_back(slice);
      counts.push_back(0);
    }
    places[static_cast<size_t>(slice)] = place;
    ++counts[static_cast<size_t>(place)];
  }
  std::vector<int64_t> dims(input.dims().begin(), input.dims().end());
  dims[at] = static_cast<int64_t>(firsts.size());
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<T>(0, dims));
  auto out = output.begin();
  for (int64_t o = 0; o < slices.outer; ++o)
    for (int64_t slice : firsts)
      for (int64_t i = 0; i < slices.inner; ++i)
        *out++ = slices.at(o, slice, i);
  INGOT_RETURN_IF_ERROR(writeIntegers(op, 1, places));
  return writeIntegers(op, 2, counts);
}

// Implements UniqueWithCountsV2 and the ops that return a part of its outputs.
// Output 0: the distinct slices along the axis, in the order of their first
// occurrences. Output 1: for each slice of the input, the index of the distinct
// slice that equals it. Output 2: the number of occurrences of each distinct
// slice.
INGOT_RUNTIME_OP(unique) {
  OpInput input = op.input(0);
  return visitElements(input.dtype(),
                       [&]<typename T>() { return unique<T>(op, input); });
}

template <typename T> static Status listDiff(OpKernelContext &op) {
  auto input = op.input(0).as<T>(), removed = op.input(1).as<T>();
  IndexHashSet index(removed.size());
  for (size_t i = 0; i < removed.size(); ++i)
    index.find(
        hashElement(removed[i]), static_cast<int64_t>(i), [&](int64_t other) {
          return sameElement(removed[static_cast<size_t>(other)], removed[i]);
        });
  std::vector<int64_t> positions;
  for (size_t i = 0; i < input.size(); ++i)
    if (index.find(hashElement(input[i]), -1, [&](int64_t other) {
          return sameElement(removed[static_cast<size_t>(other)], input[i]);
        }) < 0)
      positions.push_back(static_cast<int64_t>(i));
  INGOT_ASSIGN_OR_RETURN(
      auto output, op.output<T>(0, {static_cast<int64_t>(positions.size())}));
  for (size_t i = 0; i < positions.size(); ++i)
    output[i] = input[static_cast<size_t>(positions[i])];
  return writeIntegers(op, 1, positions);
}

// Implements ListDiff. Outputs: the elements of input 0 that are not in input
// 1, and their indices.
INGOT_RUNTIME_OP(list_diff) {
  return visitElements(op.input(0).dtype(),
                       [&]<typename T>() { return listDiff<T>(op); });
}
