//===- RecordReader.h - The records of one TFRecord file --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads TFRecord files. A record is its length (8 bytes, little-endian), the
// length's masked crc32c, the data and the data's masked crc32c.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_RECORDREADER_H
#define INGOT_RUNTIME_INPUT_RECORDREADER_H

#include "runtime/Input/FileReader.h"

namespace ingot::input {

class RecordReader final : public FileReader {
public:
  using FileReader::FileReader;

  /// Reads a record and checks both checksums. Returns DataLoss if the file
  /// ends within a record.
  Status next(std::string_view &record, bool &end) override;
  /// Skips a record, checking the length's checksum only.
  Status skip(bool &end) override;

private:
  Status readLength(uint64_t &length, bool &end);
  Status truncated(uint64_t expected, uint64_t found) const;
  Status damaged(const char *what, uint32_t stored, uint32_t computed) const;

  uint64_t recordOffset = 0; // offset of the current record
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_RECORDREADER_H
