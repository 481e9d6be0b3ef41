//===- Scanner.h - Reads words and numbers of MLIR's text -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A cursor in the text of a module. Functions that read return false, or
// std::nullopt, where the text is something else; `fail` records the first
// error with its line and column.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_STABLEHLO_SCANNER_H
#define INGOT_COMPILER_STABLEHLO_SCANNER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <optional>
#include <string>

namespace ingot::stablehlo {

class Scanner {
public:
  explicit Scanner(llvm::StringRef text) : text(text) {}

  /// Skips white space and comments, and returns whether the text has ended.
  bool atEnd();
  /// Returns whether `token` comes next.
  bool peek(llvm::StringRef token);
  /// Skips `token` if it comes next.
  bool consume(llvm::StringRef token);
  /// Like `consume`, but `word` must not continue with a letter, digit, `_`,
  /// `$` or `.`.
  bool consumeWord(llvm::StringRef word);
  /// Like `consume`, but records an error if `token` does not come next.
  bool expect(llvm::StringRef token);

  /// Reads an identifier with dots, such as `stablehlo.add`; "" if there is
  /// none.
  llvm::StringRef word();
  /// Reads what follows a `%`, `@`, `#`, `!` or `^`, which is in `prefix`:
  /// letters, digits, and `_.$-`; or a string after `@`.
  std::optional<std::string> symbol(char prefix);
  /// Reads a string in quotes, with MLIR's escapes.
  std::optional<std::string> string();
  /// Reads an integer that fits into 64 bits, perhaps negative.
  std::optional<int64_t> integer();
  /// Reads what a number is written with: sign, digits, letters, dots. Empty if
  /// no number comes next.
  llvm::StringRef number();
  /// Skips an opening bracket and everything up to its counterpart, and returns
  /// all of it. Records an error if brackets do not match.
  std::optional<llvm::StringRef> brackets();
  /// Skips to the beginning of a later line, outside of brackets, that may
  /// begin an op, or to the end of the block.
  void skipOp();

  /// Records an error here, unless there is an earlier one. Always returns
  /// false.
  bool fail(const llvm::Twine &message);
  /// Like `fail`, for an error of the op on line `number` as a whole.
  bool failAtLine(unsigned number, const llvm::Twine &message);
  bool hasFailed() const { return !error.empty(); }
  /// The first error: "line 3, column 5: expected ...".
  const std::string &message() const { return error; }

  /// Returns the line of the next token, from 1.
  unsigned line();
  /// Returns the text that is not read yet, and skips `count` of its
  /// characters.
  llvm::StringRef rest() const { return text.drop_front(position); }
  void advance(size_t count) { position += count; }
  /// Goes back to before the last `count` characters.
  void retreat(size_t count) { position -= count; }
  size_t offset() const { return position; }
  llvm::StringRef since(size_t begin) const {
    return text.slice(begin, position);
  }

private:
  unsigned lineHere();

  llvm::StringRef text;
  size_t position = 0;
  // The last place whose line was counted.
  size_t countedTo = 0;
  unsigned countedLine = 1;
  std::string error;
};

} // namespace ingot::stablehlo

#endif // INGOT_COMPILER_STABLEHLO_SCANNER_H
