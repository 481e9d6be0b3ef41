//===- StringSplit.cpp - Splits strings -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/OpKernelContext.h"

using namespace ingot;
using namespace ingot::ops;

using Pieces = std::vector<std::string_view>;

static bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static std::string_view skipSpaces(std::string_view text) {
  while (!text.empty() && isSpace(text.front()))
    text.remove_prefix(1);
  return text;
}

/// Splits at runs of white space, and ignores white space at both ends of the
/// text. Splits at most `limit` times (negative: any number). The text after
/// split number `limit` is the last piece: it may be empty, and keeps its white
/// space.
static Pieces splitAtSpaces(std::string_view text, int64_t limit) {
  if (limit == 0)
    return {text};
  Pieces pieces;
  text = skipSpaces(text);
  while (!text.empty()) {
    size_t end = 0;
    while (end < text.size() && !isSpace(text[end]))
      ++end;
    pieces.push_back(text.substr(0, end));
    text = skipSpaces(text.substr(end));
    if (static_cast<int64_t>(pieces.size()) == limit) {
      pieces.push_back(text);
      break;
    }
  }
  return pieces;
}

static Pieces splitAt(std::string_view text, std::string_view separator,
                      int64_t limit) {
  Pieces pieces;
  while (limit < 0 || static_cast<int64_t>(pieces.size()) < limit) {
    size_t at = text.find(separator);
    if (at == std::string_view::npos)
      break;
    pieces.push_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  pieces.push_back(text);
  return pieces;
}

/// Splits at each byte that is in `delimiters`. If there are no delimiters,
/// every byte is a piece.
static Pieces splitAtAny(std::string_view text, std::string_view delimiters,
                         bool skipEmpty) {
  Pieces pieces;
  if (delimiters.empty()) {
    for (size_t i = 0; i < text.size(); ++i)
      pieces.push_back(text.substr(i, 1));
    return pieces;
  }
  if (text.empty())
    return pieces;
  for (;;) {
    size_t end = std::min(text.find_first_of(delimiters), text.size());
    if (end > 0 || !skipEmpty)
      pieces.push_back(text.substr(0, end));
    if (end == text.size())
      return pieces;
    text.remove_prefix(end + 1);
  }
}

/// Writes the pieces of all rows as a sparse matrix: its coordinates, values
/// and shape are three outputs.
static Status writePieces(OpKernelContext &op,
                          const std::vector<Pieces> &rows) {
  int64_t count = 0, longest = 0;
  for (const Pieces &row : rows) {
    count += static_cast<int64_t>(row.size());
    longest = std::max(longest, static_cast<int64_t>(row.size()));
  }
  INGOT_ASSIGN_OR_RETURN(auto indices, op.output<int64_t>(0, {count, 2}));
  INGOT_ASSIGN_OR_RETURN(auto values, op.output<ingot_string>(1, {count}));
  INGOT_ASSIGN_OR_RETURN(auto shape, op.output<int64_t>(2, {2}));
  size_t next = 0;
  for (size_t row = 0; row < rows.size(); ++row)
    for (size_t column = 0; column < rows[row].size(); ++column, ++next) {
      indices[2 * next] = static_cast<int64_t>(row);
      indices[2 * next + 1] = static_cast<int64_t>(column);
      // The output's strings refer to the bytes of the input, which remain
      // valid, so nothing is copied.
      values[next] = {rows[row][column].data(), rows[row][column].size()};
    }
  shape[0] = static_cast<int64_t>(rows.size());
  shape[1] = longest;
  return Status::ok();
}

INGOT_RUNTIME_OP(string_split) {
  OpInput texts = op.input(0);
  std::string_view separator = op.input(1).text(0);
  int64_t limit = op.integer("maxsplit", -1);
  std::vector<Pieces> rows;
  for (int64_t i = 0; i < texts.numElements(); ++i) {
    std::string_view text = texts.text(static_cast<size_t>(i));
    rows.push_back(separator.empty() ? splitAtSpaces(text, limit)
                                     : splitAt(text, separator, limit));
  }
  return writePieces(op, rows);
}

INGOT_RUNTIME_OP(string_split_any) {
  OpInput texts = op.input(0);
  std::vector<Pieces> rows;
  for (int64_t i = 0; i < texts.numElements(); ++i)
    rows.push_back(splitAtAny(texts.text(static_cast<size_t>(i)),
                              op.input(1).text(0),
                              op.flag("skip_empty", true)));
  return writePieces(op, rows);
}
