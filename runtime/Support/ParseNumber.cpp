//===- ParseNumber.cpp - Parses numbers as TensorFlow does ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/ParseNumber.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Support/Numeric.h"

#include <cstring>

namespace ingot {

static bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Replaces a denormal float32 by zero with the same sign. TensorFlow's result
/// is zero as well, because it rounds a double to float32 while denormals are
/// flushed to zero. For doubles, TensorFlow assembles the bits itself, so
/// denormals are kept.
static void flushDenormal(void *data) {
  uint32_t bits;
  std::memcpy(&bits, data, sizeof(bits));
  if (!(bits & 0x7f800000))
    bits &= 0x80000000;
  std::memcpy(data, &bits, sizeof(bits));
}

bool parseNumber(std::string_view text, int32_t dtype, void *data) {
  while (!text.empty() && isSpace(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && isSpace(text.back()))
    text.remove_suffix(1);
  if (text.starts_with('+') && isFloating(dtype)) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+'))
      return false;
  }
  if (!parseElement(text, dtype, data))
    return false;
  if (dtype == INGOT_FLOAT)
    flushDenormal(data);
  return true;
}

} // namespace ingot
