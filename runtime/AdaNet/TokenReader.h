//===- TokenReader.h - Reads tokens of hook state ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Hooks save their state of an iteration in checkpoints as text, one fact per
// line, with tokens separated by blanks.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_TOKENREADER_H
#define INGOT_RUNTIME_ADANET_TOKENREADER_H

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace ingot::adanet {

/// Removes the text before the first `end`, and `end`, from `text`.
inline std::string_view readUntil(std::string_view &text, char end) {
  size_t at = text.find(end);
  std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return taken;
}
inline std::string_view readLineOf(std::string_view &text) {
  return readUntil(text, '\n');
}
inline std::string_view readToken(std::string_view &line) {
  return readUntil(line, ' ');
}
/// A finite number, also in hexadecimal digits.
inline std::optional<double> readDoubleToken(std::string_view &line) {
  std::string word(readToken(line));
  char *end = nullptr;
  double value = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != '\0' || !std::isfinite(value))
    return std::nullopt;
  return value;
}
/// A whole number.
inline std::optional<int64_t> readIntegerToken(std::string_view &line) {
  std::string_view word = readToken(line);
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size())
    return std::nullopt;
  return value;
}

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_TOKENREADER_H
