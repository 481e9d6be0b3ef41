//===- Crc32c.h - The checksum of records, bundles and events ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// CRC-32C (Castagnoli, RFC 3720 appendix B.4), and the masked form in which
// TFRecord files, tensor bundles and table blocks store it.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_CRC32C_H
#define INGOT_RUNTIME_SUPPORT_CRC32C_H

#include <cstddef>
#include <cstdint>
#include <span>

namespace ingot {

/// The checksum of the bytes whose checksum is `seed` (0: no bytes) followed
/// by the `size` bytes at `data`. Uses the processor's own instructions where
/// it has some.
uint32_t crc32c(uint32_t seed, const void *data, size_t size);

/// The form in which a checksum is stored next to the bytes it covers, so that
/// the checksum of bytes that hold a checksum stays meaningful.
constexpr uint32_t maskCrc32c(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

/// The inverse of maskCrc32c().
constexpr uint32_t unmaskCrc32c(uint32_t masked) {
  uint32_t rotated = masked - 0xa282ead8u;
  return (rotated >> 17) | (rotated << 15);
}

namespace detail {
/// crc32c() without instructions made for it; for machines that lack them.
uint32_t crc32cPortable(uint32_t seed, const void *data, size_t size);

/// A way to sum that not every machine of this architecture has.
struct Crc32cMethod {
  using Sum = uint32_t(uint32_t seed, const void *data, size_t size);
  bool (*isSupported)();
  Sum *sum;
};

/// This architecture's, the fastest first.
std::span<const Crc32cMethod> crc32cMethods();
} // namespace detail

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_CRC32C_H
