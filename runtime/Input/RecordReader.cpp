//===- RecordReader.cpp - The records of one TFRecord file ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads TFRecord files. Every failure names the file, the record's index and
// the offset at which the record begins.
//===----------------------------------------------------------------------===//
#include "runtime/Input/RecordReader.h"
#include "runtime/Support/Crc32c.h"

#include <cstdio>

namespace ingot::input {

static constexpr uint64_t checksumSize = 4;
static constexpr uint64_t headerSize = 8 + checksumSize;

static uint64_t littleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

Status RecordReader::truncated(uint64_t expected, uint64_t found) const {
  return Status(StatusCode::DataLoss,
                describe(numRead, recordOffset) + ", is truncated: expected " +
                    std::to_string(expected) + " further bytes, found " +
                    std::to_string(found));
}

Status RecordReader::damaged(const char *what, uint32_t stored,
                             uint32_t computed) const {
  char text[64];
  std::snprintf(text, sizeof(text), "%08x, found %08x", stored, computed);
  return Status(StatusCode::DataLoss,
                describe(numRead, recordOffset) +
                    ", is damaged: expected checksum of the " + what + " " +
                    text);
}

Status RecordReader::readLength(uint64_t &length, bool &end) {
  recordOffset = stream->offset();
  std::string_view header;
  INGOT_RETURN_IF_ERROR(stream->read(headerSize, header));
  end = header.empty();
  if (end)
    return Status::ok();
  if (header.size() < headerSize)
    return truncated(headerSize, header.size());
  length = littleEndian(header.substr(0, 8));
  auto stored = unmaskCrc32c(
      static_cast<uint32_t>(littleEndian(header.substr(8, checksumSize))));
  if (uint32_t computed = crc32c(0, header.data(), 8); computed != stored)
    return damaged("length", stored, computed);
  // No record can be this long. As the checksum matches, the file was forged.
  if (length > UINT64_MAX / 2)
    return truncated(length, 0);
  return Status::ok();
}

Status RecordReader::next(std::string_view &record, bool &end) {
  uint64_t length = 0;
  INGOT_RETURN_IF_ERROR(readLength(length, end));
  if (end)
    return Status::ok();
  INGOT_RETURN_IF_ERROR(stream->read(length + checksumSize, record));
  if (record.size() < length + checksumSize)
    return truncated(length + checksumSize, record.size());
  auto stored =
      unmaskCrc32c(static_cast<uint32_t>(littleEndian(record.substr(length))));
  record.remove_suffix(checksumSize);
  if (uint32_t computed = crc32c(0, record.data(), record.size());
      computed != stored)
    return damaged("data", stored, computed);
  ++numRead;
  return Status::ok();
}

Status RecordReader::skip(bool &end) {
  uint64_t length = 0;
  INGOT_RETURN_IF_ERROR(readLength(length, end));
  if (end)
    return Status::ok();
  uint64_t skipped = 0;
  INGOT_RETURN_IF_ERROR(stream->skip(length + checksumSize, skipped));
  if (skipped < length + checksumSize)
    return truncated(length + checksumSize, skipped);
  ++numRead;
  return Status::ok();
}

} // namespace ingot::input
