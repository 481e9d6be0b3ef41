//===- Utf8.h - Counts and skips UTF-8 characters ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Counts and skips characters. Every byte that is not a UTF-8 continuation byte
// begins a character, so the number of characters is defined for invalid UTF-8
// as well.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_OPS_UTF8_H
#define INGOT_RUNTIME_OPS_UTF8_H

#include <cstddef>
#include <string_view>

namespace ingot::ops {

inline bool continuesUtf8(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

inline size_t countUtf8(std::string_view text) {
  size_t count = 0;
  for (char c : text)
    count += !continuesUtf8(c);
  return count;
}

/// Returns the offset at which character `count` begins, or the text's size if
/// it has fewer characters.
inline size_t skipUtf8(std::string_view text, size_t count) {
  size_t at = 0;
  while (at < text.size() && continuesUtf8(text[at]))
    ++at;
  for (; count > 0 && at < text.size(); --count)
    do
      ++at;
    while (at < text.size() && continuesUtf8(text[at]));
  return at;
}

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_UTF8_H
