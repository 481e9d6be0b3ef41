//===- Philox.h - Counter-based random numbers ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Philox 4x32-10, a counter-based random number generator (Salmon et al.,
// "Parallel random numbers: as easy as 1, 2, 3", SC 2011), with the key and
// counter layout of TensorFlow's PhiloxRandom.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SUPPORT_PHILOX_H
#define INGOT_RUNTIME_SUPPORT_PHILOX_H

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace ingot {

/// Generates blocks of four 32-bit numbers for a key, starting at a 128-bit
/// counter. A block depends on the key and the counter only. So any thread can
/// compute any part of a sequence by itself, and skip() is an addition.
class Philox {
public:
  using Block = std::array<uint32_t, 4>;

  Philox(uint64_t key, uint64_t low, uint64_t high)
      : key(key), low(low), high(high) {}

  /// Skips `blocks` blocks.
  void skip(uint64_t blocks) {
    low += blocks;
    high += low < blocks;
  }

  Block next() {
    auto lower = [](uint64_t x) { return static_cast<uint32_t>(x); };
    auto upper = [](uint64_t x) { return static_cast<uint32_t>(x >> 32); };
    Block x = {lower(low), upper(low), lower(high), upper(high)};
    uint32_t key0 = lower(key), key1 = upper(key);
    // The multipliers and the Weyl constants (golden ratio, sqrt(3) - 1) are
    // the paper's.
    for (int round = 0; round < 10; ++round) {
      uint64_t product0 = uint64_t(0xD2511F53) * x[0];
      uint64_t product1 = uint64_t(0xCD9E8D57) * x[2];
      x = {upper(product1) ^ x[1] ^ key0, lower(product1),
           upper(product0) ^ x[3] ^ key1, lower(product0)};
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    skip(1);
    return x;
  }

private:
  uint64_t key, low, high;
};

/// Returns the numbers of a Philox generator one at a time.
class PhiloxSamples {
public:
  explicit PhiloxSamples(Philox generator) : generator(generator) {}

  uint32_t next() {
    if (used == results.size()) {
      results = generator.next();
      used = 0;
    }
    return results[used++];
  }

private:
  Philox generator;
  Philox::Block results{};
  size_t used = 4;
};

/// Returns a float in [0, 1) from the low 23 bits: they become the mantissa of
/// a number in [1, 2), from which 1 is subtracted, as in TensorFlow's
/// Uint32ToFloat.
inline float uniformFloat(uint32_t bits) {
  return std::bit_cast<float>((bits & 0x7FFFFF) | (127u << 23)) - 1.0f;
}

/// Returns a double in [0, 1) from 52 bits: the low 20 bits of `upper`, then
/// `lower`.
inline double uniformDouble(uint32_t upper, uint32_t lower) {
  uint64_t mantissa = uint64_t(upper & 0xFFFFF) << 32 | lower;
  return std::bit_cast<double>(mantissa | uint64_t(1023) << 52) - 1.0;
}

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_PHILOX_H
