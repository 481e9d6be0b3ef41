//===- DType.h - Sizes and names of element types ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Sizes and names of element types. Types are TensorFlow's DataType numbers,
// possibly from a file; ABI/Tensor.h names those that compiled programs use.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_DTYPE_H
#define INGOT_RUNTIME_SUPPORT_DTYPE_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace ingot {

/// Returns the size in bytes of one element in memory and in files, or 0 for
/// types without a fixed size (string, variant, resource) and for unknown
/// types.
size_t dtypeSize(int32_t dtype);

/// Returns TensorFlow's name of the type, such as "float32", or "dtype 99" for
/// an unknown type.
std::string dtypeName(int32_t dtype);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_DTYPE_H
