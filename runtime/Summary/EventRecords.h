//===- EventRecords.h - The records of an event file ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUMMARY_EVENTRECORDS_H
#define INGOT_RUNTIME_SUMMARY_EVENTRECORDS_H

#include "runtime/Support/FileSystem.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ingot {

/// Reads an event file record by record, and holds one at a time. A record is a
/// length, its checksum, the event's bytes and their checksum.
class EventRecords {
public:
  static Expected<EventRecords> open(FileSystem &fileSystem,
                                     const std::string &path);

  /// Reads the record at offset() and moves after it; false, without moving, if
  /// there is no whole record with the right checksums.
  Expected<bool> next();

  /// The event of the last record, serialized; valid until the next is read.
  std::string_view event() const {
    return std::string_view(record).substr(headerSize, eventSize);
  }
  /// The last record with its frame.
  std::string_view framed() const { return record; }

  uint64_t offset() const { return at; }
  uint64_t fileSize() const { return file->size(); }
  void seek(uint64_t offset) { at = offset; }

  /// Moves to the first record that begins at `offset` or later; false if there
  /// is none. Bytes of an event may look like a record's length, but only with
  /// matching checksums do they count as one.
  Expected<bool> seekRecord(uint64_t offset);

private:
  static constexpr uint64_t headerSize = 12, trailerSize = 4;

  explicit EventRecords(std::unique_ptr<RandomAccessFile> file)
      : file(std::move(file)) {}

  std::unique_ptr<RandomAccessFile> file;
  uint64_t at = 0;
  std::string record;
  size_t eventSize = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SUMMARY_EVENTRECORDS_H
