//===- EventFileReader.h - The records of an event file ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUMMARY_EVENTFILEREADER_H
#define INGOT_RUNTIME_SUMMARY_EVENTFILEREADER_H

#include "runtime/Support/FileSystem.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ingot {

/// Reads an event file record by record, and keeps one record in memory. A
/// record consists of a length, the length's checksum, a serialized event and
/// the event's checksum.
class EventFileReader {
public:
  static Expected<EventFileReader> open(FileSystem &fileSystem,
                                        const std::string &path);

  /// Reads the record at offset() and moves past it. Returns false, without
  /// moving, if there is no complete record with correct checksums.
  Expected<bool> next();

  /// Returns the serialized event of the last record, valid until the next call
  /// of next().
  std::string_view event() const {
    return std::string_view(record).substr(headerSize, eventSize);
  }
  /// Returns the last record, including lengths and checksums.
  std::string_view framed() const { return record; }

  uint64_t offset() const { return at; }
  uint64_t fileSize() const { return file->size(); }
  void seek(uint64_t offset) { at = offset; }

  /// Moves to the first record that begins at `offset` or later. Returns false
  /// if there is none. `offset` need not be the beginning of a record: bytes
  /// inside a record are not mistaken for one, because their checksums do not
  /// match.
  Expected<bool> seekRecord(uint64_t offset);

private:
  static constexpr uint64_t headerSize = 12, trailerSize = 4;

  explicit EventFileReader(std::unique_ptr<RandomAccessFile> file)
      : file(std::move(file)) {}

  std::unique_ptr<RandomAccessFile> file;
  uint64_t at = 0;
  std::string record;
  size_t eventSize = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SUMMARY_EVENTFILEREADER_H
