//===- SnappyBlockStream.cpp - A table's block, expanded in pieces --------===//
// SPDX-License-Identifier: Apache-2.0
//
// Snappy's format is described in its own format_description.txt: the expanded
// size as a varint, then a sequence of ops, each a literal (bytes) or a copy of
// earlier output.
//
//===----------------------------------------------------------------------===//

#include "runtime/Checkpoint/SnappyBlockStream.h"
#include "runtime/Support/Crc32c.h"

#include <algorithm>
#include <cstring>

using namespace ingot;

// The farthest distance to which a copy op may refer back, in bytes. Snappy's
// compressors split their input into fragments of 64 KiB, and a copy never
// refers to bytes before its fragment.
static constexpr size_t historySize = 64 * 1024;
static constexpr size_t outputSize = 4 * historySize;
static constexpr size_t inputSize = 64 * 1024;

SnappyBlockStream::SnappyBlockStream(const std::string &path,
                                     const RandomAccessFile &file,
                                     uint64_t offset, uint64_t size)
    : path(path), file(file), offset(offset), size(size) {}

Status SnappyBlockStream::damaged(const std::string &what) const {
  return Status(StatusCode::DataLoss, "'" + path + "': damaged at offset " +
                                          std::to_string(offset) + ": " + what);
}

Status SnappyBlockStream::open() {
  char trailer[trailerSize];
  INGOT_ASSIGN_OR_RETURN(size_t found,
                         file.read(offset + size, trailerSize, trailer));
  if (found != trailerSize)
    return damaged("the file ends in the block of " + std::to_string(size) +
                   " bytes");
  std::memcpy(&stored, trailer + 1, sizeof(stored));
  stored = unmaskCrc32c(stored);
  // The trailer's checksum covers the block's stored bytes and then the type
  // byte (leveldb's block format); finish() adds the type byte.
  type = trailer[0];
  if (type == 0) {
    total = size;
    return Status::ok();
  }
  isCompressed = true;
  auto unknown = [&] {
    return finish(damaged(
        "the block's compression type " +
        std::to_string(static_cast<uint8_t>(type)) +
        " is not 0 (none) or 1 (snappy), or its expanded size is invalid"));
  };
  if (type != 1)
    return unknown();
  for (unsigned shift = 0;; shift += 7) {
    if (shift > 28 || (bytesRead == size && inputAt == input.size()))
      return unknown();
    INGOT_ASSIGN_OR_RETURN(uint8_t byte, nextByte());
    total |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80)
      break;
  }
  // Checks the expanded size in the header. The op that expands most is a copy:
  // 3 bytes become at most 64. So a valid `total` is less than 32 times `size`.
  if (total >> 32 != 0 || total / 32 > size)
    return unknown();
  return Status::ok();
}

/// Reads the next compressed bytes of the block from the file into `input`, and
/// adds them to the checksum.
Status SnappyBlockStream::fillInput() {
  auto wanted =
      static_cast<size_t>(std::min<uint64_t>(inputSize, size - bytesRead));
  input.resize(wanted);
  inputAt = 0;
  INGOT_ASSIGN_OR_RETURN(size_t found,
                         file.read(offset + bytesRead, wanted, input.data()));
  if (found != wanted)
    return damaged("the file ends in the block of " + std::to_string(size) +
                   " bytes");
  checksum = crc32c(checksum, input.data(), wanted);
  bytesRead += wanted;
  return Status::ok();
}

Expected<uint8_t> SnappyBlockStream::nextByte() {
  if (inputAt == input.size()) {
    if (bytesRead == size)
      return damaged("the compressed block ends in the middle");
    INGOT_RETURN_IF_ERROR(fillInput());
  }
  return static_cast<uint8_t>(input[inputAt++]);
}

/// Reads the header of the next snappy op into `literalLeft`, or into
/// `copyLeft` and `copyOffset`. The low two bits of the header's first byte
/// distinguish a literal from copies whose offset has 11, 16 or 32 bits.
Status SnappyBlockStream::takeOp() {
  enum { Literal, CopyOf11Bits, CopyOf16Bits, CopyOf32Bits };
  INGOT_ASSIGN_OR_RETURN(uint8_t tag, nextByte());
  auto number = [&](unsigned bytes) -> Expected<uint64_t> {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
      INGOT_ASSIGN_OR_RETURN(uint8_t byte, nextByte());
      value |= static_cast<uint64_t>(byte) << (8 * i);
    }
    return value;
  };
  uint64_t length = tag >> 2;
  if ((tag & 3) == Literal) {
    if (length >= 60) {
      INGOT_ASSIGN_OR_RETURN(length,
                             number(static_cast<unsigned>(length) - 59));
    }
    literalLeft = length + 1;
  } else if ((tag & 3) == CopyOf11Bits) {
    INGOT_ASSIGN_OR_RETURN(uint64_t low, number(1));
    copyOffset = low | static_cast<uint64_t>(tag >> 5) << 8;
    copyLeft = (length & 7) + 4;
  } else {
    INGOT_ASSIGN_OR_RETURN(copyOffset,
                           number((tag & 3) == CopyOf16Bits ? 2 : 4));
    copyLeft = length + 1;
  }
  if (std::max(literalLeft, copyLeft) > total - produced)
    return damaged("the compressed block is longer than its header says");
  if (copyLeft > 0 && (copyOffset == 0 || copyOffset > produced))
    return damaged("the compressed block refers to bytes before its first");
  if (copyLeft > 0 && copyOffset > historySize)
    return damaged("the compressed block refers back more than 64 KiB");
  return Status::ok();
}

/// Expands snappy ops until `output` is full or the block ends.
Status SnappyBlockStream::expand() {
  // Moves the last 64 KiB of output to the front, as copies of later ops may
  // refer to these bytes.
  size_t keep = std::min(outputEnd, historySize);
  if (output.empty())
    output.resize(std::min<uint64_t>(outputSize, total));
  std::memmove(output.data(), output.data() + outputEnd - keep, keep);
  outputEnd = keep;
  while (outputEnd < output.size() && produced < total) {
    if (literalLeft == 0 && copyLeft == 0)
      INGOT_RETURN_IF_ERROR(takeOp());
    uint64_t run =
        std::min<uint64_t>(literalLeft + copyLeft, output.size() - outputEnd);
    char *to = output.data() + outputEnd;
    if (literalLeft > 0) {
      if (inputAt == input.size()) {
        if (bytesRead == size)
          return damaged("the compressed block ends in the middle");
        INGOT_RETURN_IF_ERROR(fillInput());
      }
      run = std::min<uint64_t>(run, input.size() - inputAt);
      std::memcpy(to, input.data() + inputAt, run);
      inputAt += run;
      literalLeft -= run;
    } else {
      // If a copy's source overlaps its destination, the copy repeats bytes
      // that it has just written: offset 1 repeats one byte. memcpy does not
      // support such an overlap, so the bytes are copied one by one.
      const char *from = to - copyOffset;
      if (copyOffset >= run)
        std::memcpy(to, from, run);
      else
        for (uint64_t i = 0; i < run; ++i)
          to[i] = from[i];
      copyLeft -= run;
    }
    outputEnd += run;
    produced += run;
  }
  return Status::ok();
}

Status SnappyBlockStream::fill(std::string_view &piece) {
  if (!isCompressed) {
    INGOT_RETURN_IF_ERROR(fillInput());
    piece = input;
    return Status::ok();
  }
  size_t old = std::min(outputEnd, historySize);
  INGOT_RETURN_IF_ERROR(expand());
  piece = std::string_view(output).substr(old, outputEnd - old);
  return Status::ok();
}

Status SnappyBlockStream::finish(Status outcome) {
  bool hasRest = isCompressed && outcome.isOk() && produced == total &&
                 (inputAt < input.size() || bytesRead < size);
  while (bytesRead < size)
    INGOT_RETURN_IF_ERROR(fillInput());
  uint32_t found = crc32c(checksum, &type, 1);
  if (found != stored)
    return damaged("the block of " + std::to_string(size) +
                   " bytes has checksum " + std::to_string(found) +
                   ", expected " + std::to_string(stored));
  if (!failure().isOk())
    return failure();
  if (hasRest)
    return damaged("the compressed block has bytes after its end");
  return outcome;
}
