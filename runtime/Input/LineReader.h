//===- LineReader.h - Lines, or records of fixed length ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Readers for formats without framing: lines of text, and records of a fixed
// length between a header and a footer.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_LINEREADER_H
#define INGOT_RUNTIME_INPUT_LINEREADER_H

#include "runtime/Input/FileReader.h"

namespace ingot::input {

/// Reads lines, without their newlines and without any carriage returns, as
/// TensorFlow does. The text after the last newline is a line unless it is
/// empty.
class LineReader final : public FileReader {
public:
  using FileReader::FileReader;
  Status next(std::string_view &record, bool &end) override;
  Status skip(bool &end) override;

private:
  std::string line; // the latest line, if it had carriage returns
};

struct FixedLengthRecordSizes {
  uint64_t header, record, footer;
};

class FixedLengthRecordReader final : public FileReader {
public:
  FixedLengthRecordReader(std::unique_ptr<ByteStream> stream, std::string path,
                          Compression compression, FixedLengthRecordSizes sizes)
      : FileReader(std::move(stream), std::move(path), compression),
        sizes(sizes) {}
  Status next(std::string_view &record, bool &end) override;
  Status skip(bool &end) override;

private:
  /// Sets `end` to true if less than a whole record is left before the file's
  /// footer.
  Status look(bool &end);

  FixedLengthRecordSizes sizes;
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_LINEREADER_H
