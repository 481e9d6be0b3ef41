//===- ParseNumber.h - Parses numbers as TensorFlow does --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Parses numbers as TensorFlow does, for columns of CSV files and lines of
// vocabularies.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_PARSENUMBER_H
#define INGOT_RUNTIME_SUPPORT_PARSENUMBER_H

#include <cstdint>
#include <string_view>

namespace ingot {

/// Parses a number of type `dtype` into `data`; white space around it is
/// allowed. Returns false if `text` is not a number.
bool parseNumber(std::string_view text, int32_t dtype, void *data);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_PARSENUMBER_H
