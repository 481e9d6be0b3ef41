//===- BlockStream.h - A table's block, expanded in pieces ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow puts all elements of a V1 tensor into one block, which snappy has
// compressed as a whole. snappy's library expands a block into memory at once;
// this one expands it piece by piece and keeps the last 64 KiB, as snappy's
// compressors refer back no further.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_BLOCKSTREAM_H
#define INGOT_RUNTIME_CHECKPOINT_BLOCKSTREAM_H

#include "runtime/Checkpoint/RecordStream.h"
#include "runtime/Support/FileSystem.h"

#include <string>

namespace ingot {

/// The contents of one block of table `path`. The checksum covers every byte of
/// the block and is known only at its end: results from the contents are valid
/// only once finish() has returned ok.
class BlockStream final : public RecordStream {
public:
  /// A block's trailer: a type byte and a masked checksum (leveldb).
  static constexpr uint64_t trailerSize = 5;

  /// The block of `size` bytes, its trailer not counted, at `offset`.
  BlockStream(const std::string &path, const RandomAccessFile &file,
              uint64_t offset, uint64_t size);

  /// Reads how the block is stored; to be called first.
  Status open();

  /// Reads the rest of the block, and verifies the checksum. `outcome` is the
  /// result of parsing the contents: it is returned unless the checksum is
  /// wrong, which then explains it.
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
  uint32_t stored = 0;   // the checksum that the trailer has,
  uint32_t checksum = 0; // and that of the bytes read
  uint64_t bytesRead = 0;
  std::string input; // bytes of the block
  size_t inputAt = 0;

  // Expanded bytes; before `produced` are up to 64 KiB of older ones.
  std::string output;
  size_t outputEnd = 0;
  uint64_t produced = 0;
  // The unfinished part of the last op: literal bytes, or a copy and its
  // distance.
  uint64_t literalLeft = 0, copyLeft = 0, copyOffset = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_BLOCKSTREAM_H
