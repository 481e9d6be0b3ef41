//===- Crc32c.cpp - CRC-32C checksums -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/Crc32c.h"

#include <array>
#include <bit>
#include <cstring>

using namespace ingot;

static_assert(std::endian::native == std::endian::little,
              "words are read as they lie in memory");

namespace {

// CRC-32C's polynomial 0x1edc6f41 with reversed bits.
constexpr uint32_t polynomial = 0x82f63b78u;

using Tables = std::array<std::array<uint32_t, 256>, 8>;

// Slicing by 8 (Kounavis and Berry, 2005): tables[k][b] is the change of the
// CRC register by byte `b` and k zero bytes after it. CRC is linear, so the
// change by eight bytes is the sum (xor) of eight independent table look-ups.
constexpr Tables makeTables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1) ^ ((crc & 1) ? polynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < 8; ++k)
    for (size_t byte = 0; byte < 256; ++byte) {
      uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  return tables;
}

constexpr Tables tables = makeTables();

detail::Crc32cImplementation::Sum *chooseMethod() {
  for (const detail::Crc32cImplementation &method :
       detail::crc32cImplementations())
    if (method.isSupported())
      return method.sum;
  return detail::crc32cPortable;
}

} // namespace

uint32_t detail::crc32cPortable(uint32_t seed, const void *data, size_t size) {
  const auto *bytes = static_cast<const unsigned char *>(data);
  uint32_t crc = ~seed;
  for (; size >= 8; size -= 8, bytes += 8) {
    uint32_t low, high;
    std::memcpy(&low, bytes, 4);
    std::memcpy(&high, bytes + 4, 4);
    low ^= crc;
    crc = tables[7][low & 0xff] ^ tables[6][(low >> 8) & 0xff] ^
          tables[5][(low >> 16) & 0xff] ^ tables[4][low >> 24] ^
          tables[3][high & 0xff] ^ tables[2][(high >> 8) & 0xff] ^
          tables[1][(high >> 16) & 0xff] ^ tables[0][high >> 24];
  }
  for (; size > 0; --size, ++bytes)
    crc = (crc >> 8) ^ tables[0][(crc ^ *bytes) & 0xff];
  return ~crc;
}

uint32_t ingot::crc32c(uint32_t seed, const void *data, size_t size) {
  static detail::Crc32cImplementation::Sum *const method = chooseMethod();
  return method(seed, data, size);
}
