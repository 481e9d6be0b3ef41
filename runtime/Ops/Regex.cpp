//===- Regex.cpp - Regular expressions in RE2's syntax --------------------===//
//
// All ways of a match advance together, one character at a time, in the order
// of their preference; each instruction is entered once at each place.
//
//===----------------------------------------------------------------------===//

#include "runtime/Ops/Regex.h"

#include "runtime/Ops/RegexParser.h"

#include <algorithm>

namespace ingot::ops {

Expected<Regex> Regex::compile(std::string_view pattern) {
  Regex regex;
  INGOT_RETURN_IF_ERROR(RegexParser(pattern, regex).parse());
  return regex;
}

/// One search in one text.
class RegexMachine {
public:
  RegexMachine(const Regex &regex, std::string_view text)
      : regex(regex), text(text), entered(regex.program.size(), 0) {}

  /// With `whole`, only a match that ends with the text counts.
  bool run(size_t from, bool anchored, bool whole, Regex::Groups &best) {
    std::vector<Thread> threads, next;
    bool isMatched = false;
    for (size_t at = from;;) {
      if (!isMatched && (at == from || !anchored)) {
        add(threads, 0, at, Regex::Groups(2 * regex.groupCount, -1));
      }
      if (threads.empty() && (isMatched || anchored))
        return isMatched;
      size_t size = 1;
      uint32_t character = 0;
      if (at < text.size())
        character = decodeUtf8(text, at, size);
      next.clear();
      ++mark;
      for (Thread &thread : threads) {
        const Regex::Instruction &instruction = regex.program[thread.pc];
        if (instruction.kind == Regex::Kind::Match) {
          if (whole && at != text.size())
            continue;
          best = std::move(thread.groups);
          isMatched = true;
          break; // those behind it are less preferred
        }
        if (at < text.size() && contains(instruction.first, character))
          add(next, thread.pc + 1, at + size, std::move(thread.groups));
      }
      threads.swap(next);
      if (at >= text.size())
        return isMatched;
      at += size;
    }
  }

private:
  struct Thread {
    size_t pc;
    Regex::Groups groups;
  };

  bool contains(size_t number, uint32_t character) const {
    const auto &ranges = regex.classes[number];
    return std::any_of(ranges.begin(), ranges.end(), [&](auto range) {
      return character >= range.first && character <= range.second;
    });
  }

  bool isWord(size_t at) const {
    if (at >= text.size())
      return false;
    char c = text[at];
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= 'a' && c <= 'z');
  }

  bool holds(Regex::Place place, size_t at) const {
    bool begin = at == 0, end = at == text.size();
    bool isBoundary = (!begin && isWord(at - 1)) != isWord(at);
    switch (place) {
    case Regex::Place::TextBegin:
      return begin;
    case Regex::Place::TextEnd:
      return end;
    case Regex::Place::LineBegin:
      return begin || text[at - 1] == '\n';
    case Regex::Place::LineEnd:
      return end || text[at] == '\n';
    case Regex::Place::Word:
      return isBoundary;
    case Regex::Place::NoWord:
      return !isBoundary;
    }
    return false;
  }

  /// Adds the instruction at `pc`, or what it leads to without a character.
  void add(std::vector<Thread> &threads, size_t pc, size_t at,
           Regex::Groups groups) {
    // Ways still to be followed, the preferred one last.
    std::vector<Thread> open;
    open.push_back({pc, std::move(groups)});
    while (!open.empty()) {
      Thread thread = std::move(open.back());
      open.pop_back();
      if (std::exchange(entered[thread.pc], mark) == mark)
        continue;
      const Regex::Instruction &instruction = regex.program[thread.pc];
      switch (instruction.kind) {
      case Regex::Kind::Class:
      case Regex::Kind::Match:
        threads.push_back(std::move(thread));
        break;
      case Regex::Kind::Jump:
        open.push_back({instruction.first, std::move(thread.groups)});
        break;
      case Regex::Kind::Split:
        open.push_back({instruction.second, thread.groups});
        open.push_back({instruction.first, std::move(thread.groups)});
        break;
      case Regex::Kind::Save:
        thread.groups[instruction.first] = static_cast<int64_t>(at);
        open.push_back({thread.pc + 1, std::move(thread.groups)});
        break;
      case Regex::Kind::Check:
        if (holds(static_cast<Regex::Place>(instruction.first), at))
          open.push_back({thread.pc + 1, std::move(thread.groups)});
        break;
      }
    }
  }

  const Regex &regex;
  std::string_view text;
  /// The last mark at which each instruction was entered.
  std::vector<uint64_t> entered;
  uint64_t mark = 1;
};

bool Regex::search(std::string_view text, size_t from, Groups &groups) const {
  return RegexMachine(*this, text).run(from, false, false, groups);
}

bool Regex::matches(std::string_view text) const {
  Groups groups;
  return RegexMachine(*this, text).run(0, true, true, groups);
}

} // namespace ingot::ops
