//===- Regex.h - Regular expressions in RE2's syntax ------------*- C++ -*-===//
//
// Perl's usual syntax without backreferences and look-around, over UTF-8:
// alternatives, groups, lazy and counted repetition, classes, anchors, flags
// i, m, s. Matching takes time linear in the text (R. Cox, "Regular Expression
// Matching: the Virtual Machine Approach").
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_OPS_REGEX_H
#define INGOT_RUNTIME_OPS_REGEX_H

#include "runtime/Support/Status.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace ingot::ops {

class Regex {
public:
  /// Fails, saying why, for what is no regular expression, or too large.
  static Expected<Regex> compile(std::string_view pattern);

  /// Groups of a match, the whole one first, as offsets; -1 where a group took
  /// no part.
  using Groups = std::vector<int64_t>;

  /// The leftmost match at or behind `from`; false where there is none.
  bool search(std::string_view text, size_t from, Groups &groups) const;
  /// Whether the whole text matches.
  bool matches(std::string_view text) const;

  size_t numGroups() const { return groupCount; }

private:
  friend class RegexParser;
  friend class RegexMachine;

  using Range = std::pair<uint32_t, uint32_t>;
  enum class Kind { Class, Split, Jump, Save, Check, Match };
  /// What a Check looks for between two characters.
  enum class Place { TextBegin, TextEnd, LineBegin, LineEnd, Word, NoWord };
  struct Instruction {
    Kind kind;
    /// Split: the preferred way and the other; Jump: where to; Save: the slot;
    /// Class: its number; Check: the Place.
    size_t first = 0, second = 0;
  };

  std::vector<Instruction> program;
  std::vector<std::vector<Range>> classes;
  size_t groupCount = 1;
};

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_REGEX_H
