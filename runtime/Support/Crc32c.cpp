//===- Crc32c.cpp - The checksum of records, bundles and events -----------===//

#include "runtime/Support/Crc32c.h"

#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

using namespace ingot;

static_assert(std::endian::native == std::endian::little,
              "words are read as they lie in memory");

namespace {

// The polynomial 0x1edc6f41 with its bits reversed.
constexpr uint32_t polynomial = 0x82f63b78u;

using Tables = std::array<std::array<uint32_t, 256>, 8>;

// tables[k][b] is the effect of byte `b` followed by k zero bytes, so that
// eight bytes are folded in with eight independent look-ups.
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

#if defined(__x86_64__)
// The instruction takes three cycles but one can start in each, so that three
// stretches of this many bytes are summed side by side.
constexpr size_t stretch = 1024;

// What a checksum's register becomes when `stretch` zero bytes pass through it,
// as the sum of the effects of its four bytes. The register is linear in its
// bits, which makes this a table.
using ShiftTable = std::array<std::array<uint32_t, 256>, 4>;

constexpr ShiftTable makeShiftTable() {
  ShiftTable shift{};
  for (size_t byte = 0; byte < 4; ++byte)
    for (uint32_t bit = 0; bit < 8; ++bit) {
      uint32_t crc = uint32_t(1) << (8 * byte + bit);
      for (size_t i = 0; i < stretch; ++i)
        crc = (crc >> 8) ^ tables[0][crc & 0xff];
      for (uint32_t value = 0; value < 256; ++value)
        if (value >> bit & 1)
          shift[byte][value] ^= crc;
    }
  return shift;
}

constexpr ShiftTable shiftTable = makeShiftTable();

uint32_t shifted(uint64_t crc) {
  return shiftTable[0][crc & 0xff] ^ shiftTable[1][(crc >> 8) & 0xff] ^
         shiftTable[2][(crc >> 16) & 0xff] ^ shiftTable[3][(crc >> 24) & 0xff];
}

uint64_t wordAt(const unsigned char *bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, 8);
  return word;
}

__attribute__((target("sse4.2"))) uint32_t crc32cHardware(uint32_t seed,
                                                          const void *data,
                                                          size_t size) {
  const auto *bytes = static_cast<const unsigned char *>(data);
  uint64_t crc = ~seed;
  for (; size >= 3 * stretch; size -= 3 * stretch, bytes += 3 * stretch) {
    uint64_t second = 0, third = 0;
    for (size_t i = 0; i < stretch; i += 8) {
      crc = _mm_crc32_u64(crc, wordAt(bytes + i));
      second = _mm_crc32_u64(second, wordAt(bytes + stretch + i));
      third = _mm_crc32_u64(third, wordAt(bytes + 2 * stretch + i));
    }
    crc = shifted(shifted(crc) ^ second) ^ third;
  }
  for (; size >= 8; size -= 8, bytes += 8)
    crc = _mm_crc32_u64(crc, wordAt(bytes));
  auto narrow = static_cast<uint32_t>(crc);
  for (; size > 0; --size, ++bytes)
    narrow = _mm_crc32_u8(narrow, *bytes);
  return ~narrow;
}
#endif

using Implementation = uint32_t (*)(uint32_t, const void *, size_t);

Implementation chooseImplementation() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2"))
    return crc32cHardware;
#endif
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
  static const Implementation implementation = chooseImplementation();
  return implementation(seed, data, size);
}
