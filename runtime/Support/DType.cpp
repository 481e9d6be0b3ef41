//===- DType.cpp - Sizes and names of element types -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/DType.h"

#include <array>

using namespace ingot;

namespace {

struct DType {
  const char *name;
  size_t size;
};

// Name and size in bytes, indexed by TensorFlow's DataType. Elements of less
// than a byte take one byte each.
constexpr std::array<DType, 33> dtypes = {{
    {nullptr, 0},
    {"float32", 4},
    {"float64", 8},
    {"int32", 4},
    {"uint8", 1},
    {"int16", 2},
    {"int8", 1},
    {"string", 0},
    {"complex64", 8},
    {"int64", 8},
    {"bool", 1},
    {"qint8", 1},
    {"quint8", 1},
    {"qint32", 4},
    {"bfloat16", 2},
    {"qint16", 2},
    {"quint16", 2},
    {"uint16", 2},
    {"complex128", 16},
    {"float16", 2},
    {"resource", 0},
    {"variant", 0},
    {"uint32", 4},
    {"uint64", 8},
    {"float8_e5m2", 1},
    {"float8_e4m3fn", 1},
    {"float8_e4m3fnuz", 1},
    {"float8_e4m3b11fnuz", 1},
    {"float8_e5m2fnuz", 1},
    {"int4", 1},
    {"uint4", 1},
    {"int2", 1},
    {"uint2", 1},
}};

const DType *find(int32_t dtype) {
  if (dtype <= 0 || static_cast<size_t>(dtype) >= dtypes.size())
    return nullptr;
  return &dtypes[static_cast<size_t>(dtype)];
}

} // namespace

size_t ingot::dtypeSize(int32_t dtype) {
  const DType *found = find(dtype);
  return found ? found->size : 0;
}

std::string ingot::dtypeName(int32_t dtype) {
  const DType *found = find(dtype);
  return found ? found->name : "dtype " + std::to_string(dtype);
}
