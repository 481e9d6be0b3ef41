//===- TextProtoScanner.cpp - Tokens of protobuf's text format ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/TextProtoScanner.h"

#include <cstdlib>

using namespace ingot;

namespace {

bool isNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}

/// Returns the value of a digit in a base of up to 16, or -1.
int digitValue(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

/// Describes, for error messages, what `text` has at position `at`.
std::string foundAt(std::string_view text, size_t at) {
  if (at == text.size())
    return "the end of the file";
  return std::string("'") + text[at] + "'";
}

} // namespace

Status TextProtoScanner::failure(const std::string &what) const {
  return Status(StatusCode::InvalidArgument,
                "line " + std::to_string(line) + ": " + what);
}

void TextProtoScanner::skipSpace() {
  for (; at < text.size(); ++at) {
    char c = text[at];
    if (c == '#') {
      while (at + 1 < text.size() && text[at + 1] != '\n')
        ++at;
    } else if (c == '\n') {
      ++line;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
  }
}

bool TextProtoScanner::atEnd() {
  skipSpace();
  return at == text.size();
}

bool TextProtoScanner::takeIf(char c) {
  if (atEnd() || text[at] != c)
    return false;
  ++at;
  return true;
}

Status TextProtoScanner::expect(char c) {
  if (takeIf(c))
    return Status::ok();
  return failure(std::string("expected '") + c + "', found " +
                 foundAt(text, at));
}

Expected<std::string> TextProtoScanner::takeName() {
  skipSpace();
  size_t start = at;
  while (at < text.size() && isNameCharacter(text[at]))
    ++at;
  if (at == start)
    return failure("expected the name of a field, found " + foundAt(text, at));
  return std::string(text.substr(start, at - start));
}

Expected<std::string> TextProtoScanner::takeString() {
  std::string value;
  bool any = false;
  while (!atEnd() && (text[at] == '"' || text[at] == '\'')) {
    INGOT_RETURN_IF_ERROR(appendQuoted(value));
    any = true;
  }
  if (!any)
    return failure("expected a string in quotes, found " + foundAt(text, at));
  return value;
}

Status TextProtoScanner::appendQuoted(std::string &out) {
  char quote = text[at++];
  while (at < text.size() && text[at] != '\n') {
    char c = text[at++];
    if (c == quote)
      return Status::ok();
    if (c != '\\')
      out.push_back(c);
    else
      INGOT_RETURN_IF_ERROR(appendEscape(out));
  }
  return failure("the string has no closing quote on its line");
}

/// Reads the rest of an escape sequence, whose backslash was read already.
Status TextProtoScanner::appendEscape(std::string &out) {
  if (at == text.size())
    return failure("the string has no closing quote on its line");
  char c = text[at++];
  constexpr std::string_view letters = "abfnrtv\\'\"?";
  constexpr std::string_view meanings = "\a\b\f\n\r\t\v\\'\"?";
  if (size_t index = letters.find(c); index != std::string_view::npos) {
    out.push_back(meanings[index]);
    return Status::ok();
  }
  bool isHex = c == 'x' || c == 'X';
  int base = isHex ? 16 : 8, maxDigits = isHex ? 2 : 3, value = 0, digits = 0;
  if (!isHex)
    --at;
  for (; digits < maxDigits && at < text.size(); ++digits, ++at) {
    int digit = digitValue(text[at]);
    if (digit < 0 || digit >= base)
      break;
    value = value * base + digit;
  }
  if (digits == 0 || value > 255)
    return failure(std::string("unknown escape sequence '\\") + c +
                   "' in a string");
  out.push_back(static_cast<char>(value));
  return Status::ok();
}

Expected<double> TextProtoScanner::takeNumber() {
  skipSpace();
  size_t start = at;
  while (at < text.size() && (isNameCharacter(text[at]) || text[at] == '.' ||
                              text[at] == '-' || text[at] == '+'))
    ++at;
  std::string digits(text.substr(start, at - start));
  char *end = nullptr;
  double value = std::strtod(digits.c_str(), &end);
  if (digits.empty() || *end != '\0')
    return failure("expected a number, found '" + digits + "'");
  return value;
}
