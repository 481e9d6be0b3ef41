//===- TextProtoScanner.h - Tokens of protobuf's text format ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads as much of protobuf's text format as the file `checkpoint` (a
// CheckpointState) needs. protobuf-lite cannot parse text.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_TEXTPROTOSCANNER_H
#define INGOT_RUNTIME_CHECKPOINT_TEXTPROTOSCANNER_H

#include "runtime/Support/Expected.h"

#include <string>
#include <string_view>

namespace ingot {

/// Reads tokens from a text, skipping white space and comments. Failures are
/// InvalidArgument and name the line.
class TextProtoScanner {
public:
  explicit TextProtoScanner(std::string_view text) : text(text) {}

  bool atEnd();
  /// Consumes `c` and returns true if it is the next token; otherwise returns
  /// false.
  bool takeIf(char c);
  Status expect(char c);
  /// Reads a field's name: letters, digits and underscores.
  Expected<std::string> takeName();
  /// Reads one or more quoted strings, undoes C escapes, and concatenates them.
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

#endif // INGOT_RUNTIME_CHECKPOINT_TEXTPROTOSCANNER_H
