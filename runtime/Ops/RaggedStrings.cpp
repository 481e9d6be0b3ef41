//===- RaggedStrings.cpp - Serializes ragged tensors ----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Serializes a ragged tensor to a vector of strings. The first strings have the
// bytes of the row splits, which are int64 numbers: one string for each ragged
// dimension. The next string has the bytes of all values. The last strings have
// the size of each dimension of the values. If the values are strings, they are
// written one after the other, each preceded by its length. If an element of a
// list was never set, all of its strings are empty.
//
//===----------------------------------------------------------------------===//

#include "runtime/Ops/Ragged.h"

#include <cstring>

using namespace ingot;
using namespace ingot::ops;

static std::string bytesOf(const void *data, size_t size) {
  return std::string(static_cast<const char *>(data), size);
}
static std::string bytesOf(int64_t number) {
  return bytesOf(&number, sizeof(number));
}

/// Returns the bytes of rows [begin, end) of the values.
static std::string bytesOfRows(const OpInput &values, int64_t begin,
                               int64_t end, size_t perRow) {
  if (values.dtype() != INGOT_STRING)
    return bytesOf(static_cast<const char *>(values.data()) +
                       static_cast<size_t>(begin) * perRow,
                   static_cast<size_t>(end - begin) * perRow);
  std::string bytes;
  size_t elements = perRow / sizeof(ingot_string);
  for (size_t i = static_cast<size_t>(begin) * elements;
       i < static_cast<size_t>(end) * elements; ++i) {
    bytes += bytesOf(static_cast<int64_t>(values.text(i).size()));
    bytes += values.text(i);
  }
  return bytes;
}

/// Writes rows [begin, end) of ragged dimension `level` to `to`.
static Status writeRows(OpKernelContext &op, const RaggedInput &ragged,
                        size_t level, int64_t begin, int64_t end,
                        std::span<ingot_string> to) {
  size_t at = 0;
  for (; level < ragged.raggedRank(); ++level) {
    const std::vector<int64_t> &splits = ragged.splits[level];
    int64_t first = splits[static_cast<size_t>(begin)];
    std::string bytes;
    for (int64_t i = begin; i <= end; ++i)
      bytes += bytesOf(splits[static_cast<size_t>(i)] - first);
    INGOT_ASSIGN_OR_RETURN(to[at++], op.string(bytes));
    end = splits[static_cast<size_t>(end)];
    begin = first;
  }
  bool isScalar = ragged.values.rank() == 0;
  size_t perRow =
      isScalar ? elementSize(ragged.values.dtype()) : ragged.rowBytes();
  INGOT_ASSIGN_OR_RETURN(
      to[at++], op.string(bytesOfRows(ragged.values, begin, end, perRow)));
  for (size_t axis = 0; axis < ragged.values.rank(); ++axis) {
    int64_t dim = axis == 0 ? end - begin : ragged.values.dim(axis);
    INGOT_ASSIGN_OR_RETURN(to[at++], op.string(bytesOf(dim)));
  }
  return Status::ok();
}

// Serializes a ragged tensor, or, if `batched`, each row of it.
INGOT_RUNTIME_OP(serialize_ragged) {
  RaggedInput ragged(op, op.numInputs() - 1);
  INGOT_RETURN_IF_ERROR(ragged.check(op));
  size_t width = ragged.raggedRank() + 1 + ragged.values.rank();
  if (!op.flag("batched")) {
    INGOT_ASSIGN_OR_RETURN(
        auto to, op.output<ingot_string>(0, {static_cast<int64_t>(width)}));
    int64_t rows = ragged.raggedRank() == 0 && ragged.values.rank() == 0
                       ? 1
                       : ragged.numRows(0);
    return writeRows(op, ragged, 0, 0, rows, to);
  }
  int64_t rows = ragged.numRows(0);
  --width;
  INGOT_ASSIGN_OR_RETURN(
      auto to, op.output<ingot_string>(0, {rows, static_cast<int64_t>(width)}));
  for (size_t row = 0; row < static_cast<size_t>(rows); ++row)
    INGOT_RETURN_IF_ERROR(writeRows(op, ragged, 1, ragged.splits[0][row],
                                    ragged.splits[0][row + 1],
                                    to.subspan(row * width, width)));
  return Status::ok();
}

static Status notSerialized() {
  return Status(StatusCode::InvalidArgument,
                "the strings are not a serialized ragged tensor: expected the "
                "output of RaggedTensorToVariant with the same type and ragged "
                "rank");
}

static Status readNumbers(std::string_view text, std::vector<int64_t> &to) {
  if (text.size() % sizeof(int64_t) != 0)
    return notSerialized();
  to.resize(text.size() / sizeof(int64_t));
  if (!text.empty())
    std::memcpy(to.data(), text.data(), text.size());
  return Status::ok();
}

namespace {
/// One serialized ragged tensor.
struct SerializedRagged {
  /// Reads ragged tensor `index` of `input`. The first `numSplits` of its
  /// strings have its row splits.
  Status read(const OpInput &input, size_t index, size_t numSplits,
              bool areStrings, size_t elementBytes) {
    auto width = static_cast<size_t>(input.dims().back());
    auto text = [&](size_t i) { return input.text(index * width + i); };
    isEmpty = true;
    for (size_t i = 0; i < width; ++i)
      isEmpty &= text(i).empty();
    splits.assign(numSplits, {0});
    dims.assign(width - numSplits - 1, 0);
    if (isEmpty)
      return Status::ok();
    for (size_t level = 0; level < numSplits; ++level)
      INGOT_RETURN_IF_ERROR(readNumbers(text(level), splits[level]));
    size_t count = 1;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      std::string_view dim = text(numSplits + 1 + axis);
      if (dim.size() != sizeof(int64_t))
        return notSerialized();
      std::memcpy(&dims[axis], dim.data(), dim.size());
      if (dims[axis] < 0 || __builtin_mul_overflow(
                                count, static_cast<size_t>(dims[axis]), &count))
        return notSerialized();
    }
    values = text(numSplits);
    if (!areStrings)
      return values.size() % elementBytes == 0 &&
                     values.size() / elementBytes == count
                 ? checkSplits()
                 : notSerialized();
    INGOT_RETURN_IF_ERROR(readTexts());
    return texts.size() == count ? checkSplits() : notSerialized();
  }

  int64_t numRows() const {
    return splits.empty() ? dims.front()
                          : static_cast<int64_t>(splits.front().size()) - 1;
  }

  bool isEmpty = false;
  std::vector<std::vector<int64_t>> splits;
  std::vector<int64_t> dims;
  std::string_view values;
  std::vector<std::string_view> texts;

private:
  Status checkSplits() const {
    for (size_t level = 0; level < splits.size(); ++level) {
      const std::vector<int64_t> &ends = splits[level];
      size_t next = level + 1;
      int64_t rows = next == splits.size()
                         ? dims.front()
                         : static_cast<int64_t>(splits[next].size()) - 1;
      if (ends.empty() || ends.front() != 0 || ends.back() != rows ||
          !std::is_sorted(ends.begin(), ends.end()))
        return notSerialized();
    }
    return Status::ok();
  }

  Status readTexts() {
    texts.clear();
    for (std::string_view rest = values; !rest.empty();) {
      int64_t size;
      if (rest.size() < sizeof(size))
        return notSerialized();
      std::memcpy(&size, rest.data(), sizeof(size));
      rest.remove_prefix(sizeof(size));
      if (size < 0 || static_cast<size_t>(size) > rest.size())
        return notSerialized();
      texts.push_back(rest.substr(0, static_cast<size_t>(size)));
      rest.remove_prefix(static_cast<size_t>(size));
    }
    return Status::ok();
  }
};

/// Ragged tensors that are stacked, and the values of all of them.
class StackedRaggedTensor {
public:
  StackedRaggedTensor(OpKernelContext &op, size_t numSplits)
      : op(op), output(op.numOutputs() - 1), splits(numSplits, {0}),
        rowEnds({0}) {}

  Status read(const OpInput &input) {
    bool areStrings = op.outputType(output) == INGOT_STRING;
    auto width = static_cast<size_t>(input.dims().back());
    if (width < splits.size() + 1)
      return notSerialized();
    size_t count = static_cast<size_t>(input.numElements()) / width;
    for (size_t i = 0; i < count; ++i) {
      SerializedRagged part;
      INGOT_RETURN_IF_ERROR(part.read(input, i, splits.size(), areStrings,
                                      elementSize(op.outputType(output))));
      INGOT_RETURN_IF_ERROR(add(std::move(part)));
    }
    return Status::ok();
  }

  Status writeValues() const {
    std::vector<int64_t> all = dims;
    if (all.empty() && !isScalar)
      all.assign(op.outputRank(output), 0);
    if (!all.empty())
      all.front() = rows;
    INGOT_ASSIGN_OR_RETURN(void *data, op.allocate(output, all));
    auto *at = static_cast<char *>(data);
    for (const SerializedRagged &part : parts) {
      for (std::string_view text : part.texts) {
        INGOT_ASSIGN_OR_RETURN(*reinterpret_cast<ingot_string *>(at),
                               op.string(text));
        at += sizeof(ingot_string);
      }
      if (op.outputType(output) == INGOT_STRING || part.values.empty())
        continue;
      std::memcpy(at, part.values.data(), part.values.size());
      at += part.values.size();
    }
    return Status::ok();
  }

private:
  Status add(SerializedRagged part) {
    if (!part.isEmpty) {
      isScalar = part.dims.empty();
      if (dims.empty())
        dims = part.dims;
      if (!std::equal(dims.begin() + !isScalar, dims.end(),
                      part.dims.begin() + !isScalar))
        return op.invalid("All flat_values must have compatible shapes, but "
                          "one has shape " +
                          dimsText(dims) + " and one has " +
                          dimsText(part.dims));
    }
    if (!part.dims.empty()) {
      rows += part.dims.front();
      rowEnds.push_back(rowEnds.back() + part.numRows());
    }
    for (size_t level = 0; level < splits.size(); ++level) {
      int64_t before = splits[level].back();
      for (size_t i = 1; i < part.splits[level].size(); ++i)
        splits[level].push_back(before + part.splits[level][i]);
    }
    parts.push_back(std::move(part));
    return Status::ok();
  }

  OpKernelContext &op;
  size_t output;
  bool isScalar = false;
  int64_t rows = 0;
  std::vector<int64_t> dims;
  std::vector<SerializedRagged> parts;

public:
  /// The row splits of the stack, and for each stacked tensor the index after
  /// its last row.
  std::vector<std::vector<int64_t>> splits;
  std::vector<int64_t> rowEnds;
};
} // namespace

// Implements RaggedTensorFromVariant. Input: a batch of serialized ragged
// tensors. Output: one ragged tensor.
INGOT_RUNTIME_OP(deserialize_ragged) {
  OpInput input = op.input(0);
  size_t batch = input.rank() - 1;
  StackedRaggedTensor stacked(op, op.numOutputs() - 1 - batch);
  INGOT_RETURN_IF_ERROR(stacked.read(input));
  size_t output = 0;
  int64_t count = 1;
  for (size_t axis = 0; axis + 1 < batch; ++axis) {
    count *= input.dim(axis);
    INGOT_RETURN_IF_ERROR(
        writeSplits(op, output++, uniformSplits(count, input.dim(axis + 1))));
  }
  if (batch > 0)
    INGOT_RETURN_IF_ERROR(writeSplits(op, output++, stacked.rowEnds));
  for (const std::vector<int64_t> &splits : stacked.splits)
    INGOT_RETURN_IF_ERROR(writeSplits(op, output++, splits));
  return stacked.writeValues();
}

// Implements RaggedTensorToVariantGradient. Inputs: the gradients of serialized
// rows, the outermost row splits, and the shape of the values.
INGOT_RUNTIME_OP(deserialize_ragged_gradient) {
  OpInput input = op.input(0);
  std::vector<int64_t> splits = op.input(1).integers();
  std::vector<int64_t> shape = op.input(2).integers();
  auto width = static_cast<size_t>(input.dims().back());
  if (width < 1 + shape.size())
    return notSerialized();
  size_t numSplits = width - 1 - shape.size();
  size_t count = static_cast<size_t>(input.numElements()) / width;
  size_t bytes = elementSize(op.outputType(0));
  size_t expected = bytes, perRow = bytes;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    auto dim = static_cast<size_t>(shape[axis]);
    if (shape[axis] < 0 || __builtin_mul_overflow(expected, dim, &expected) ||
        (axis > 0 && __builtin_mul_overflow(perRow, dim, &perRow)))
      return op.invalid("operand 2, the shape of the ragged values, is " +
                        dimsText(shape) +
                        ", which is negative or has too many elements");
  }
  std::string all;
  for (size_t i = 0; i < count; ++i) {
    SerializedRagged part;
    INGOT_RETURN_IF_ERROR(part.read(input, i, numSplits, false, bytes));
    if (!part.isEmpty)
      all += part.values;
    else if (i + 1 < splits.size() && splits[i] >= 0 &&
             splits[i] <= splits[i + 1] && !shape.empty() &&
             splits[i + 1] <= shape.front())
      all.append(static_cast<size_t>(splits[i + 1] - splits[i]) * perRow, '\0');
    else
      return op.invalid("Invalid row splits: " + dimsText(splits));
  }
  if (all.size() != expected)
    return op.invalid(
        "the gradients have " + std::to_string(all.size() / bytes) +
        " elements, but the values have shape " + dimsText(shape));
  INGOT_ASSIGN_OR_RETURN(void *data, op.allocate(0, shape));
  if (expected != 0)
    std::memcpy(data, all.data(), expected);
  return Status::ok();
}
