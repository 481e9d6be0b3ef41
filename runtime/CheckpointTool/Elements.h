//===- Elements.h - Elements of any type, as text ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_CHECKPOINTTOOL_ELEMENTS_H
#define INGOT_RUNTIME_CHECKPOINTTOOL_ELEMENTS_H

#include "runtime/Checkpoint/CheckpointReader.h"

#include <cstdint>
#include <string>

namespace ingot::ckpt {

/// True for types whose elements are floating-point numbers, complex ones among
/// them.
bool isAveraged(int32_t dtype);

/// How many numbers an element is made of, and their type: complex elements are
/// two of float32 or float64, quantized ones integers; {0, 0} for elements that
/// aren't numbers.
struct Components {
  size_t count;
  int32_t dtype;
};
Components componentsOf(int32_t dtype);

/// Appends element `index` of a tensor as JSON: numbers, [real, imaginary],
/// strings; 8-bit floats, which nothing else has a form for, as their bits.
void appendJsonElement(std::string &text, int32_t dtype,
                       const TensorData &tensor, size_t index);

/// Appends a tensor as nested lists, of at most `limit` elements (0: all);
/// "..." replaces the rest.
void appendNested(std::string &text, int32_t dtype, const Shape &shape,
                  const TensorData &tensor, uint64_t limit);

} // namespace ingot::ckpt

#endif // INGOT_RUNTIME_CHECKPOINTTOOL_ELEMENTS_H
