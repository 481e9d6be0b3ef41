//===- ElementText.h - Elements of tensors as text --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TOOLS_CHECKPOINTTOOL_ELEMENTTEXT_H
#define INGOT_TOOLS_CHECKPOINTTOOL_ELEMENTTEXT_H

#include "runtime/Checkpoint/CheckpointReader.h"

#include <cstdint>
#include <string>

namespace ingot::ckpt {

/// Returns true for types whose elements are floating-point numbers, real or
/// complex.
bool isAveraged(int32_t dtype);

/// The type and count of the numbers in one element: two float32 or float64
/// numbers for a complex type, one integer for a quantized type. {0, 0} for
/// types whose elements are not numbers.
struct ElementScalarCountAndType {
  size_t count;
  int32_t dtype;
};
ElementScalarCountAndType componentsOf(int32_t dtype);

/// Appends element `index` of a tensor as JSON: a number, [real, imaginary], or
/// a string. An 8-bit float, for which there is no conversion, is appended as
/// its bits in hexadecimal.
void appendJsonElement(std::string &text, int32_t dtype,
                       const TensorData &tensor, size_t index);

/// Appends a tensor as nested JSON lists with at most `limit` elements (0:
/// all); "..." replaces the rest.
void appendNested(std::string &text, int32_t dtype, const Shape &shape,
                  const TensorData &tensor, uint64_t limit);

} // namespace ingot::ckpt

#endif // INGOT_TOOLS_CHECKPOINTTOOL_ELEMENTTEXT_H
