//===- Csv.cpp - Parses CSV records ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/OpKernelContext.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/ParseNumber.h"

#include <array>
#include <cstring>
#include <vector>

using namespace ingot;
using namespace ingot::ops;

namespace {

struct DecodeCsvAttributes {
  char delimiter;
  bool usesQuotes;
  std::string_view missing;
  std::span<const int64_t> columns; // selected columns; empty: all columns
};

/// Splits records into fields.
class CsvRecordReader {
public:
  explicit CsvRecordReader(const DecodeCsvAttributes &format) : format(format) {
    for (char c : std::string_view("\r\n"))
      endsPlainField(c) = true;
    endsPlainField('"') = format.usesQuotes;
    endsPlainField(format.delimiter) = true;
  }

  /// Returns the record's fields in the selected columns, valid until the next
  /// call and while `text` is. If the record is not valid CSV, stores a message
  /// in `error`.
  const std::vector<std::string_view> &read(std::string_view record,
                                            const char *&error) {
    text = record;
    at = 0;
    column = 0;
    lastWasDelimited = false;
    fields.clear();
    unescaped.clear();
    error = nullptr;
    while (at < text.size() && !isDone() && !error) {
      if (text[at] == '\n' || text[at] == '\r')
        ++at;
      else
        error =
            format.usesQuotes && text[at] == '"' ? readQuoted() : readPlain();
    }
    // A record that ends in a delimiter has an empty field after it.
    if (!error && !isDone() && !text.empty() &&
        text.back() == format.delimiter && lastWasDelimited)
      keep("");
    return fields;
  }

private:
  bool &endsPlainField(char c) {
    return endOfPlainField[static_cast<unsigned char>(c)];
  }

  bool isDone() const {
    return !format.columns.empty() && fields.size() == format.columns.size();
  }

  void keep(std::string_view field) {
    if (format.columns.empty() || format.columns[fields.size()] == column)
      fields.push_back(field);
    ++column;
  }

  /// Reads a field that does not begin with a quote. Returns what is wrong with
  /// it, or nullptr.
  const char *readPlain() {
    size_t end = at;
    while (end < text.size() && !endsPlainField(text[end]))
      ++end;
    if (end < text.size() && text[end] != format.delimiter)
      return "Unquoted fields cannot have quotes/CRLFs inside";
    keep(text.substr(at, end - at));
    lastWasDelimited = end < text.size();
    at = end + 1;
    return nullptr;
  }

  /// Like readPlain(), for a field that begins with a quote.
  const char *readQuoted() {
    // All fields together are no longer than the record, so that `unescaped`
    // never moves what earlier fields refer to.
    unescaped.reserve(text.size());
    size_t begin = unescaped.size();
    for (++at; at < text.size(); ++at) {
      if (text[at] != '"') {
        unescaped += text[at];
        continue;
      }
      bool isLast = at + 1 == text.size();
      if (isLast || text[at + 1] == format.delimiter) {
        keep(std::string_view(unescaped).substr(begin));
        lastWasDelimited = !isLast;
        at += 2;
        return nullptr;
      }
      if (text[at + 1] != '"')
        return "Quote inside a string has to be escaped by another quote";
      unescaped += text[++at];
    }
    return "Quoted field has to end with quote followed by delim or end";
  }

  const DecodeCsvAttributes &format;
  std::array<bool, 256> endOfPlainField{};
  std::string_view text; // the record
  size_t at = 0;
  int64_t column = 0;
  bool lastWasDelimited = false;
  std::vector<std::string_view> fields;
  std::string unescaped; // the text of fields in quotes
};

} // namespace

/// Converts `text`, which is field `field` of record `record`, to the field's
/// type, and writes the value to `data`. If `text` is empty or the field's NA
/// value, writes the field's default value.
static Status writeField(OpKernelContext &op, const DecodeCsvAttributes &format,
                         size_t field, size_t record, std::string_view text,
                         char *data) {
  OpInput byDefault = op.input(field + 1);
  int32_t dtype = byDefault.dtype();
  if (text.empty() || text == format.missing) {
    if (byDefault.numElements() != 1)
      return op.invalid("Field " + std::to_string(field) +
                        " is required but missing in record " +
                        std::to_string(record) + "!");
    std::memcpy(data, byDefault.data(), elementSize(dtype));
    return Status::ok();
  }
  if (dtype == INGOT_STRING) {
    INGOT_ASSIGN_OR_RETURN(*reinterpret_cast<ingot_string *>(data),
                           op.string(text));
    return Status::ok();
  }
  if (!parseNumber(text, dtype, data))
    return op.invalid("Field " + std::to_string(field) + " in record " +
                      std::to_string(record) + " is not a valid " +
                      dtypeName(dtype) + ": " + std::string(text));
  return Status::ok();
}

// Implements DecodeCSV. Inputs: the records, then the default value of each
// column, which is empty if the column is required.
INGOT_RUNTIME_OP(decode_csv) {
  OpInput records = op.input(0);
  std::string_view delimiter = op.text("field_delim", ",");
  DecodeCsvAttributes format{delimiter.empty() ? ',' : delimiter.front(),
                             op.flag("use_quote_delim", true),
                             op.text("na_value"), op.integers("select_cols")};
  size_t count = op.numOutputs();
  std::vector<char *> outputs;
  for (size_t field = 0; field < count; ++field) {
    INGOT_ASSIGN_OR_RETURN(void *memory, op.allocate(field, records.dims()));
    outputs.push_back(static_cast<char *>(memory));
  }
  CsvRecordReader reader(format);
  for (size_t i = 0; i < static_cast<size_t>(records.numElements()); ++i) {
    const char *error = nullptr;
    const std::vector<std::string_view> &fields =
        reader.read(records.text(i), error);
    if (error)
      return op.invalid(std::string(error) + " in record " + std::to_string(i));
    if (fields.size() != count)
      return op.invalid("Expect " + std::to_string(count) +
                        " fields but have " + std::to_string(fields.size()) +
                        " in record " + std::to_string(i));
    for (size_t field = 0; field < count; ++field) {
      INGOT_RETURN_IF_ERROR(
          writeField(op, format, field, i, fields[field], outputs[field]));
      outputs[field] += elementSize(op.outputType(field));
    }
  }
  return Status::ok();
}
