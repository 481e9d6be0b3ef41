//===- TextScanner.h - Tokens of protobuf's text format ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Just enough of the text format for a state file; protobuf-lite has none.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_TEXTSCANNER_H
#define INGOT_RUNTIME_CHECKPOINT_TEXTSCANNER_H

#include "runtime/Support/Expected.h"

#include <string>
#include <string_view>

namespace ingot {

/// Reads tokens off a text, skipping white space and comments. Failures are
/// InvalidArgument and name the line.
class TextScanner {
public:
  explicit TextScanner(std::string_view text) : text(text) {}

  bool atEnd();
  /// Takes `c` if it is next.
  bool takeIf(char c);
  Status expect(char c);
  /// Letters, digits and underscores.
  Expected<std::string> takeName();
  /// One or more strings in quotes, joined, with C escapes undone.
  Expected<std::string> takeString();
  Expected<double> takeNumber();

  Status failure(const std::string &what) const;

private:
  void skipSpace();
  Status appendQuoted(std::string &out);
  Status appendEscape(std::string &out);

  std::string_view text;
  size_t at = 0;
  size_t line = 1;
};

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_TEXTSCANNER_H
