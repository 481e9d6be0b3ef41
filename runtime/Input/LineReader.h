//===- LineReader.h - The lines, or the blocks, of one file -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Formats without a frame: text, and records of one length between a header
// and a footer.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_LINEREADER_H
#define INGOT_RUNTIME_INPUT_LINEREADER_H

#include "runtime/Input/FileReader.h"

namespace ingot::input {

/// Lines without their newlines, and without any carriage return, as
/// TensorFlow reads them. The text after the last newline is a line unless
/// it is empty.
class LineReader final : public FileReader {
public:
  using FileReader::FileReader;
  Status next(std::string_view &record, bool &end) override;
  Status skip(bool &end) override;

private:
  std::string line; // where carriage returns had to go
};

struct BlockSizes {
  uint64_t header, record, footer;
};

class BlockReader final : public FileReader {
public:
  BlockReader(std::unique_ptr<ByteStream> stream, std::string path,
              Compression compression, BlockSizes sizes)
      : FileReader(std::move(stream), std::move(path), compression),
        sizes(sizes) {}
  Status next(std::string_view &record, bool &end) override;
  Status skip(bool &end) override;

private:
  /// Whether a whole record is left before the footer.
  Status look(bool &end);

  BlockSizes sizes;
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_LINEREADER_H
