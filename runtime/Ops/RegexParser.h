//===- RegexParser.h - Regular expressions into programs --------*- C++ -*-===//
#ifndef INGOT_RUNTIME_OPS_REGEXPARSER_H
#define INGOT_RUNTIME_OPS_REGEXPARSER_H

#include "runtime/Ops/Regex.h"

#include <string>

namespace ingot::ops {

/// The next character of UTF-8 text, and how many bytes it takes. Bytes that
/// are not UTF-8 stand for themselves.
uint32_t decodeUtf8(std::string_view text, size_t at, size_t &size);

/// Parses a pattern by recursive descent and emits the program on the way.
class RegexParser {
public:
  RegexParser(std::string_view pattern, Regex &regex)
      : pattern(pattern), regex(regex) {}

  Status parse();

private:
  using Instruction = Regex::Instruction;
  using Kind = Regex::Kind;
  using Range = Regex::Range;
  using Ranges = std::vector<Range>;

  struct Flags {
    bool ignoresCase = false, multiLine = false, dotAll = false, lazy = false;
  };

  bool atEnd() const { return at == pattern.size(); }
  char peek() const { return atEnd() ? '\0' : pattern[at]; }
  bool take(std::string_view text);
  void fail(std::string message);

  size_t emit(Kind kind, size_t first = 0, size_t second = 0);
  void parseAlternatives();
  void parseSequence();
  void parseRepeated();
  void parseAtom();
  void parseGroup();
  void parseFlags();
  void parseEscape();
  void parseClass();
  bool readClassEscape(char c, Ranges &ranges);
  bool readNamedClass(Ranges &ranges);
  uint32_t readCharacter(bool inClass);
  bool readCounts(int64_t &low, int64_t &high);
  void repeat(size_t begin, int64_t low, int64_t high, bool lazy);
  void emitClass(Ranges ranges, bool negated);
  void emitPlace(Regex::Place place) {
    emit(Kind::Check, static_cast<size_t>(place));
  }

  std::string_view pattern;
  Regex &regex;
  size_t at = 0;
  unsigned depth = 0;
  Flags flags;
  std::string error;
};

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_REGEXPARSER_H
