//===- SparseStrings.cpp - Serializes sparse tensors ----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Serializes a sparse tensor to a vector of strings: one with the bytes of all
// indices, one with the bytes of all values, then one for each dimension with
// its size. If the values are strings, the second string has all of them, one
// after the other, each preceded by its length.
//
//===----------------------------------------------------------------------===//

#include "runtime/Ops/Sparse.h"

#include <algorithm>
#include <cstring>

using namespace ingot;
using namespace ingot::ops;

static std::string bytesOf(const void *data, size_t size) {
  return std::string(static_cast<const char *>(data), size);
}
static std::string bytesOf(int64_t number) {
  return bytesOf(&number, sizeof(number));
}

/// Serializes the indices and values of one sparse tensor, element by element.
namespace {
struct SerializedSparseTensor {
  std::string indices, values;

  void add(const SparseInput &sparse, int64_t element, size_t firstAxis) {
    Dims at = sparse.at(element).subspan(firstAxis);
    indices += bytesOf(at.data(), at.size() * sizeof(int64_t));
    if (sparse.values.dtype() == INGOT_STRING) {
      std::string_view text = sparse.values.text(element);
      values += bytesOf(static_cast<int64_t>(text.size()));
      values += text;
      return;
    }
    size_t bytes = elementSize(sparse.values.dtype());
    values += bytesOf(static_cast<const char *>(sparse.values.data()) +
                          static_cast<size_t>(element) * bytes,
                      bytes);
  }

  Status write(OpKernelContext &op, std::span<ingot_string> to,
               Dims dims) const {
    INGOT_ASSIGN_OR_RETURN(to[0], op.string(indices));
    INGOT_ASSIGN_OR_RETURN(to[1], op.string(values));
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      INGOT_ASSIGN_OR_RETURN(to[2 + axis], op.string(bytesOf(dims[axis])));
    }
    return Status::ok();
  }
};
} // namespace

/// Checks that the elements are inside the shape, in row-major order and
/// without duplicates.
static Status checkOrder(const SparseInput &sparse) {
  INGOT_RETURN_IF_ERROR(sparse.checkShape());
  INGOT_RETURN_IF_ERROR(sparse.check());
  for (int64_t element = 1; element < sparse.size(); ++element) {
    Dims before = sparse.at(element - 1), at = sparse.at(element);
    bool isSame = std::equal(before.begin(), before.end(), at.begin());
    if (isSame || std::lexicographical_compare(at.begin(), at.end(),
                                               before.begin(), before.end()))
      return Status(StatusCode::InvalidArgument,
                    "indices[" + std::to_string(element) +
                        "] = " + dimsText(at) +
                        (isSame ? " is repeated"
                                : " is out of order. Many sparse ops require "
                                  "sorted indices."));
  }
  return Status::ok();
}

// Serializes one sparse tensor, or, with `by_rows`, each row of it. For
// `by_rows`, the elements must be sorted, so their order is checked. For a
// whole tensor only the sizes of the three inputs are checked.
INGOT_RUNTIME_OP(serialize_sparse) {
  SparseInput sparse(op.input(0), op.input(1), op.input(2));
  bool byRows = op.flag("by_rows");
  INGOT_RETURN_IF_ERROR(byRows ? checkOrder(sparse) : sparse.checkSizes());
  size_t first = byRows ? 1 : 0;
  Dims dims = sparse.dims().subspan(first);
  int64_t rows = byRows ? sparse.dims()[0] : 1;
  auto width = static_cast<int64_t>(2 + dims.size());
  std::vector<int64_t> shape;
  if (byRows)
    shape.push_back(rows);
  shape.push_back(width);
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<ingot_string>(0, shape));
  int64_t element = 0;
  for (int64_t row = 0; row < rows; ++row) {
    SerializedSparseTensor text;
    for (; element < sparse.size() && (!byRows || sparse.at(element)[0] == row);
         ++element)
      text.add(sparse, element, first);
    INGOT_RETURN_IF_ERROR(
        text.write(op,
                   output.subspan(static_cast<size_t>(row * width),
                                  static_cast<size_t>(width)),
                   dims));
  }
  return Status::ok();
}

static Status notSerialized() {
  return Status(StatusCode::InvalidArgument,
                "the strings are not a serialized sparse tensor: expected the "
                "output of SerializeSparse or SerializeManySparse");
}

/// Appends the coordinates of element `number`, in row-major order, of a tensor
/// of shape `dims`.
static void appendPosition(std::vector<int64_t> &to, int64_t number,
                           Dims dims) {
  size_t at = to.size();
  to.resize(at + dims.size());
  for (size_t axis = dims.size(); axis-- != 0;) {
    to[at + axis] = number % dims[axis];
    number /= dims[axis];
  }
}

/// Parses the values in `text`. Appends strings to `strings`, and the bytes of
/// values of other types to `bytes`.
static Status readValues(std::string_view text, bool areStrings,
                         std::vector<std::string_view> &strings,
                         std::string &bytes) {
  if (!areStrings) {
    bytes += text;
    return Status::ok();
  }
  while (!text.empty()) {
    int64_t size;
    if (text.size() < sizeof(size))
      return notSerialized();
    std::memcpy(&size, text.data(), sizeof(size));
    text.remove_prefix(sizeof(size));
    if (size < 0 || static_cast<size_t>(size) > text.size())
      return notSerialized();
    strings.push_back(text.substr(0, static_cast<size_t>(size)));
    text.remove_prefix(static_cast<size_t>(size));
  }
  return Status::ok();
}

// Implements DeserializeSparse. Input: a batch of serialized sparse tensors.
// Output: one sparse tensor, whose first dimensions are those of the batch.
INGOT_RUNTIME_OP(deserialize_sparse) {
  OpInput input = op.input(0);
  Dims batch = input.dims().first(input.rank() - 1);
  auto width = static_cast<size_t>(input.dims().back());
  size_t rank = width - 2;
  std::vector<int64_t> indices, shape(batch.begin(), batch.end());
  shape.resize(batch.size() + rank);
  std::vector<std::string_view> strings;
  std::string bytes;
  bool areStrings = op.outputType(1) == INGOT_STRING;
  int64_t elements = 0;
  size_t count = static_cast<size_t>(input.numElements()) / width;
  for (size_t number = 0; number < count; ++number) {
    std::string_view at = input.text(number * width);
    // Check that the size of the indices is a multiple of the size of an
    // element's coordinates. A tensor of rank 0 has no coordinates.
    size_t stride = rank * sizeof(int64_t);
    if (stride != 0 && at.size() % stride != 0)
      return notSerialized();
    size_t before = areStrings ? strings.size() : bytes.size();
    INGOT_RETURN_IF_ERROR(
        readValues(input.text(number * width + 1), areStrings, strings, bytes));
    size_t added =
        areStrings ? strings.size() - before
                   : (bytes.size() - before) / elementSize(op.outputType(1));
    if (stride != 0 && added != at.size() / stride)
      return notSerialized();
    for (size_t element = 0; element < added; ++element) {
      appendPosition(indices, static_cast<int64_t>(number), batch);
      size_t end = indices.size();
      indices.resize(end + rank);
      std::memcpy(indices.data() + end, at.data() + element * stride, stride);
    }
    elements += static_cast<int64_t>(added);
    for (size_t axis = 0; axis < rank; ++axis) {
      std::string_view text = input.text(number * width + 2 + axis);
      int64_t dim;
      if (text.size() != sizeof(dim))
        return notSerialized();
      std::memcpy(&dim, text.data(), sizeof(dim));
      int64_t &largest = shape[batch.size() + axis];
      largest = std::max(largest, dim);
    }
  }
  auto outRank = static_cast<int64_t>(shape.size());
  INGOT_ASSIGN_OR_RETURN(auto outIndices,
                         op.output<int64_t>(0, {elements, outRank}));
  std::copy(indices.begin(), indices.end(), outIndices.begin());
  INGOT_ASSIGN_OR_RETURN(void *values, op.allocate(1, {&elements, 1}));
  for (size_t i = 0; i < strings.size(); ++i) {
    INGOT_ASSIGN_OR_RETURN(static_cast<ingot_string *>(values)[i],
                           op.string(strings[i]));
  }
  if (!areStrings)
    std::memcpy(values, bytes.data(), bytes.size());
  INGOT_ASSIGN_OR_RETURN(auto outShape, op.output<int64_t>(2, {outRank}));
  std::copy(shape.begin(), shape.end(), outShape.begin());
  return Status::ok();
}
