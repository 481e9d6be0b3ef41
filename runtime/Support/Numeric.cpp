//===- Numeric.cpp - Elements of numeric types ----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/Numeric.h"

#include "runtime/ABI/Tensor.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ingot {

template <typename T> static T load(const void *data) {
  T value;
  std::memcpy(&value, data, sizeof(value));
  return value;
}

bool isFloating(int32_t dtype) {
  return dtype == INGOT_FLOAT || dtype == INGOT_DOUBLE || dtype == INGOT_HALF ||
         dtype == INGOT_BFLOAT16;
}

bool isNumeric(int32_t dtype) {
  switch (dtype) {
  case INGOT_INT32:
  case INGOT_UINT8:
  case INGOT_INT16:
  case INGOT_INT8:
  case INGOT_INT64:
  case INGOT_BOOL:
  case INGOT_UINT16:
  case INGOT_UINT32:
  case INGOT_UINT64:
    return true;
  default:
    return isFloating(dtype);
  }
}

/// Calls `f` with the integer at `data`, converted from type `dtype`.
template <typename F>
static void visitInteger(int32_t dtype, const void *data, F f) {
  switch (dtype) {
  case INGOT_INT8:
    return f(load<int8_t>(data));
  case INGOT_INT16:
    return f(load<int16_t>(data));
  case INGOT_INT32:
    return f(load<int32_t>(data));
  case INGOT_INT64:
    return f(load<int64_t>(data));
  case INGOT_UINT8:
    return f(load<uint8_t>(data));
  case INGOT_UINT16:
    return f(load<uint16_t>(data));
  case INGOT_UINT32:
    return f(load<uint32_t>(data));
  case INGOT_UINT64:
    return f(load<uint64_t>(data));
  case INGOT_BOOL:
    return f(static_cast<uint8_t>(load<uint8_t>(data) != 0));
  default:
    return;
  }
}

double elementAsDouble(int32_t dtype, const void *data) {
  switch (dtype) {
  case INGOT_FLOAT:
    return load<float>(data);
  case INGOT_DOUBLE:
    return load<double>(data);
  case INGOT_HALF:
    return halfToFloat(load<uint16_t>(data));
  case INGOT_BFLOAT16:
    return bfloat16ToFloat(load<uint16_t>(data));
  default: {
    double value = std::nan("");
    visitInteger(dtype, data,
                 [&](auto element) { value = static_cast<double>(element); });
    return value;
  }
  }
}

std::string numberText(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[40];
  // Find the fewest digits by trial: 17 digits always suffice. std::to_chars
  // would add 120 kB of tables to every trainer.
  for (int digits = 15; digits <= 17; ++digits) {
    std::snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value)
      break;
  }
  return buffer;
}

void appendElement(std::string &text, int32_t dtype, const void *data) {
  char buffer[40];
  if (dtype == INGOT_BOOL) {
    text += load<uint8_t>(data) ? "true" : "false";
  } else if (isFloating(dtype)) {
    double value = elementAsDouble(dtype, data);
    if (std::isnan(value)) {
      text += "\"NaN\"";
    } else if (std::isinf(value)) {
      text += value < 0 ? "\"-Infinity\"" : "\"Infinity\"";
    } else {
      text += numberText(value);
    }
  } else {
    visitInteger(dtype, data, [&](auto element) {
      auto result = std::to_chars(buffer, buffer + sizeof(buffer), element);
      text.append(buffer, result.ptr);
    });
  }
}

/// Parses `text` as a decimal integer. Returns false if the whole of `text` is
/// not an integer that fits type T.
template <typename T>
static bool parseInteger(std::string_view text, void *data) {
  if (text.starts_with('+'))
    text.remove_prefix(1);
  T value;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return false;
  std::memcpy(data, &value, sizeof(value));
  return true;
}

/// Parses a decimal number many times as fast as parseWith() does. Returns
/// false if `text` is not all of one, or if it is out of T's range.
template <typename T>
static bool parseDecimal(std::string_view text, T &value) {
  std::string_view digits = text.substr(text.starts_with('-'));
  // std::from_chars() gives "nan(..)" other bits than strtod() does.
  bool isDecimal =
      !digits.empty() && (digits.front() == '.' ||
                          (digits.front() >= '0' && digits.front() <= '9'));
  if (!isDecimal)
    return false;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// Parses whatever `parse`, which is strtod() or strtof(), takes: hexadecimal
/// numbers, infinities, NaN and values out of range, too.
template <typename T>
static bool parseWith(T (*parse)(const char *, char **), std::string_view text,
                      T &value) {
  if (parseDecimal(text, value))
    return true;
  std::string copy(text);
  if (copy.empty() || std::strchr(" \t\n\v\f\r", copy.front()))
    return false;
  char *end = nullptr;
  value = parse(copy.c_str(), &end);
  return end == copy.c_str() + copy.size();
}

static bool parseFloating(std::string_view text, int32_t dtype, void *data) {
  if (dtype == INGOT_DOUBLE) {
    double wide = 0;
    if (!parseWith(std::strtod, text, wide))
      return false;
    std::memcpy(data, &wide, sizeof(wide));
    return true;
  }
  float narrow = 0;
  if (!parseWith(std::strtof, text, narrow))
    return false;
  if (dtype == INGOT_FLOAT) {
    std::memcpy(data, &narrow, sizeof(narrow));
    return true;
  }
  uint16_t bits =
      dtype == INGOT_HALF ? floatToHalf(narrow) : floatToBfloat16(narrow);
  std::memcpy(data, &bits, sizeof(bits));
  return true;
}

bool parseElement(std::string_view text, int32_t dtype, void *data) {
  switch (dtype) {
  case INGOT_INT8:
    return parseInteger<int8_t>(text, data);
  case INGOT_INT16:
    return parseInteger<int16_t>(text, data);
  case INGOT_INT32:
    return parseInteger<int32_t>(text, data);
  case INGOT_INT64:
    return parseInteger<int64_t>(text, data);
  case INGOT_UINT8:
    return parseInteger<uint8_t>(text, data);
  case INGOT_UINT16:
    return parseInteger<uint16_t>(text, data);
  case INGOT_UINT32:
    return parseInteger<uint32_t>(text, data);
  case INGOT_UINT64:
    return parseInteger<uint64_t>(text, data);
  case INGOT_BOOL: {
    bool isTrue = text == "true" || text == "True" || text == "1";
    if (!isTrue && text != "false" && text != "False" && text != "0")
      return false;
    *static_cast<uint8_t *>(data) = isTrue;
    return true;
  }
  default:
    return isFloating(dtype) && parseFloating(text, dtype, data);
  }
}

float bfloat16ToFloat(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

uint16_t floatToBfloat16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) // keep NaN: rounding could change it to infinity
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float halfToFloat(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  if (exponent == 0x1f)
    return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
  if (exponent == 0) { // zero or a subnormal, exact in float32
    float value = std::ldexp(static_cast<float>(fraction), -24);
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

uint16_t floatToHalf(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) // NaN
    return sign | 0x7e00;
  if (magnitude >= 0x477ff000) // rounds to infinity
    return sign | 0x7c00;
  if (magnitude < 0x38800000) { // rounds to a subnormal half or to zero
    float scaled = std::ldexp(std::bit_cast<float>(magnitude), 24);
    return sign | static_cast<uint16_t>(std::nearbyint(scaled));
  }
  uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return sign | static_cast<uint16_t>((rounded - 0x38000000) >> 13);
}

} // namespace ingot
