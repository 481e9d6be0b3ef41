//===- CsvReader.h - Splits a CSV file into rows ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_INPUT_CSVREADER_H
#define INGOT_RUNTIME_INPUT_CSVREADER_H

#include "runtime/Input/FileReader.h"

namespace ingot::input {

/// The format of a CSV file.
struct CsvFormat {
  char delimiter = ',';
  bool usesQuotes = true;
  bool hasHeader = false; // the first row is skipped
};

/// Reads a file row by row; the rows still have their quotes and line ends. A
/// row ends in a newline, a carriage return or both, outside of quotes. An
/// empty line is a row.
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

/// Splits a row into its fields, one by one.
class CsvRowParser {
public:
  CsvRowParser(std::string_view row, CsvFormat format);

  bool isDone() const { return done; }
  /// Sets `field` to the next field without its quotes. `field` is valid until
  /// the next call, but no longer than the row. Returns an error message, or
  /// null.
  const char *next(std::string_view &field);

private:
  const char *nextQuoted(std::string_view &field);

  std::string_view rest; // the part of the row that next() has not read yet
  CsvFormat format;
  bool done = false;
  std::string unescaped; // the latest field, if quotes were removed
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_CSVREADER_H
