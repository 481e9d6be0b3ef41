//===- TensorSpec.h - Types and shapes of a program's tensors ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_TENSORSPEC_H
#define INGOT_RUNTIME_SUPPORT_TENSORSPEC_H

#include "runtime/ABI/Program.h"

#include <string>
#include <vector>

namespace ingot {

/// Returns the sizes of the dimensions, -1 for dynamic ones.
std::vector<int64_t> shapeOf(const ingot_tensor_spec &spec);

/// Returns the number of elements, or -1 if a dimension is dynamic or the
/// product overflows.
int64_t elementCountOf(const ingot_tensor_spec &spec);

/// Returns the number of bytes of a tensor in the ABI's form (16 for each
/// string), or -1 if a dimension is dynamic, the number overflows, or elements
/// of the type have no fixed size.
int64_t byteSizeOf(const ingot_tensor_spec &spec);

/// Prints a type such as "float32[64,10]", with "?" for dynamic dimensions.
std::string typeText(const ingot_tensor_spec &spec);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_TENSORSPEC_H
