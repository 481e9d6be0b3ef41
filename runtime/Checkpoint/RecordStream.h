//===- RecordStream.h - Bytes from front to back, in pieces -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A record of a table may be too large to be in memory twice. Its bytes are
// therefore streamed from the front to the end, a piece at a time.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_RECORDSTREAM_H
#define INGOT_RUNTIME_CHECKPOINT_RECORDSTREAM_H

#include "runtime/Support/Status.h"

#include <cstdint>
#include <string_view>

namespace ingot {

/// Bytes that can be read once. A read is false where they end, or where they
/// can't be had: failure() then says why. The stream is of no use after that.
class RecordStream {
public:
  RecordStream() = default;
  /// Bytes in memory, which must outlive the stream.
  explicit RecordStream(std::string_view bytes)
      : total(bytes.size()), at(bytes.data()),
        end(bytes.data() + bytes.size()) {}
  virtual ~RecordStream() = default;
  RecordStream(const RecordStream &) = delete;
  RecordStream &operator=(const RecordStream &) = delete;

  /// The number of bytes consumed, and of all bytes.
  uint64_t position() const { return taken; }
  uint64_t left() const { return total - taken; }

  /// The next bytes: all that are buffered, but at least one; none where a read
  /// would return false.
  std::string_view peek();
  /// Passes over `size` bytes, of those that peek() has returned.
  void advance(size_t size) {
    at += size;
    taken += size;
  }

  bool read(void *to, uint64_t size);
  bool skip(uint64_t size);
  /// A base-128 number of at most 64 bits.
  bool readVarint(uint64_t &value);

  /// Why the stream ended: a failure to read, or damage; ok at its regular end.
  const Status &failure() const { return why; }

protected:
  /// Buffers at least one more byte; called only if the record has more.
  virtual Status fill(std::string_view &piece);

  uint64_t total = 0;

private:
  const char *at = nullptr;
  const char *end = nullptr;
  uint64_t taken = 0;
  Status why;
};

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_RECORDSTREAM_H
