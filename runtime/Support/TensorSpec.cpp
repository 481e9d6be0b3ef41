//===- TensorSpec.cpp - Types and shapes of a program's tensors -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/TensorSpec.h"

#include "runtime/Support/DType.h"

using namespace ingot;

std::vector<int64_t> ingot::shapeOf(const ingot_tensor_spec &spec) {
  return std::vector<int64_t>(spec.dims, spec.dims + spec.rank);
}

int64_t ingot::elementCountOf(const ingot_tensor_spec &spec) {
  int64_t count = 1;
  for (uint32_t i = 0; i < spec.rank; ++i)
    if (spec.dims[i] < 0 || __builtin_mul_overflow(count, spec.dims[i], &count))
      return -1;
  return count;
}

int64_t ingot::byteSizeOf(const ingot_tensor_spec &spec) {
  int64_t count = elementCountOf(spec);
  size_t element =
      spec.dtype == INGOT_STRING ? sizeof(ingot_string) : dtypeSize(spec.dtype);
  int64_t bytes;
  if (count < 0 || element == 0 ||
      __builtin_mul_overflow(count, static_cast<int64_t>(element), &bytes))
    return -1;
  return bytes;
}

std::string ingot::typeText(const ingot_tensor_spec &spec) {
  std::string text = dtypeName(spec.dtype) + "[";
  for (uint32_t i = 0; i < spec.rank; ++i) {
    if (i > 0)
      text += ',';
    text += spec.dims[i] < 0 ? "?" : std::to_string(spec.dims[i]);
  }
  return text + "]";
}
