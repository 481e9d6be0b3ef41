//===- Ragged.cpp - Ragged tensors: rows by index, as sparse tensors ------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/Ragged.h"

#include <cstring>
#include <limits>

using namespace ingot;
using namespace ingot::ops;

size_t RaggedInput::rowBytes() const {
  size_t bytes = elementSize(values.dtype());
  for (int64_t dim : values.dims().subspan(1))
    bytes *= static_cast<size_t>(dim);
  return bytes;
}

Status RaggedInput::check(const OpKernelContext &op, bool isPrefix) const {
  for (size_t level = 0; level < splits.size(); ++level) {
    const std::vector<int64_t> &ends = splits[level];
    if (ends.empty())
      return op.invalid("Ragged splits may not be empty");
    if (ends.front() != 0)
      return op.invalid("Ragged splits must start from 0, but begin with " +
                        std::to_string(ends.front()));
    for (size_t i = 1; i < ends.size(); ++i)
      if (ends[i] < ends[i - 1])
        return op.invalid("Ragged splits should be non decreasing, but got " +
                          std::to_string(ends[i]) + " after " +
                          std::to_string(ends[i - 1]));
    if (ends.back() > numRows(level + 1) ||
        (!isPrefix && ends.back() < numRows(level + 1)))
      return op.invalid("Final value of ragged splits must match the length "
                        "the corresponding ragged array: " +
                        std::to_string(ends.back()) + ", but there are " +
                        std::to_string(numRows(level + 1)) + " rows");
  }
  return Status::ok();
}

Status ops::writeSplits(OpKernelContext &op, size_t i,
                        const std::vector<int64_t> &splits) {
  auto size = static_cast<int64_t>(splits.size());
  if (op.outputType(i) == INGOT_INT64) {
    INGOT_ASSIGN_OR_RETURN(auto to, op.output<int64_t>(i, {size}));
    std::copy(splits.begin(), splits.end(), to.begin());
    return Status::ok();
  }
  if (!splits.empty() && splits.back() > std::numeric_limits<int32_t>::max())
    return op.invalid("the result has " + std::to_string(splits.back()) +
                      " rows, which int32 row splits cannot hold");
  INGOT_ASSIGN_OR_RETURN(auto to, op.output<int32_t>(i, {size}));
  std::transform(splits.begin(), splits.end(), to.begin(),
                 [](int64_t end) { return static_cast<int32_t>(end); });
  return Status::ok();
}

std::vector<int64_t> ops::uniformSplits(int64_t rows, int64_t size) {
  std::vector<int64_t> splits(1);
  for (int64_t row = 0; row < rows; ++row)
    splits.push_back(splits.back() + size);
  return splits;
}

namespace {
/// The rows of a ragged tensor that RaggedGather selects.
struct GatheredRows {
  /// Appends row `row` of `params`: its splits, shifted so that they continue
  /// those of the rows before it, and the range of its rows in the values.
  void add(const RaggedInput &params, int64_t row) {
    int64_t begin = row, end = row + 1;
    for (size_t level = 0; level < params.raggedRank(); ++level) {
      const std::vector<int64_t> &from = params.splits[level];
      int64_t first = from[static_cast<size_t>(begin)];
      int64_t last = from[static_cast<size_t>(end)];
      int64_t offset = splits[level].back() - first;
      for (int64_t i = begin + 1; i <= end; ++i)
        splits[level].push_back(from[static_cast<size_t>(i)] + offset);
      begin = first;
      end = last;
    }
    ranges.emplace_back(begin, end);
  }

  std::vector<std::vector<int64_t>> splits;
  std::vector<std::pair<int64_t, int64_t>> ranges;
};
} // namespace

// Implements RaggedGather. Inputs: the row splits and values of a ragged
// tensor, and the indices of its rows.
INGOT_RUNTIME_OP(ragged_gather) {
  RaggedInput params(op, op.numInputs() - 2);
  OpInput indices = op.input(op.numInputs() - 1);
  INGOT_RETURN_IF_ERROR(params.check(op, /*isPrefix=*/true));
  int64_t rows = params.numRows(0);
  GatheredRows gathered{
      std::vector<std::vector<int64_t>>(params.raggedRank(), {0}), {}};
  for (size_t i = 0; i < static_cast<size_t>(indices.numElements()); ++i) {
    int64_t row = indices.integer(i);
    if (row < 0 || row >= rows)
      return op.invalid("indices[" + std::to_string(i) +
                        "] = " + std::to_string(row) + " is not in [0, " +
                        std::to_string(rows) + ")");
    gathered.add(params, row);
  }
  // The result has the dimensions of the indices, followed by those of a row.
  // Write uniform splits for all dimensions of the indices but the first, then
  // the splits of the gathered rows. A scalar index selects one row. The result
  // is then this row, so the outermost splits, which give its length, are left
  // out.
  size_t output = 0;
  int64_t count = 1;
  for (size_t axis = 0; axis + 1 < indices.rank(); ++axis) {
    count *= indices.dim(axis);
    INGOT_RETURN_IF_ERROR(
        writeSplits(op, output++, uniformSplits(count, indices.dim(axis + 1))));
  }
  for (size_t level = indices.rank() == 0; level < params.raggedRank(); ++level)
    INGOT_RETURN_IF_ERROR(writeSplits(op, output++, gathered.splits[level]));
  std::vector<int64_t> dims(params.values.dims().begin(),
                            params.values.dims().end());
  dims.front() = gathered.splits.back().back();
  INGOT_ASSIGN_OR_RETURN(void *to, op.allocate(output, dims));
  size_t bytes = params.rowBytes();
  auto *at = static_cast<char *>(to);
  const auto *from = static_cast<const char *>(params.values.data());
  for (auto [begin, end] : gathered.ranges) {
    size_t size = static_cast<size_t>(end - begin) * bytes;
    if (size != 0)
      std::memcpy(at, from + static_cast<size_t>(begin) * bytes, size);
    at += size;
  }
  return Status::ok();
}

/// Returns, for each row of the values, its coordinates in the ragged
/// dimensions.
static std::vector<int64_t> coordinates(const RaggedInput &ragged) {
  // The coordinates of all rows of the current level, one row after the other.
  // Each row has `width` coordinates.
  std::vector<int64_t> rows(static_cast<size_t>(ragged.numRows(0)));
  for (size_t row = 0; row < rows.size(); ++row)
    rows[row] = static_cast<int64_t>(row);
  size_t width = 1;
  for (const std::vector<int64_t> &splits : ragged.splits) {
    std::vector<int64_t> next;
    for (size_t row = 0; row + 1 < splits.size(); ++row)
      for (int64_t i = 0; i < splits[row + 1] - splits[row]; ++i) {
        next.insert(next.end(), rows.begin() + row * width,
                    rows.begin() + (row + 1) * width);
        next.push_back(i);
      }
    rows = std::move(next);
    ++width;
  }
  return rows;
}

// Implements RaggedTensorToSparse. Inputs: row splits and values.
INGOT_RUNTIME_OP(ragged_to_sparse) {
  RaggedInput ragged(op, op.numInputs() - 1);
  INGOT_RETURN_IF_ERROR(ragged.check(op));
  std::vector<int64_t> rows = coordinates(ragged);
  size_t outer = ragged.raggedRank() + 1;
  Dims inner = ragged.values.dims().subspan(1);
  int64_t count = ragged.values.numElements();
  auto rank = static_cast<int64_t>(outer + inner.size());
  INGOT_ASSIGN_OR_RETURN(auto indices, op.output<int64_t>(0, {count, rank}));
  for (size_t element = 0; element < static_cast<size_t>(count); ++element) {
    std::span<int64_t> index = indices.subspan(
        element * static_cast<size_t>(rank), static_cast<size_t>(rank));
    auto rest = static_cast<int64_t>(element);
    for (size_t axis = inner.size(); axis-- != 0; rest /= inner[axis])
      index[outer + axis] = rest % inner[axis];
    std::copy_n(rows.begin() + static_cast<size_t>(rest) * outer, outer,
                index.begin());
  }
  INGOT_ASSIGN_OR_RETURN(void *values, op.allocate(1, {&count, 1}));
  size_t bytes = static_cast<size_t>(count) * elementSize(op.outputType(1));
  if (bytes != 0)
    std::memcpy(values, ragged.values.data(), bytes);
  INGOT_ASSIGN_OR_RETURN(auto shape, op.output<int64_t>(2, {rank}));
  shape[0] = ragged.numRows(0);
  for (size_t level = 0; level < ragged.raggedRank(); ++level) {
    const std::vector<int64_t> &splits = ragged.splits[level];
    int64_t longest = 0;
    for (size_t row = 0; row + 1 < splits.size(); ++row)
      longest = std::max(longest, splits[row + 1] - splits[row]);
    shape[level + 1] = longest;
  }
  std::copy(inner.begin(), inner.end(),
            shape.begin() + static_cast<int64_t>(outer));
  return Status::ok();
}
