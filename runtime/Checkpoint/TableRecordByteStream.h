//===- TableRecordByteStream.h - A record as bytes --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A table's record may be too large to be in memory twice (once as bytes, once
// as a tensor), so its bytes are streamed from front to end.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_TABLERECORDBYTESTREAM_H
#define INGOT_RUNTIME_CHECKPOINT_TABLERECORDBYTESTREAM_H

#include "runtime/Support/Status.h"

#include <cstdint>
#include <string_view>

namespace ingot {

/// A sequence of bytes that can be read once. A read returns false if the bytes
/// end or cannot be read; failure() then has the reason, and the stream must
/// not be used any more.
class TableRecordByteStream {
public:
  TableRecordByteStream() = default;
  /// Streams bytes in memory, which must outlive the stream.
  explicit TableRecordByteStream(std::string_view bytes)
      : total(bytes.size()), at(bytes.data()),
        end(bytes.data() + bytes.size()) {}
  virtual ~TableRecordByteStream() = default;
  TableRecordByteStream(const TableRecordByteStream &) = delete;
  TableRecordByteStream &operator=(const TableRecordByteStream &) = delete;

  /// The number of bytes consumed so far, and the number of bytes left.
  uint64_t position() const { return taken; }
  uint64_t left() const { return total - taken; }

  /// Returns the bytes that are buffered, at least one. Returns an empty view
  /// at the end or after a failure.
  std::string_view peek();
  /// Consumes `size` bytes, at most as many as the last peek() returned.
  void advance(size_t size) {
    at += size;
    taken += size;
  }

  bool read(void *to, uint64_t size);
  bool skip(uint64_t size);
  /// Reads a base-128 varint of at most 64 bits.
  bool readVarint(uint64_t &value);

  /// The reason why a read has returned false: an I/O error or damage. Ok if
  /// the bytes have ended regularly.
  const Status &failure() const { return why; }

protected:
  /// Sets `piece` to the next bytes of the stream, at least one, which stay
  /// valid until the next call. Called only if bytes are left.
  virtual Status fill(std::string_view &piece);

  uint64_t total = 0;

private:
  const char *at = nullptr;
  const char *end = nullptr;
  uint64_t taken = 0;
  Status why;
};

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_TABLERECORDBYTESTREAM_H
