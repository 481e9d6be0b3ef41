//===- DType.h - Element types: sizes and names -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Facts of element types whose numbers come from files. The numbers are
// TensorFlow's (DataType); ABI/Program.h names those that compiled programs
// use.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_DTYPE_H
#define INGOT_RUNTIME_SUPPORT_DTYPE_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace ingot {

/// Bytes of one element in memory and in files; 0 for types without a fixed
/// size (string, variant, resource) and for unknown numbers.
size_t dtypeSize(int32_t dtype);

/// TensorFlow's name, "float32"; "dtype 99" for a number that is unknown.
std::string dtypeName(int32_t dtype);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_DTYPE_H
