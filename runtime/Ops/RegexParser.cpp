//===- RegexParser.cpp - Regular expressions into programs ----------------===//

#include "runtime/Ops/RegexParser.h"

#include <algorithm>

namespace ingot::ops {

static constexpr uint32_t lastCharacter = 0x10ffff;
static constexpr size_t maxProgram = 100000;
static constexpr int64_t maxCount = 1000;

uint32_t decodeUtf8(std::string_view text, size_t at, size_t &size) {
  auto byte = [&](size_t i) {
    return static_cast<unsigned char>(text[at + i]);
  };
  uint32_t lead = byte(0);
  size = lead < 0x80   ? 1
         : lead < 0xc2 ? 0
         : lead < 0xe0 ? 2
         : lead < 0xf0 ? 3
         : lead < 0xf5 ? 4
                       : 0;
  if (size == 1)
    return lead;
  bool isWhole = size != 0 && at + size <= text.size();
  uint32_t character = size ? lead & (0x7fu >> size) : 0;
  for (size_t i = 1; isWhole && i < size; ++i) {
    isWhole = (byte(i) & 0xc0) == 0x80;
    character = character << 6 | (byte(i) & 0x3fu);
  }
  if (isWhole)
    return character;
  size = 1;
  return lead;
}

bool RegexParser::take(std::string_view text) {
  if (!pattern.substr(at).starts_with(text))
    return false;
  at += text.size();
  return true;
}

void RegexParser::fail(std::string message) {
  if (error.empty())
    error = std::move(message);
  at = pattern.size();
}

size_t RegexParser::emit(Kind kind, size_t first, size_t second) {
  if (regex.program.size() >= maxProgram)
    fail("pattern too large");
  else
    regex.program.push_back({kind, first, second});
  return regex.program.size() - 1;
}

Status RegexParser::parse() {
  emit(Kind::Save, 0);
  parseAlternatives();
  if (error.empty() && !atEnd())
    fail("unexpected )");
  emit(Kind::Save, 1);
  emit(Kind::Match);
  if (error.empty())
    return Status::ok();
  return Status(StatusCode::InvalidArgument,
                "Invalid pattern: " + std::string(pattern) +
                    ", error: " + error);
}

void RegexParser::parseAlternatives() {
  if (++depth > 500)
    return fail("pattern nested too deeply");
  Flags outer = flags;
  size_t begin = regex.program.size();
  std::vector<size_t> ends;
  parseSequence();
  while (take("|")) {
    // The part so far becomes the preferred way of a Split in front of it.
    auto from = regex.program.begin() + static_cast<ptrdiff_t>(begin);
    regex.program.insert(from, Instruction{Kind::Split});
    for (size_t i = begin + 1; i < regex.program.size(); ++i) {
      Instruction &moved = regex.program[i];
      if (moved.kind == Kind::Split || moved.kind == Kind::Jump) {
        ++moved.first;
        ++moved.second;
      }
    }
    for (size_t &end : ends)
      ++end;
    ends.push_back(emit(Kind::Jump));
    regex.program[begin].first = begin + 1;
    regex.program[begin].second = regex.program.size();
    begin = regex.program.size();
    parseSequence();
  }
  for (size_t end : ends)
    regex.program[end].first = regex.program.size();
  flags = outer;
  --depth;
}

void RegexParser::parseSequence() {
  while (!atEnd() && peek() != '|' && peek() != ')')
    parseRepeated();
}

bool RegexParser::readCounts(int64_t &low, int64_t &high) {
  size_t i = at + 1;
  auto number = [&](int64_t &value) {
    size_t begin = i;
    for (value = 0;
         i < pattern.size() && pattern[i] >= '0' && pattern[i] <= '9'; ++i)
      value = std::min<int64_t>(value * 10 + (pattern[i] - '0'), maxCount + 1);
    return i > begin;
  };
  if (!number(low))
    return false;
  high = low;
  if (i < pattern.size() && pattern[i] == ',') {
    ++i;
    if (!number(high))
      high = -1;
  }
  if (i >= pattern.size() || pattern[i] != '}')
    return false;
  at = i + 1;
  return true;
}

void RegexParser::parseRepeated() {
  size_t begin = regex.program.size();
  parseAtom();
  for (bool isFirst = true; !atEnd(); isFirst = false) {
    int64_t low, high;
    if (take("*")) {
      low = 0;
      high = -1;
    } else if (take("+")) {
      low = 1;
      high = -1;
    } else if (take("?")) {
      low = 0;
      high = 1;
    } else if (peek() != '{' || !readCounts(low, high)) {
      return;
    }
    if (!isFirst)
      return fail("bad repetition operator");
    if (low > maxCount || high > maxCount || (high >= 0 && high < low))
      return fail("invalid repetition size");
    repeat(begin, low, high, take("?") != flags.lazy);
  }
}

void RegexParser::repeat(size_t begin, int64_t low, int64_t high, bool lazy) {
  std::vector<Instruction> body(regex.program.begin() +
                                    static_cast<ptrdiff_t>(begin),
                                regex.program.end());
  regex.program.resize(begin);
  auto copyBody = [&] {
    size_t base = regex.program.size();
    for (Instruction copied : body) {
      if (copied.kind == Kind::Split || copied.kind == Kind::Jump) {
        copied.first += base - begin;
        copied.second += base - begin;
      }
      emit(copied.kind, copied.first, copied.second);
    }
  };
  auto setSplit = [&](size_t split, size_t inside, size_t outside) {
    if (!error.empty())
      return;
    regex.program[split].first = lazy ? outside : inside;
    regex.program[split].second = lazy ? inside : outside;
  };
  for (int64_t i = 0; i < low; ++i)
    copyBody();
  if (high < 0) {
    size_t split = emit(Kind::Split);
    copyBody();
    emit(Kind::Jump, split);
    return setSplit(split, split + 1, regex.program.size());
  }
  std::vector<size_t> splits;
  for (int64_t i = low; i < high && error.empty(); ++i) {
    splits.push_back(emit(Kind::Split));
    copyBody();
  }
  for (size_t split : splits)
    setSplit(split, split + 1, regex.program.size());
}

void RegexParser::parseAtom() {
  if (take("("))
    return parseGroup();
  if (take("["))
    return parseClass();
  if (take("."))
    return flags.dotAll ? emitClass({}, true) : emitClass({{'\n', '\n'}}, true);
  if (take("^"))
    return emitPlace(flags.multiLine ? Regex::Place::LineBegin
                                     : Regex::Place::TextBegin);
  if (take("$"))
    return emitPlace(flags.multiLine ? Regex::Place::LineEnd
                                     : Regex::Place::TextEnd);
  if (peek() == '\\')
    return parseEscape();
  if (peek() == '*' || peek() == '+' || peek() == '?')
    return fail("no argument for repetition operator");
  uint32_t character = readCharacter(/*inClass=*/false);
  emitClass({{character, character}}, false);
}

void RegexParser::parseGroup() {
  bool isCaptured = true;
  Flags outer = flags;
  if (take("?P<") || take("?<")) {
    size_t end = pattern.find('>', at);
    if (end == std::string_view::npos)
      return fail("invalid named capture group");
    at = end + 1;
  } else if (take("?")) {
    isCaptured = false;
    parseFlags();
    if (take(")"))
      return; // for the rest of the group around it
    if (!take(":"))
      return fail("invalid perl operator");
  }
  size_t group = isCaptured ? regex.groupCount++ : 0;
  if (isCaptured)
    emit(Kind::Save, 2 * group);
  parseAlternatives();
  if (!take(")"))
    return fail("missing )");
  if (isCaptured)
    emit(Kind::Save, 2 * group + 1);
  flags = outer;
}

void RegexParser::parseFlags() {
  bool value = true;
  for (;; ++at) {
    switch (peek()) {
    case 'i':
      flags.ignoresCase = value;
      break;
    case 'm':
      flags.multiLine = value;
      break;
    case 's':
      flags.dotAll = value;
      break;
    case 'U':
      flags.lazy = value;
      break;
    case '-':
      value = false;
      break;
    default:
      return;
    }
  }
}

bool RegexParser::readClassEscape(char c, Ranges &ranges) {
  bool negated = c >= 'A' && c <= 'Z';
  Ranges found;
  switch (negated ? c + 32 : c) {
  case 'd':
    found = {{'0', '9'}};
    break;
  case 's':
    found = {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};
    break;
  case 'w':
    found = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    break;
  default:
    return false;
  }
  if (!negated) {
    ranges.insert(ranges.end(), found.begin(), found.end());
    return true;
  }
  uint32_t next = 0;
  for (Range range : found) {
    if (range.first > next)
      ranges.push_back({next, range.first - 1});
    next = range.second + 1;
  }
  ranges.push_back({next, lastCharacter});
  return true;
}

void RegexParser::parseEscape() {
  char c = at + 1 < pattern.size() ? pattern[at + 1] : '\0';
  Ranges ranges;
  if (readClassEscape(c, ranges)) {
    at += 2;
    return emitClass(std::move(ranges), false);
  }
  if (take("\\A"))
    return emitPlace(Regex::Place::TextBegin);
  if (take("\\z"))
    return emitPlace(Regex::Place::TextEnd);
  if (take("\\b"))
    return emitPlace(Regex::Place::Word);
  if (take("\\B"))
    return emitPlace(Regex::Place::NoWord);
  if (take("\\Q")) {
    while (!atEnd() && !take("\\E")) {
      uint32_t character;
      size_t size;
      character = decodeUtf8(pattern, at, size);
      at += size;
      emitClass({{character, character}}, false);
    }
    return;
  }
  uint32_t character = readCharacter(/*inClass=*/false);
  emitClass({{character, character}}, false);
}

uint32_t RegexParser::readCharacter(bool inClass) {
  size_t size;
  if (!take("\\")) {
    uint32_t character = decodeUtf8(pattern, at, size);
    at += size;
    return character;
  }
  if (atEnd()) {
    fail("trailing \\");
    return 0;
  }
  char c = pattern[at++];
  static constexpr std::string_view names = "afnrtv", codes = "\a\f\n\r\t\v";
  if (size_t i = names.find(c); i != std::string_view::npos)
    return static_cast<unsigned char>(codes[i]);
  if (c == 'x') {
    bool isLong = take("{");
    uint32_t value = 0;
    size_t digits = 0;
    while (!atEnd() && (isLong || digits < 2)) {
      size_t digit = std::string_view("0123456789abcdefABCDEF").find(peek());
      if (digit == std::string_view::npos)
        break;
      value =
          value << 4 | static_cast<uint32_t>(digit > 15 ? digit - 6 : digit);
      ++at;
      if (++digits > 6)
        break;
    }
    if (digits == 0 || value > lastCharacter || (isLong && !take("}")))
      fail("invalid escape sequence: \\x");
    return value;
  }
  bool isLetter = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                  (c >= 'A' && c <= 'Z');
  if (isLetter)
    fail(std::string("invalid escape sequence: \\") + c);
  return static_cast<unsigned char>(c);
}

bool RegexParser::readNamedClass(Ranges &ranges) {
  static const std::pair<std::string_view, Ranges> names[] = {
      {"[:alnum:]", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
      {"[:alpha:]", {{'A', 'Z'}, {'a', 'z'}}},
      {"[:digit:]", {{'0', '9'}}},
      {"[:lower:]", {{'a', 'z'}}},
      {"[:upper:]", {{'A', 'Z'}}},
      {"[:space:]", {{'\t', '\r'}, {' ', ' '}}},
      {"[:blank:]", {{'\t', '\t'}, {' ', ' '}}},
      {"[:cntrl:]", {{0, 31}, {127, 127}}},
      {"[:punct:]", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
      {"[:print:]", {{' ', '~'}}},
      {"[:graph:]", {{'!', '~'}}},
      {"[:word:]", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
      {"[:xdigit:]", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
  };
  for (const auto &[name, found] : names)
    if (take(name)) {
      ranges.insert(ranges.end(), found.begin(), found.end());
      return true;
    }
  return false;
}

void RegexParser::parseClass() {
  bool negated = take("^");
  Ranges ranges;
  for (bool isFirst = true; isFirst || peek() != ']'; isFirst = false) {
    if (atEnd())
      return fail("missing ]");
    if (readNamedClass(ranges))
      continue;
    if (peek() == '\\' && at + 1 < pattern.size() &&
        readClassEscape(pattern[at + 1], ranges)) {
      at += 2;
      continue;
    }
    uint32_t low = readCharacter(/*inClass=*/true), high = low;
    if (peek() == '-' && at + 1 < pattern.size() && pattern[at + 1] != ']') {
      ++at;
      high = readCharacter(/*inClass=*/true);
      if (high < low)
        return fail("invalid character class range");
    }
    ranges.push_back({low, high});
  }
  take("]");
  emitClass(std::move(ranges), negated);
}

void RegexParser::emitClass(Ranges ranges, bool negated) {
  if (flags.ignoresCase) {
    // Letters of ASCII only.
    for (size_t i = 0, size = ranges.size(); i < size; ++i)
      for (auto [from, to] : {std::pair('a', 'A'), std::pair('A', 'a')}) {
        auto first = static_cast<uint32_t>(from);
        uint32_t low = std::max(ranges[i].first, first);
        uint32_t high = std::min(ranges[i].second, first + 25);
        if (low <= high)
          ranges.push_back({low - first + static_cast<uint32_t>(to),
                            high - first + static_cast<uint32_t>(to)});
      }
  }
  std::sort(ranges.begin(), ranges.end());
  if (negated) {
    Ranges rest;
    uint32_t next = 0;
    for (Range range : ranges) {
      if (range.first > next)
        rest.push_back({next, range.first - 1});
      next = std::max(next, range.second + 1);
    }
    if (next <= lastCharacter)
      rest.push_back({next, lastCharacter});
    ranges = std::move(rest);
  }
  regex.classes.push_back(std::move(ranges));
  emit(Kind::Class, regex.classes.size() - 1);
}

} // namespace ingot::ops
