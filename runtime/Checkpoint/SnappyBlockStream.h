//===- SnappyBlockStream.h - A table's block, in pieces ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// In V1 checkpoints TensorFlow stores all elements of a slice in one block,
// which snappy compresses as a whole. The snappy library expands a block in
// memory at once. SnappyBlockStream instead expands it piece by piece, and
// keeps the last 64 KiB of output, since snappy's compressors do not refer
// further back.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_SNAPPYBLOCKSTREAM_H
#define INGOT_RUNTIME_CHECKPOINT_SNAPPYBLOCKSTREAM_H

#include "runtime/Checkpoint/TableRecordByteStream.h"
#include "runtime/Support/FileSystem.h"

#include <string>

namespace ingot {

/// Reads the contents of one block of the leveldb table `path`. Results
/// computed from these contents are valid only if finish() has returned ok,
/// because the checksum covers the whole block and is verified at its end.
class SnappyBlockStream final : public TableRecordByteStream {
public:
  /// The size of a block's trailer in bytes: a type byte and a masked checksum
  /// (leveldb's format).
  static constexpr uint64_t trailerSize = 5;

  /// Reads the block at byte `offset` of `file`. `size` excludes the trailer.
  SnappyBlockStream(const std::string &path, const RandomAccessFile &file,
                    uint64_t offset, uint64_t size);

  /// Reads the trailer and, of a compressed block, the expanded size. Must be
  /// called before any other function.
  Status open();

  /// Reads the rest of the block and verifies the checksum. `outcome` is the
  /// caller's result of parsing the contents. Returns the checksum's error if
  /// the checksum is wrong, since this explains why parsing may have failed,
  /// and `outcome` otherwise.
  Status finish(Status outcome);

protected:
  Status fill(std::string_view &piece) override;

private:
  Status damaged(const std::string &what) const;
  Status fillInput();
  Expected<uint8_t> nextByte();
  Status takeOp();
  Status expand();

  const std::string &path;
  const RandomAccessFile &file;
  uint64_t offset, size;

  char type = 0;
  bool isCompressed = false;
  uint32_t stored = 0;   // checksum in the trailer
  uint32_t checksum = 0; // checksum of the bytes read so far
  uint64_t bytesRead = 0;
  std::string input; // buffer of stored (compressed) bytes
  size_t inputAt = 0;

  // The bytes expanded last. Up to 64 KiB before the newest piece are kept, as
  // copy ops may refer to them. `produced` is the number of all bytes expanded
  // so far.
  std::string output;
  size_t outputEnd = 0;
  uint64_t produced = 0;
  // The unfinished part of the current snappy op: the number of literal bytes
  // left, or the number of bytes left to copy and how far back their source is.
  uint64_t literalLeft = 0, copyLeft = 0, copyOffset = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_SNAPPYBLOCKSTREAM_H
