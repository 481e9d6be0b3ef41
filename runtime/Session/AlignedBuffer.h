//===- AlignedBuffer.h - Zeroed memory for tensors and arenas ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_ALIGNEDBUFFER_H
#define INGOT_RUNTIME_SESSION_ALIGNEDBUFFER_H

#include "runtime/Support/Expected.h"

#include <cstdint>

namespace ingot {

/// Owns zeroed memory that is aligned to a page, and so to INGOT_ALIGNMENT.
/// Pages take no memory until they are first touched.
class AlignedBuffer {
public:
  AlignedBuffer() = default;
  AlignedBuffer(AlignedBuffer &&other) noexcept { *this = std::move(other); }
  AlignedBuffer &operator=(AlignedBuffer &&other) noexcept {
    std::swap(bytes, other.bytes);
    std::swap(byteSize, other.byteSize);
    return *this;
  }
  ~AlignedBuffer();

  /// Allocates at least `size` bytes. If the system has no more memory, returns
  /// ResourceExhausted with a message that contains `what`, the purpose of the
  /// bytes.
  static Expected<AlignedBuffer> allocate(uint64_t size, std::string_view what);

  /// Releases the pages that lie entirely between `begin` and `end` to the
  /// system. The bytes in [begin, end) are then zero or unchanged; other bytes
  /// keep their values.
  void forget(uint8_t *begin, uint8_t *end) const;

  uint8_t *data() const { return bytes; }
  uint64_t size() const { return byteSize; }

private:
  uint8_t *bytes = nullptr;
  uint64_t byteSize = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_ALIGNEDBUFFER_H
