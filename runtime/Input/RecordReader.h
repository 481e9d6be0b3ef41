//===- RecordReader.h - The records of one TFRecord file --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The format: length (8 bytes, little endian), masked crc32c of the length,
// data, masked crc32c of the data; and again.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_RECORDREADER_H
#define INGOT_RUNTIME_INPUT_RECORDREADER_H

#include "runtime/Input/FileReader.h"

namespace ingot::input {

class RecordReader final : public FileReader {
public:
  using FileReader::FileReader;

  /// With both checksums checked. A file that ends within a record is DataLoss.
  Status next(std::string_view &record, bool &end) override;
  /// Checks the length's checksum only.
  Status skip(bool &end) override;

private:
  Status readLength(uint64_t &length, bool &end);
  Status truncated(uint64_t expected, uint64_t found) const;
  Status damaged(const char *what, uint32_t stored, uint32_t computed) const;

  uint64_t recordOffset = 0; // of the record in hand
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_RECORDREADER_H
