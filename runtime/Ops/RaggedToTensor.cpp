//===- RaggedToTensor.cpp - Ragged rows to a dense tensor -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/OpKernelContext.h"

#include <cstring>

using namespace ingot;
using namespace ingot::ops;

namespace {
/// One ragged dimension: its row partition, the total number of its values, and
/// the length of its longest row.
struct RaggedDimension {
  OpInput partition;
  // If true, `partition` has the index of the row of each value; otherwise it
  // has row splits.
  bool isByIds;
  int64_t values = 0;
  int64_t longest = 0;
};
} // namespace

/// Checks the row partition of `level`, which has `rows` rows, and computes the
/// fields `values` and `longest` from it.
static Status measure(const OpKernelContext &op, RaggedDimension &level,
                      int64_t rows) {
  const OpInput &partition = level.partition;
  if (partition.rank() != 1)
    return op.invalid("a row partition has shape " +
                      dimsText(partition.dims()) + ", expected a vector");
  auto count = static_cast<size_t>(partition.numElements());
  if (level.isByIds) {
    level.values = partition.numElements();
    int64_t length = 0, last = -1;
    for (size_t i = 0; i < count; ++i) {
      int64_t row = partition.integer(i);
      if (row < 0 || row >= rows)
        return op.invalid("value " + std::to_string(i) + " has row id " +
                          std::to_string(row) + ", which is not in [0, " +
                          std::to_string(rows) + ")");
      length = row == last ? length + 1 : 1;
      last = row;
      level.longest = std::max(level.longest, length);
    }
    return Status::ok();
  }
  if (partition.numElements() - 1 != rows)
    return op.invalid(std::to_string(rows) + " rows need " +
                      std::to_string(rows + 1) + " row splits, but there are " +
                      std::to_string(count));
  if (partition.integer(0) != 0)
    return op.invalid("the first row split must be 0, but is " +
                      std::to_string(partition.integer(0)));
  for (size_t i = 1; i < count; ++i) {
    int64_t length = partition.integer(i) - partition.integer(i - 1);
    if (length < 0)
      return op.invalid("row " + std::to_string(i - 1) + " ends at " +
                        std::to_string(partition.integer(i)) +
                        ", before it begins at " +
                        std::to_string(partition.integer(i - 1)));
    level.longest = std::max(level.longest, length);
  }
  level.values = partition.integer(count - 1);
  return Status::ok();
}

/// Returns, for each value of ragged dimension `level`, its flat index in the
/// dense result. Successive values of a row are `stride` apart. `rows` are the
/// flat indices of the dimension's rows, -1 for a row that is not in the
/// result. The values of such a row, and the values after the first `width` of
/// any row, are not in the result; their index is -1.
static std::vector<int64_t> place(const RaggedDimension &level,
                                  const std::vector<int64_t> &rows,
                                  int64_t width, int64_t stride) {
  std::vector<int64_t> places(static_cast<size_t>(level.values), -1);
  auto put = [&](size_t value, size_t row, int64_t at) {
    if (row < rows.size() && rows[row] >= 0 && at < width)
      places[value] = rows[row] + at * stride;
  };
  if (level.isByIds) {
    int64_t at = 0, last = -1;
    for (size_t i = 0; i < places.size(); ++i) {
      int64_t row = level.partition.integer(i);
      at = row == last ? at + 1 : 0;
      last = row;
      put(i, static_cast<size_t>(row), at);
    }
    return places;
  }
  for (size_t row = 0;
       row + 1 < static_cast<size_t>(level.partition.numElements()); ++row) {
    int64_t begin = level.partition.integer(row);
    for (int64_t i = begin; i < level.partition.integer(row + 1); ++i)
      put(static_cast<size_t>(i), row, i - begin);
  }
  return places;
}

/// Fills the memory of one value, `bytes`, with the default value. The default
/// is broadcast to the value's shape, `value`.
static Status writeDefault(const OpKernelContext &op, const OpInput &byDefault,
                           Dims value, std::vector<char> &bytes,
                           size_t element) {
  Dims given = byDefault.dims();
  bool fits = given.size() <= value.size();
  for (size_t i = 0; fits && i < given.size(); ++i) {
    int64_t dim = value[value.size() - given.size() + i];
    fits = given[i] == 1 || given[i] == dim;
  }
  if (!fits)
    return op.invalid("a default value of shape " + dimsText(given) +
                      " cannot be broadcast to values of shape " +
                      dimsText(value));
  for (size_t i = 0; i < bytes.size() / element; ++i) {
    size_t from = 0, rest = i, stride = 1;
    for (size_t axis = given.size(); axis-- > 0;) {
      auto dim = static_cast<size_t>(value[value.size() - given.size() + axis]);
      from += given[axis] == 1 ? 0 : rest % dim * stride;
      stride *= static_cast<size_t>(given[axis]);
      rest /= dim;
    }
    std::memcpy(bytes.data() + i * element,
                static_cast<const char *>(byDefault.data()) + from * element,
                element);
  }
  return Status::ok();
}

// Implements RaggedTensorToTensor. Inputs: the requested shape, the values, the
// default value, then the row partitions. Attribute `types` states the kind of
// each partition.
INGOT_RUNTIME_OP(ragged_to_tensor) {
  OpInput shape = op.input(0), values = op.input(1), byDefault = op.input(2);
  auto types = op.texts("types");
  bool isCounted = view(types[0]) == "FIRST_DIM_SIZE";
  OpInput first = op.input(3);
  if (first.numElements() == 0)
    return op.invalid("the first row partition is empty: expected row splits, "
                      "or the number of rows");
  int64_t rows = isCounted ? first.integer(0) : first.numElements() - 1;
  if (rows < 0)
    return op.invalid("the number of rows must not be negative, but is " +
                      std::to_string(rows));
  std::vector<RaggedDimension> levels;
  std::vector<int64_t> dims = {rows};
  for (size_t i = isCounted; i < types.size(); ++i) {
    RaggedDimension level{op.input(3 + i), view(types[i]) == "VALUE_ROWIDS"};
    INGOT_RETURN_IF_ERROR(
        measure(op, level, levels.empty() ? rows : levels.back().values));
    dims.push_back(level.longest);
    levels.push_back(level);
  }
  // Fewer values than the partitions state are an error. More are allowed: the
  // values after the last row are ignored.
  if (values.dim(0) < levels.back().values)
    return op.invalid("the row partitions describe " +
                      std::to_string(levels.back().values) +
                      " values, but the values tensor has only " +
                      std::to_string(values.dim(0)) + " rows");
  Dims value = values.dims().subspan(1);
  dims.insert(dims.end(), value.begin(), value.end());
  if (shape.rank() != 1 && shape.integer(0) != -1)
    return op.invalid("the requested shape must be a vector, or the scalar -1 "
                      "for any shape, but is the scalar " +
                      std::to_string(shape.integer(0)));
  if (shape.rank() == 1 && shape.dim(0) != std::ssize(dims))
    return op.invalid("the requested shape has " +
                      std::to_string(shape.numElements()) +
                      " dimensions, but the ragged tensor has " +
                      std::to_string(dims.size()));
  for (size_t i = 0; shape.rank() == 1 && i < dims.size(); ++i) {
    int64_t asked = shape.integer(i);
    if (asked >= 0 && i > levels.size() && asked != dims[i])
      return op.invalid("dimension " + std::to_string(i) + " is " +
                        std::to_string(asked) +
                        " in the requested shape, but " +
                        std::to_string(dims[i]) + " in the ragged tensor");
    dims[i] = asked >= 0 ? asked : dims[i];
  }
  size_t element = elementSize(values.dtype()), bytes = element;
  for (int64_t dim : value)
    bytes *= static_cast<size_t>(dim);
  std::vector<char> one(bytes);
  INGOT_RETURN_IF_ERROR(writeDefault(op, byDefault, value, one, element));
  INGOT_ASSIGN_OR_RETURN(void *data, op.allocate(0, dims));
  // strides[i]: the distance between neighbors along ragged dimension i, in
  // values.
  std::vector<int64_t> strides(levels.size() + 1, 1);
  for (size_t i = levels.size(); i-- > 0;)
    strides[i] = strides[i + 1] * dims[i + 1];
  int64_t total = strides[0] * dims[0];
  auto *out = static_cast<char *>(data);
  for (int64_t i = 0; bytes && i < total; ++i)
    std::memcpy(out + static_cast<size_t>(i) * bytes, one.data(), bytes);
  // Only the first dims[0] rows of the outermost level are in the result; later
  // rows have no position.
  std::vector<int64_t> places(
      static_cast<size_t>(total ? std::min(rows, dims[0]) : 0));
  for (size_t row = 0; row < places.size(); ++row)
    places[row] = static_cast<int64_t>(row) * strides[0];
  for (size_t i = 0; i < levels.size(); ++i)
    places = place(levels[i], places, dims[i + 1], strides[i + 1]);
  for (size_t i = 0; bytes && i < places.size(); ++i)
    if (places[i] >= 0)
      std::memcpy(out + static_cast<size_t>(places[i]) * bytes,
                  static_cast<const char *>(values.data()) + i * bytes, bytes);
  return Status::ok();
}
