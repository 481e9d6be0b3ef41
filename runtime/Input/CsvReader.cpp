//===- CsvReader.cpp - Splits a CSV file into rows ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Input/CsvReader.h"

namespace ingot::input {

static bool isLineEnd(char c) { return c == '\n' || c == '\r'; }

/// Returns the number of bytes of the first row in `text`, including its line
/// end, or npos if the row may continue after `text`. `isAll` is true if the
/// file ends with `text`.
static size_t rowSize(std::string_view text, CsvFormat format, bool isAll) {
  bool quoted = false, beginsField = true;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted) {
      // A quote ends the quoted part. Two quotes inside quotes mean one quote
      // character: the second one makes the field quoted again.
      quoted = c != '"';
      continue;
    }
    if (isLineEnd(c)) {
      if (c == '\n')
        return i + 1;
      if (i + 1 < text.size())
        return i + 1 + (text[i + 1] == '\n');
      return isAll ? i + 1 : text.npos;
    }
    // A quote opens a quoted field only at the field's beginning; elsewhere in
    // an unquoted field it is an error, which CsvRowParser reports.
    bool followsQuote = i > 0 && text[i - 1] == '"' && !beginsField;
    quoted = format.usesQuotes && c == '"' && (beginsField || followsQuote);
    beginsField = c == format.delimiter;
  }
  return isAll ? text.size() : text.npos;
}

Status CsvReader::readRow(std::string_view &row) {
  for (uint64_t wanted = 1 << 12;; wanted *= 2) {
    std::string_view text;
    INGOT_RETURN_IF_ERROR(stream->peek(wanted, text));
    size_t size = rowSize(text, format, text.size() < wanted);
    if (size != text.npos)
      return stream->read(size, row);
  }
}

Status CsvReader::next(std::string_view &record, bool &end) {
  if (format.hasHeader && stream->offset() == 0)
    INGOT_RETURN_IF_ERROR(readRow(record));
  INGOT_RETURN_IF_ERROR(readRow(record));
  end = record.empty();
  numRead += !end;
  return Status::ok();
}

Status CsvReader::skip(bool &end) {
  std::string_view record;
  return next(record, end);
}

CsvRowParser::CsvRowParser(std::string_view row, CsvFormat format)
    : rest(row), format(format) {
  if (rest.ends_with('\n'))
    rest.remove_suffix(1);
  if (rest.ends_with('\r'))
    rest.remove_suffix(1);
}

const char *CsvRowParser::next(std::string_view &field) {
  if (format.usesQuotes && rest.starts_with('"'))
    return nextQuoted(field);
  size_t end = rest.find(format.delimiter);
  field = rest.substr(0, end);
  done = end == rest.npos;
  if (!done)
    rest.remove_prefix(end + 1);
  return format.usesQuotes && field.find('"') != field.npos
             ? "unquoted fields cannot have quotes inside"
             : nullptr;
}

const char *CsvRowParser::nextQuoted(std::string_view &field) {
  const char *error = nullptr;
  bool isEscaped = false;
  size_t begin = 1, at = 1;
  unescaped.clear();
  while (true) {
    at = rest.find('"', at);
    if (at == rest.npos) {
      done = true;
      return "the file ends within quotes";
    }
    size_t next = at + 1;
    done = next >= rest.size();
    if (done || rest[next] == format.delimiter)
      break;
    if (rest[next] != '"')
      error = "a quote inside a string has to be escaped by another quote";
    isEscaped = true;
    unescaped.append(rest, begin, next - begin);
    begin = at = next + 1;
    if (begin > rest.size()) {
      done = true;
      return "the file ends within quotes";
    }
  }
  field = rest.substr(begin, at - begin);
  if (isEscaped)
    field = unescaped.append(field);
  if (!done)
    rest.remove_prefix(at + 2);
  return error;
}

} // namespace ingot::input
