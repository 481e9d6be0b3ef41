//===- Crc32cX86.cpp - CRC-32C with x86-64 instructions -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/Crc32c.h"

#if defined(__x86_64__)

#include <array>
#include <cstring>
#include <immintrin.h>

using namespace ingot;

namespace {

// CRC-32C's polynomial 0x1edc6f41 with reversed bits.
constexpr uint32_t polynomial = 0x82f63b78u;

/// Returns the value of a CRC register that had the value `crc` before one zero
/// bit: the polynomial `crc` times x, modulo CRC-32C's polynomial.
constexpr uint32_t timesX(uint32_t crc) {
  return (crc >> 1) ^ ((crc & 1) ? polynomial : 0);
}

//===----------------------------------------------------------------------===//
// The crc32 instruction
//===----------------------------------------------------------------------===//

// The crc32 instruction has a latency of three cycles, but one can start in
// each cycle. So the checksums of three successive blocks of `stretch` bytes
// are computed at the same time and then combined.
constexpr size_t stretch = 1024;

// Tables to compute the register after `stretch` zero bytes. CRC is linear over
// GF(2) in the register's bits, so the result is the sum (xor) of one look-up
// for each of the register's four bytes.
using ShiftTable = std::array<std::array<uint32_t, 256>, 4>;

constexpr ShiftTable makeShiftTable() {
  ShiftTable shift{};
  // ofBit[i] is the value after `stretch` zero bytes of a register in which
  // only bit i was set. Bits are reversed (bit 31 is x^0), so ofBit[i - 1] is
  // ofBit[i] times x.
  std::array<uint32_t, 32> ofBit{};
  uint32_t crc = 0x80000000u;
  for (size_t i = 0; i < 8 * stretch; ++i)
    crc = timesX(crc);
  for (size_t bit = 32; bit-- > 0; crc = timesX(crc))
    ofBit[bit] = crc;
  for (size_t byte = 0; byte < 4; ++byte)
    for (size_t bit = 0; bit < 8; ++bit)
      for (uint32_t value = 0; value < 256; ++value)
        if (value >> bit & 1)
          shift[byte][value] ^= ofBit[8 * byte + bit];
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

bool hasInstruction() { return __builtin_cpu_supports("sse4.2"); }

__attribute__((target("sse4.2"))) uint32_t sumByInstruction(uint32_t seed,
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

//===----------------------------------------------------------------------===//
// Carry-less products of whole vectors
//===----------------------------------------------------------------------===//
// V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using
// PCLMULQDQ Instruction", Intel 2009. Folding: 128 bits are moved ahead by D
// bits when their two halves are multiplied with x^(D+32) and x^(D-32), modulo
// the polynomial. Here four vectors, each of four lanes of 128 bits, are folded
// at the same time.

#define INGOT_FOLDING                                                          \
  __attribute__((target("sse4.2,pclmul,avx512f,vpclmulqdq")))

struct CrcFoldConstants {
  uint64_t low, high;
};

constexpr CrcFoldConstants foldFactors(unsigned distance) {
  uint32_t power = 0x80000000u;
  for (unsigned i = 0; i < distance - 32; ++i)
    power = timesX(power);
  uint64_t high = uint64_t(power) << 1;
  for (unsigned i = 0; i < 64; ++i)
    power = timesX(power);
  return {uint64_t(power) << 1, high};
}

template <unsigned distance> struct Fold {
  static constexpr CrcFoldConstants factors = foldFactors(distance);

  /// Folds `from` into `next`, the bytes that come `distance` bits later: moves
  /// each lane of `from` ahead by this distance and adds (xor) `next`. If the
  /// result replaces `from` and `next`, the checksum stays the same.
  INGOT_FOLDING static __m512i apply(__m512i from, __m512i next) {
    __m512i by = _mm512_set4_epi64(static_cast<long long>(factors.high),
                                   static_cast<long long>(factors.low),
                                   static_cast<long long>(factors.high),
                                   static_cast<long long>(factors.low));
    return _mm512_ternarylogic_epi64(_mm512_clmulepi64_epi128(from, by, 0x00),
                                     _mm512_clmulepi64_epi128(from, by, 0x11),
                                     next, 0x96);
  }

  INGOT_FOLDING static __m128i apply(__m128i from, __m128i next) {
    __m128i by = _mm_set_epi64x(static_cast<long long>(factors.high),
                                static_cast<long long>(factors.low));
    return _mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128(from, by, 0x00),
                                       _mm_clmulepi64_si128(from, by, 0x11)),
                         next);
  }
};

bool hasFolding() {
  return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul") &&
         __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("vpclmulqdq");
}

INGOT_FOLDING uint32_t sumByFolding(uint32_t seed, const void *data,
                                    size_t size) {
  constexpr size_t vector = 64, block = 4 * vector;
  if (size < 2 * block)
    return sumByInstruction(seed, data, size);
  const auto *bytes = static_cast<const unsigned char *>(data);
  // CRC starts with the register ~seed. This equals starting with 0 after
  // adding (xor) ~seed to the first four bytes.
  __m512i sums[4];
  for (size_t i = 0; i < 4; ++i)
    sums[i] = _mm512_loadu_si512(bytes + i * vector);
  sums[0] = _mm512_xor_si512(sums[0], _mm512_zextsi128_si512(_mm_cvtsi32_si128(
                                          static_cast<int>(~seed))));
  for (bytes += block, size -= block; size >= block;
       bytes += block, size -= block)
    for (size_t i = 0; i < 4; ++i)
      sums[i] = Fold<8 * block>::apply(sums[i],
                                       _mm512_loadu_si512(bytes + i * vector));
  __m512i sum = Fold<8 * vector>::apply(sums[0], sums[1]);
  sum = Fold<8 * vector>::apply(sum, sums[2]);
  sum = Fold<8 * vector>::apply(sum, sums[3]);
  alignas(vector) __m128i lanes[4];
  _mm512_store_si512(lanes, sum);
  __m128i lane = lanes[0];
  for (size_t i = 1; i < 4; ++i)
    lane = Fold<128>::apply(lane, lanes[i]);
  // The 16 bytes of `lane` now have the same checksum as all bytes that were
  // folded into it. Compute it with the crc32 instruction.
  uint64_t crc =
      _mm_crc32_u64(0, static_cast<uint64_t>(_mm_cvtsi128_si64(lane)));
  crc = _mm_crc32_u64(crc, static_cast<uint64_t>(_mm_extract_epi64(lane, 1)));
  return sumByInstruction(~static_cast<uint32_t>(crc), bytes, size);
}

constexpr detail::Crc32cImplementation methods[] = {
    {hasFolding, sumByFolding}, {hasInstruction, sumByInstruction}};

} // namespace

std::span<const detail::Crc32cImplementation> detail::crc32cImplementations() {
  return methods;
}

#else

std::span<const ingot::detail::Crc32cImplementation>
ingot::detail::crc32cImplementations() {
  return {};
}

#endif
