//===- Csv.cpp - Parses CSV records ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/OpKernelContext.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/ParseNumber.h"

#include <cstring>

using namespace ingot;
using namespace ingot::ops;

namespace {

struct DecodeCsvAttributes {
  char delimiter;
  bool usesQuotes;
  std::string_view missing;
  std::span<const int64_t> columns; // selected columns; empty: all columns
};

/// Splits one record into fields.
class CsvRecordReader {
public:
  CsvRecordReader(std::string_view text, const DecodeCsvAttributes &format)
      : text(text), format(format) {}

  /// Returns the record's fields in the selected columns. If the record is not
  /// valid CSV, stores a message in `error`.
  std::vector<std::string> read(std::string &error) {
    while (at < text.size() && !isDone() && error.empty()) {
      if (text[at] == '\n' || text[at] == '\r') {
        ++at;
        continue;
      }
      if (format.usesQuotes && text[at] == '"')
        readQuoted(error);
      else
        readPlain(error);
    }
    // A record that ends in a delimiter has an empty field after it.
    if (error.empty() && !isDone() && !text.empty() &&
        text.back() == format.delimiter && lastWasDelimited)
      keep("");
    return std::move(fields);
  }

private:
  bool isDone() const {
    return !format.columns.empty() && fields.size() == format.columns.size();
  }

  void keep(std::string field) {
    if (format.columns.empty() || format.columns[fields.size()] == column)
      fields.push_back(std::move(field));
    ++column;
  }

  void readPlain(std::string &error) {
    size_t end = std::min(text.find(format.delimiter, at), text.size());
    std::string_view field = text.substr(at, end - at);
    if (field.find_first_of(format.usesQuotes ? "\"\r\n" : "\r\n") !=
        std::string_view::npos)
      error = "Unquoted fields cannot have quotes/CRLFs inside";
    keep(std::string(field));
    lastWasDelimited = end < text.size();
    at = end + 1;
  }

  void readQuoted(std::string &error) {
    std::string field;
    for (++at; at < text.size(); ++at) {
      if (text[at] != '"') {
        field += text[at];
        continue;
      }
      bool isLast = at + 1 == text.size();
      if (isLast || text[at + 1] == format.delimiter) {
        keep(std::move(field));
        lastWasDelimited = !isLast;
        at += 2;
        return;
      }
      if (text[at + 1] != '"') {
        error = "Quote inside a string has to be escaped by another quote";
        return;
      }
      field += text[++at];
    }
    error = "Quoted field has to end with quote followed by delim or end";
  }

  std::string_view text;
  const DecodeCsvAttributes &format;
  size_t at = 0;
  int64_t column = 0;
  bool lastWasDelimited = false;
  std::vector<std::string> fields;
};

} // namespace

/// Converts `text`, which is field `field` of record `record`, to the field's
/// type, and writes the value to `data`. If `text` is empty or the field's NA
/// value, writes the field's default value.
static Status writeField(OpKernelContext &op, const DecodeCsvAttributes &format,
                         size_t field, size_t record, const std::string &text,
                         char *data) {
  OpInput byDefault = op.input(field + 1);
  int32_t dtype = byDefault.dtype();
  std::string where =
      "Field " + std::to_string(field) + " in record " + std::to_string(record);
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
    return op.invalid(where + " is not a valid " + dtypeName(dtype) + ": " +
                      text);
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
  for (size_t i = 0; i < static_cast<size_t>(records.numElements()); ++i) {
    std::string error;
    std::vector<std::string> fields =
        CsvRecordReader(records.text(i), format).read(error);
    if (!error.empty())
      return op.invalid(error + " in record " + std::to_string(i));
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
