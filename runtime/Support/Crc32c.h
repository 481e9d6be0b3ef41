//===- Crc32c.h - CRC-32C checksums -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Computes CRC-32C (Castagnoli, RFC 3720 appendix B.4), and the masked form of
// it that TFRecord files, tensor bundles and table blocks store.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_CRC32C_H
#define INGOT_RUNTIME_SUPPORT_CRC32C_H

#include <cstddef>
#include <cstdint>
#include <span>

namespace ingot {

/// Continues a checksum: `seed` is the checksum of some bytes (0: of no bytes);
/// returns the checksum of these bytes followed by the `size` bytes at `data`.
/// Uses the processor's CRC instructions if it has them.
uint32_t crc32c(uint32_t seed, const void *data, size_t size);

/// Returns the masked form of `crc`, in which leveldb and TensorFlow store a
/// checksum next to its bytes. A CRC of bytes that themselves contain CRCs is
/// weak; masked CRCs in the bytes do not have this problem.
constexpr uint32_t maskCrc32c(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

/// Undoes maskCrc32c().
constexpr uint32_t unmaskCrc32c(uint32_t masked) {
  uint32_t rotated = masked - 0xa282ead8u;
  return (rotated >> 17) | (rotated << 15);
}

namespace detail {
/// Returns the same checksum as crc32c(), without the processor's CRC
/// instructions.
uint32_t crc32cPortable(uint32_t seed, const void *data, size_t size);

/// An implementation of crc32c() that uses instructions which only some
/// machines of this architecture have.
struct Crc32cImplementation {
  using Sum = uint32_t(uint32_t seed, const void *data, size_t size);
  bool (*isSupported)();
  Sum *sum;
};

/// Returns this architecture's implementations, the fastest first.
std::span<const Crc32cImplementation> crc32cImplementations();
} // namespace detail

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_CRC32C_H
