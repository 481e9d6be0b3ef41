//===- Numeric.h - Elements of numeric types --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_NUMERIC_H
#define INGOT_RUNTIME_SUPPORT_NUMERIC_H

#include <cstdint>
#include <string>
#include <string_view>

namespace ingot {

/// Returns true for types whose elements are numbers or booleans.
bool isNumeric(int32_t dtype);
bool isFloating(int32_t dtype);

/// Returns the element at `data` as a double. Exact, except for 64-bit integers
/// beyond 2^53. `dtype` must be numeric.
double elementAsDouble(int32_t dtype, const void *data);

/// Returns `value` with the fewest digits, but at least 15, that give the same
/// double when parsed; "nan", "inf" or "-inf" if `value` is not finite.
std::string numberText(double value);

/// Appends an element as JSON: integers in full, booleans as words, floats of
/// any width as numberText() prints a double. NaN and infinities, which JSON
/// lacks, become the strings "NaN", "Infinity" and "-Infinity".
void appendElement(std::string &text, int32_t dtype, const void *data);

/// Parses `text` as an element of type `dtype` into `data`. Returns false if it
/// is invalid or out of range. Floats are rounded to nearest.
bool parseElement(std::string_view text, int32_t dtype, void *data);

/// Convert IEEE half and bfloat16 from and to float32, rounding to nearest
/// even.
float halfToFloat(uint16_t bits);
uint16_t floatToHalf(float value);
float bfloat16ToFloat(uint16_t bits);
uint16_t floatToBfloat16(float value);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_NUMERIC_H
