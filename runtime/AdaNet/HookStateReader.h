//===- HookStateReader.h - Reads tokens of hook state -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads the state of an iteration that hooks save in checkpoints. The state is
// a text, in which each line is a record of tokens separated by blanks.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_HOOKSTATEREADER_H
#define INGOT_RUNTIME_ADANET_HOOKSTATEREADER_H

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace ingot::adanet {

/// Removes the text up to the first `end`, and `end` itself, from `text`, and
/// returns the removed text without `end`.
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
/// Removes the next token and returns it as a finite number, or std::nullopt if
/// it is not one. Hexadecimal floats (%a) are accepted.
inline std::optional<double> readDoubleToken(std::string_view &line) {
  std::string word(readToken(line));
  char *end = nullptr;
  double value = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != '\0' || !std::isfinite(value))
    return std::nullopt;
  return value;
}
/// Removes the next token and returns it as a decimal integer, or std::nullopt
/// if it is not one.
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

#endif // INGOT_RUNTIME_ADANET_HOOKSTATEREADER_H
