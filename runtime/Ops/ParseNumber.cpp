//===- ParseNumber.cpp - Numbers in texts, as TensorFlow reads them -------===//

#include "runtime/Ops/ParseNumber.h"

#include "runtime/Support/Numeric.h"

namespace ingot::ops {

static bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

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
  return parseElement(text, dtype, data);
}

} // namespace ingot::ops
