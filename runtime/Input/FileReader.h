//===- FileReader.h - Records of one file -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_INPUT_FILEREADER_H
#define INGOT_RUNTIME_INPUT_FILEREADER_H

#include "runtime/Input/ByteStream.h"

namespace ingot::input {

/// Reads a file that is a sequence of records. Each subclass implements one
/// file format.
class FileReader {
public:
  FileReader(std::unique_ptr<ByteStream> stream, std::string path,
             Compression compression)
      : stream(std::move(stream)), path(std::move(path)),
        compression(compression) {}
  virtual ~FileReader() = default;

  /// Sets `record` to the next record, valid until the next call, or sets
  /// `end`.
  virtual Status next(std::string_view &record, bool &end) = 0;
  /// Skips one record. Omits checks that would need the record's data, so that
  /// the data need not be read.
  virtual Status skip(bool &end) = 0;
  /// Moves forward to record `record`, which begins at `offset`.
  Status seek(uint64_t offset, uint64_t record);

  /// Return the next record's offset in uncompressed bytes, and its index.
  uint64_t offset() const { return stream->offset(); }
  uint64_t record() const { return numRead; }
  /// Returns "record 17 of data/train.tfrecord, at byte 5120" for record
  /// `record`, which begins at `offset`.
  std::string describe(uint64_t record, uint64_t offset) const;

protected:
  std::unique_ptr<ByteStream> stream;
  std::string path;
  Compression compression;
  uint64_t numRead = 0;
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_FILEREADER_H
