//===- Numeric.h - One element of any numeric type --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_NUMERIC_H
#define INGOT_RUNTIME_SUPPORT_NUMERIC_H

#include <cstdint>
#include <string>
#include <string_view>

namespace ingot {

/// True for types whose elements are numbers or booleans in memory.
bool isNumeric(int32_t dtype);
bool isFloating(int32_t dtype);

/// The element of type `dtype` at `data`, as a double: exact but for 64-bit
/// integers beyond 2^53. `dtype` is numeric.
double elementAsDouble(int32_t dtype, const void *data);

/// A number with the fewest digits, 15 or more, from which it is read back
/// equal; "nan", "inf" and "-inf".
std::string numberText(double value);

/// Element as JSON: integers in full, booleans as words, floats with the
/// fewest digits from which a double with exactly their value is read back, and
/// as the strings "NaN", "Infinity" and "-Infinity", since JSON has no such
/// numbers.
void appendElement(std::string &text, int32_t dtype, const void *data);

/// Parses `text` as an element of `dtype` into `data`. False where it is
/// invalid or doesn't fit. Floats are rounded to the nearest.
bool parseElement(std::string_view text, int32_t dtype, void *data);

/// IEEE half and bfloat16 from and to float32, rounding to nearest even.
float halfToFloat(uint16_t bits);
uint16_t floatToHalf(float value);
float bfloat16ToFloat(uint16_t bits);
uint16_t floatToBfloat16(float value);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_NUMERIC_H
