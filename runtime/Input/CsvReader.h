//===- CsvReader.h - The rows of one CSV file -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_INPUT_CSVREADER_H
#define INGOT_RUNTIME_INPUT_CSVREADER_H

#include "runtime/Input/FileReader.h"

namespace ingot::input {

/// The format of a file's rows.
struct CsvFormat {
  char delimiter = ',';
  bool usesQuotes = true;
  bool hasHeader = false; // a row to pass over
};

/// Rows with their quotes and their line ends: a newline, a carriage return or
/// both, outside of quotes. An empty line is a row.
class CsvReader final : public FileReader {
public:
  CsvReader(std::unique_ptr<ByteStream> stream, std::string path,
            Compression compression, CsvFormat format)
      : FileReader(std::move(stream), std::move(path), compression),
        format(format) {}

  Status next(std::string_view &record, bool &end) override;
  Status skip(bool &end) override;

private:
  Status readRow(std::string_view &row);

  CsvFormat format;
};

/// The fields of a row, one by one.
class CsvRow {
public:
  CsvRow(std::string_view row, CsvFormat format);

  bool isDone() const { return done; }
  /// The next field, without quotes; valid as long as the row and until the
  /// next call. Returns an error message, or null.
  const char *next(std::string_view &field);

private:
  const char *nextQuoted(std::string_view &field);

  std::string_view rest; // after the fields that were taken
  CsvFormat format;
  bool done = false;
  std::string unescaped; // where quotes had to go
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_CSVREADER_H
