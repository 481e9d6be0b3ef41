//===- ElementText.cpp - Elements of tensors as text ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/CheckpointTool/ElementText.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Json.h"
#include "runtime/Support/Numeric.h"

#include <cstdio>

using namespace ingot;
using namespace ingot::ckpt;

bool ckpt::isAveraged(int32_t dtype) {
  ElementScalarCountAndType components = componentsOf(dtype);
  return components.count > 0 && isFloating(components.dtype);
}

ElementScalarCountAndType ckpt::componentsOf(int32_t dtype) {
  switch (dtype) {
  case 8: // complex64
    return {2, INGOT_FLOAT};
  case 18: // complex128
    return {2, INGOT_DOUBLE};
  case 11: // qint8
  case 29: // int4
  case 31: // int2
    return {1, INGOT_INT8};
  case 12: // quint8
  case 30: // uint4
  case 32: // uint2
    return {1, INGOT_UINT8};
  case 13: // qint32
    return {1, INGOT_INT32};
  case 15: // qint16
    return {1, INGOT_INT16};
  case 16: // quint16
    return {1, INGOT_UINT16};
  default:
    return isNumeric(dtype) ? ElementScalarCountAndType{1, dtype}
                            : ElementScalarCountAndType{0, 0};
  }
}

void ckpt::appendJsonElement(std::string &text, int32_t dtype,
                             const TensorData &tensor, size_t index) {
  if (dtype == INGOT_STRING)
    return appendJsonString(text, tensor.strings[index]);
  size_t size = dtypeSize(dtype);
  const char *element = tensor.bytes.data() + index * size;
  ElementScalarCountAndType components = componentsOf(dtype);
  if (components.count == 0) {
    text += '"';
    for (size_t i = size; i-- > 0;) {
      char digits[4];
      std::snprintf(digits, sizeof(digits), "%02x",
                    static_cast<unsigned>(static_cast<uint8_t>(element[i])));
      text += digits;
    }
    text += '"';
    return;
  }
  if (components.count == 1)
    return appendElement(text, components.dtype, element);
  text += '[';
  appendElement(text, components.dtype, element);
  text += ',';
  appendElement(text, components.dtype, element + size / 2);
  text += ']';
}

namespace {

/// Prints the elements of a tensor as nested lists, in row-major order.
class NestedListPrinter {
public:
  NestedListPrinter(std::string &text, int32_t dtype, const Shape &shape,
                    const TensorData &tensor, uint64_t limit)
      : text(text), dtype(dtype), shape(shape), tensor(tensor), limit(limit) {}

  /// Appends the list of dimension `depth`, with the lists of the inner
  /// dimensions nested in it. The first element of the list is element `next`
  /// of the tensor.
  void append(size_t depth) {
    if (depth == shape.size())
      return appendJsonElement(text, dtype, tensor, next++);
    text += '[';
    for (int64_t i = 0; i < shape[depth]; ++i) {
      if (i > 0)
        text += ',';
      if (limit != 0 && next >= limit) {
        text += "...";
        break;
      }
      append(depth + 1);
    }
    text += ']';
  }

private:
  std::string &text;
  int32_t dtype;
  const Shape &shape;
  const TensorData &tensor;
  uint64_t limit;
  size_t next = 0;
};

} // namespace

void ckpt::appendNested(std::string &text, int32_t dtype, const Shape &shape,
                        const TensorData &tensor, uint64_t limit) {
  // A tensor without elements is printed as "[]", whatever its rank, since an
  // outer dimension may be huge.
  if (elementCount(shape).value_or(0) == 0) {
    text += "[]";
    return;
  }
  NestedListPrinter(text, dtype, shape, tensor, limit).append(0);
}
