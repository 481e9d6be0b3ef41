//===- Scanner.cpp - Reads words and numbers of MLIR's text ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/Scanner.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace ingot::stablehlo {

static bool isWordChar(char c) {
  return isAlnum(c) || c == '_' || c == '$' || c == '.';
}

bool Scanner::atEnd() {
  while (position < text.size()) {
    if (isSpace(text[position]))
      ++position;
    else if (rest().starts_with("//"))
      position = std::min(text.find('\n', position), text.size());
    else
      return false;
  }
  return true;
}

bool Scanner::peek(StringRef token) {
  return !atEnd() && rest().starts_with(token);
}

bool Scanner::consume(StringRef token) {
  if (!peek(token))
    return false;
  position += token.size();
  return true;
}

bool Scanner::consumeWord(StringRef word) {
  if (!peek(word))
    return false;
  StringRef after = rest().drop_front(word.size());
  if (!after.empty() && isWordChar(after.front()))
    return false;
  position += word.size();
  return true;
}

bool Scanner::expect(StringRef token) {
  return consume(token) || fail("expected '" + token + "'");
}

StringRef Scanner::word() {
  if (atEnd() || !(isAlpha(text[position]) || text[position] == '_'))
    return "";
  StringRef found = rest().take_while(isWordChar);
  position += found.size();
  return found;
}

std::optional<std::string> Scanner::symbol(char prefix) {
  if (!consume(StringRef(&prefix, 1)))
    return std::nullopt;
  if (prefix == '@' && rest().starts_with("\""))
    return string();
  StringRef found =
      rest().take_while([](char c) { return isWordChar(c) || c == '-'; });
  // The name of a value ends before the arrow in `%x->`.
  if (found.ends_with("-") && rest().drop_front(found.size()).starts_with(">"))
    found = found.drop_back();
  if (found.empty()) {
    fail("expected a name after '" + Twine(prefix) + "'");
    return std::nullopt;
  }
  position += found.size();
  return found.str();
}

std::optional<std::string> Scanner::string() {
  if (!consume("\""))
    return std::nullopt;
  std::string value;
  while (position < text.size()) {
    char c = text[position++];
    if (c == '"')
      return value;
    if (c == '\n')
      break;
    if (c != '\\') {
      value += c;
      continue;
    }
    StringRef escaped = rest();
    if (escaped.empty())
      break;
    if (escaped.size() >= 2 && isHexDigit(escaped[0]) &&
        isHexDigit(escaped[1])) {
      value += static_cast<char>(hexFromNibbles(escaped[0], escaped[1]));
      position += 2;
      continue;
    }
    char next = escaped.front();
    value += next == 'n' ? '\n' : next == 't' ? '\t' : next;
    ++position;
  }
  fail("the string has no end");
  return std::nullopt;
}

StringRef Scanner::number() {
  if (atEnd())
    return "";
  StringRef all = rest();
  size_t length = all.starts_with("-") || all.starts_with("+");
  if (length >= all.size() || !isDigit(all[length]))
    return "";
  bool isHex = all.drop_front(length).starts_with("0x");
  while (length < all.size()) {
    char c = all[length];
    bool isSign = (c == '-' || c == '+') && !isHex &&
                  (all[length - 1] == 'e' || all[length - 1] == 'E');
    if (isHex ? !(isHexDigit(c) || c == 'x')
              : !(isDigit(c) || c == '.' || c == 'e' || c == 'E' || isSign))
      break;
    ++length;
  }
  position += length;
  return all.take_front(length);
}

std::optional<int64_t> Scanner::integer() {
  size_t begin = position;
  StringRef digits = number();
  int64_t value;
  uint64_t bits;
  if (!digits.empty() && !digits.getAsInteger(0, value))
    return value;
  if (!digits.empty() && !digits.getAsInteger(0, bits))
    return static_cast<int64_t>(bits);
  position = begin;
  return std::nullopt;
}

static char closing(char c) {
  return c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : c == '<' ? '>' : 0;
}

std::optional<StringRef> Scanner::brackets() {
  SmallVector<char> open;
  size_t begin = position;
  while (!atEnd()) {
    char c = text[position];
    if (c == '"') {
      if (!string())
        return std::nullopt;
      continue;
    }
    if (rest().starts_with("->")) {
      position += 2;
      continue;
    }
    ++position;
    if (char end = closing(c)) {
      open.push_back(end);
    } else if (StringRef(")]}>").contains(c)) {
      if (open.empty() || open.pop_back_val() != c)
        break;
      if (open.empty())
        return since(begin);
    }
  }
  fail("brackets do not match");
  return std::nullopt;
}

void Scanner::skipOp() {
  unsigned start = line();
  while (!atEnd()) {
    char c = text[position];
    if (StringRef(")]}").contains(c))
      return;
    bool mayBegin = c == '%' || c == '"' || isAlpha(c);
    if (mayBegin && line() != start) {
      // An op begins a line; words within an op follow on its lines.
      StringRef before = text.take_front(position).rtrim(" \t");
      if (before.empty() || before.ends_with("\n"))
        return;
    }
    if (c == '"') {
      if (!string())
        return;
    } else if (c == '(' || c == '[' || c == '{') {
      if (!brackets())
        return;
    } else {
      ++position;
    }
  }
}

unsigned Scanner::line() {
  atEnd();
  return lineHere();
}

unsigned Scanner::lineHere() {
  if (position < countedTo) {
    countedTo = 0;
    countedLine = 1;
  }
  countedLine += text.slice(countedTo, position).count('\n');
  countedTo = position;
  return countedLine;
}

bool Scanner::fail(const Twine &message) {
  if (!error.empty())
    return false;
  unsigned number = lineHere();
  size_t begin = text.take_front(position).rfind('\n');
  size_t column = begin == StringRef::npos ? position + 1 : position - begin;
  error =
      ("line " + Twine(number) + ", column " + Twine(column) + ": " + message)
          .str();
  return false;
}

bool Scanner::failAtLine(unsigned number, const Twine &message) {
  if (error.empty())
    error = ("line " + Twine(number) + ": " + message).str();
  return false;
}

} // namespace ingot::stablehlo
