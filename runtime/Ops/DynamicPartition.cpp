//===- DynamicPartition.cpp - DynamicPartition and DynamicStitch ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/OpKernelContext.h"

#include <cstring>
#include <limits>

using namespace ingot;
using namespace ingot::ops;

/// Returns the size in bytes of a slice of `data`: of all elements with the
/// same indices in the first `rank` dimensions.
static size_t sliceBytes(const OpInput &data, size_t rank) {
  size_t bytes = elementSize(data.dtype());
  for (int64_t dim : data.dims().subspan(rank))
    bytes *= static_cast<size_t>(dim);
  return bytes;
}

static Status checkPrefix(OpKernelContext &op, const char *name,
                          const OpInput &index, const OpInput &data) {
  if (data.rank() >= index.rank() &&
      std::equal(index.dims().begin(), index.dims().end(), data.dims().begin()))
    return Status::ok();
  return op.invalid(
      "the shape of " + std::string(name) + ", " + dimsText(index.dims()) +
      ", is not a prefix of the shape of data, " + dimsText(data.dims()));
}

// Implements DynamicPartition. Inputs: the data, and for each of its slices the
// index of the output that the slice is copied to. Slices keep their order.
INGOT_RUNTIME_OP(dynamic_partition) {
  OpInput data = op.input(0), partitions = op.input(1);
  INGOT_RETURN_IF_ERROR(checkPrefix(op, "partitions", partitions, data));
  auto numbers = partitions.as<int32_t>();
  std::vector<int64_t> counts(op.numOutputs());
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0 || static_cast<size_t>(numbers[i]) >= counts.size())
      return op.invalid("partitions[" + std::to_string(i) + "] is " +
                        std::to_string(numbers[i]) + ", which is not in [0, " +
                        std::to_string(counts.size()) + ")");
    ++counts[static_cast<size_t>(numbers[i])];
  }
  size_t bytes = sliceBytes(data, partitions.rank());
  Dims rest = data.dims().subspan(partitions.rank());
  std::vector<int64_t> dims{0};
  dims.insert(dims.end(), rest.begin(), rest.end());
  std::vector<char *> ends(counts.size());
  for (size_t part = 0; part < counts.size(); ++part) {
    dims[0] = counts[part];
    INGOT_ASSIGN_OR_RETURN(void *memory, op.allocate(part, dims));
    ends[part] = static_cast<char *>(memory);
  }
  if (bytes == 0)
    return Status::ok();
  const char *slice = static_cast<const char *>(data.data());
  for (int32_t number : numbers) {
    std::memcpy(ends[static_cast<size_t>(number)], slice, bytes);
    ends[static_cast<size_t>(number)] += bytes;
    slice += bytes;
  }
  return Status::ok();
}

// Implements DynamicStitch. Inputs: N tensors of indices, then N tensors of
// data. Slice i of a data tensor becomes the output's row indices[i]; if
// several slices have the same index, the last one is used. Rows without a
// slice are zeros.
INGOT_RUNTIME_OP(dynamic_stitch) {
  size_t count = op.numInputs() / 2;
  int64_t rows = 0;
  Dims row;
  for (size_t k = 0; k < count; ++k) {
    OpInput indices = op.input(k), data = op.input(count + k);
    INGOT_RETURN_IF_ERROR(checkPrefix(op, "indices", indices, data));
    Dims rest = data.dims().subspan(indices.rank());
    if (k == 0)
      row = rest;
    if (!std::equal(row.begin(), row.end(), rest.begin(), rest.end()))
      return op.invalid("data[" + std::to_string(k) + "] has rows of shape " +
                        dimsText(rest) + ", but data[0] has rows of shape " +
                        dimsText(row));
    for (int32_t index : indices.as<int32_t>()) {
      // The number of rows, largest index + 1, has to fit an int32.
      if (index < 0 || index == std::numeric_limits<int32_t>::max())
        return op.invalid("indices[" + std::to_string(k) + "] contains " +
                          std::to_string(index) + ", which is not in [0, " +
                          std::to_string(std::numeric_limits<int32_t>::max()) +
                          ")");
      rows = std::max<int64_t>(rows, int64_t(index) + 1);
    }
  }
  std::vector<int64_t> dims{rows};
  dims.insert(dims.end(), row.begin(), row.end());
  INGOT_ASSIGN_OR_RETURN(void *memory, op.allocate(0, dims));
  size_t bytes = sliceBytes(op.input(count), op.input(0).rank());
  if (bytes == 0)
    return Status::ok();
  char *output = static_cast<char *>(memory);
  std::memset(output, 0, static_cast<size_t>(rows) * bytes);
  for (size_t k = 0; k < count; ++k) {
    const char *slice = static_cast<const char *>(op.input(count + k).data());
    for (int32_t index : op.input(k).as<int32_t>()) {
      std::memcpy(output + static_cast<size_t>(index) * bytes, slice, bytes);
      slice += bytes;
    }
  }
  return Status::ok();
}
