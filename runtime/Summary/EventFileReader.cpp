//===- EventFileReader.cpp - The records of an event file -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Summary/EventFileReader.h"

#include "runtime/Support/Crc32c.h"

#include <algorithm>
#include <cstring>
#include <optional>

using namespace ingot;

static uint32_t crcAt(const char *data) {
  uint32_t crc;
  std::memcpy(&crc, data, sizeof(crc));
  return crc;
}

/// Returns the length in a record's header, or std::nullopt if its checksum is
/// wrong.
static std::optional<uint64_t> lengthAt(const char *header) {
  uint64_t length;
  std::memcpy(&length, header, sizeof(length));
  if (crcAt(header + sizeof(length)) !=
      maskCrc32c(crc32c(0, header, sizeof(length))))
    return std::nullopt;
  return length;
}

Expected<EventFileReader> EventFileReader::open(FileSystem &fileSystem,
                                                const std::string &path) {
  INGOT_ASSIGN_OR_RETURN(auto file, fileSystem.openForReading(path));
  return EventFileReader(std::move(file));
}

Expected<bool> EventFileReader::next() {
  constexpr uint64_t frame = headerSize + trailerSize;
  if (at > fileSize() || fileSize() - at < frame)
    return false;
  record.resize(headerSize);
  INGOT_ASSIGN_OR_RETURN(size_t got, file->read(at, headerSize, record.data()));
  std::optional<uint64_t> length =
      got == headerSize ? lengthAt(record.data()) : std::nullopt;
  if (!length || *length > fileSize() - at - frame)
    return false;
  size_t rest = *length + trailerSize;
  record.resize(headerSize + rest);
  char *data = record.data() + headerSize;
  INGOT_ASSIGN_OR_RETURN(got, file->read(at + headerSize, rest, data));
  if (got != rest ||
      crcAt(data + *length) != maskCrc32c(crc32c(0, data, *length)))
    return false;
  eventSize = *length;
  at += record.size();
  return true;
}

Expected<bool> EventFileReader::seekRecord(uint64_t offset) {
  constexpr size_t step = 64 * 1024;
  std::string window(step + headerSize, '\0');
  for (uint64_t begin = offset; begin < fileSize(); begin += step) {
    INGOT_ASSIGN_OR_RETURN(size_t got,
                           file->read(begin, window.size(), window.data()));
    for (size_t i = 0; i < step && i + headerSize <= got; ++i) {
      if (!lengthAt(window.data() + i))
        continue;
      seek(begin + i);
      INGOT_ASSIGN_OR_RETURN(bool found, next());
      seek(begin + i);
      if (found)
        return true;
    }
  }
  return false;
}
