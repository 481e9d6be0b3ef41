//===- Hash.cpp - FarmHash, SipHash and MurmurHash ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/Hash.h"

#include <bit>
#include <cstring>
#include <utility>

namespace ingot::ops {

static uint64_t load64(const char *at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

static uint64_t load32(const char *at) {
  uint32_t word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

//===----------------------------------------------------------------------===//
// FarmHash
//===----------------------------------------------------------------------===//

static constexpr uint64_t k0 = 0xc3a5c85c97cb3127, k1 = 0xb492b66fbe98f273,
                          k2 = 0x9ae16a3b2f90404f;

static uint64_t shiftMix(uint64_t value) { return value ^ (value >> 47); }

static uint64_t mix16(uint64_t u, uint64_t v, uint64_t factor) {
  uint64_t a = shiftMix((u ^ v) * factor);
  return shiftMix((v ^ a) * factor) * factor;
}

static uint64_t farmUpTo16(const char *s, size_t size) {
  uint64_t factor = k2 + size * 2;
  if (size >= 8) {
    uint64_t a = load64(s) + k2, b = load64(s + size - 8);
    return mix16(std::rotr(b, 37) * factor + a, (std::rotr(a, 25) + b) * factor,
                 factor);
  }
  if (size >= 4)
    return mix16(size + (load32(s) << 3), load32(s + size - 4), factor);
  if (size == 0)
    return k2;
  auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  uint32_t y = byte(0) + (uint32_t(byte(size >> 1)) << 8);
  uint32_t z = static_cast<uint32_t>(size) + (uint32_t(byte(size - 1)) << 2);
  return shiftMix(y * k2 ^ z * k0) * k2;
}

static uint64_t farmUpTo32(const char *s, size_t size) {
  uint64_t factor = k2 + size * 2;
  uint64_t a = load64(s) * k1, b = load64(s + 8),
           c = load64(s + size - 8) * factor, d = load64(s + size - 16) * k2;
  return mix16(std::rotr(a + b, 43) + std::rotr(c, 30) + d,
               a + std::rotr(b + k2, 18) + c, factor);
}

static uint64_t farmUpTo64(const char *s, size_t size) {
  uint64_t factor = k2 + size * 2;
  uint64_t a = load64(s) * k2, b = load64(s + 8),
           c = load64(s + size - 8) * factor, d = load64(s + size - 16) * k2;
  uint64_t y = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
  uint64_t z = mix16(y, a + std::rotr(b + k2, 18) + c, factor);
  uint64_t e = load64(s + 16) * factor, f = load64(s + 24),
           g = (y + load64(s + size - 32)) * factor,
           h = (z + load64(s + size - 24)) * factor;
  return mix16(std::rotr(e + f, 43) + std::rotr(g, 30) + h,
               e + std::rotr(f + a, 18) + g, factor);
}

namespace {
struct FarmHashUint64Pair {
  uint64_t first = 0, second = 0;
};
} // namespace

static FarmHashUint64Pair weakHash32(const char *s, uint64_t a, uint64_t b) {
  uint64_t w = load64(s), x = load64(s + 8), y = load64(s + 16),
           z = load64(s + 24);
  a += w;
  b = std::rotr(b + a + z, 21);
  uint64_t c = a;
  a += x + y;
  b += std::rotr(a, 44);
  return {a + z, b + c};
}

uint64_t farmFingerprint64(std::string_view text) {
  const char *s = text.data();
  size_t size = text.size();
  if (size <= 16)
    return farmUpTo16(s, size);
  if (size <= 32)
    return farmUpTo32(s, size);
  if (size <= 64)
    return farmUpTo64(s, size);
  constexpr uint64_t seed = 81;
  uint64_t x = seed * k2 + load64(s), y = seed * k1 + 113,
           z = shiftMix(y * k2 + 113) * k2;
  FarmHashUint64Pair v, w;
  const char *end = s + (size - 1) / 64 * 64, *last = s + size - 64;
  auto round = [&](uint64_t factor, uint64_t nine) {
    x = std::rotr(x + y + v.first + load64(s + 8), 37) * factor;
    y = std::rotr(y + v.second + load64(s + 48), 42) * factor;
    x ^= w.second * nine;
    y += v.first * nine + load64(s + 40);
    z = std::rotr(z + w.first, 33) * factor;
    v = weakHash32(s, v.second * factor, x + w.first);
    w = weakHash32(s + 32, z + w.second, y + load64(s + 16));
    std::swap(z, x);
  };
  for (; s != end; s += 64)
    round(k1, 1);
  uint64_t factor = k1 + ((z & 0xff) << 1);
  s = last;
  w.first += (size - 1) & 63;
  v.first += w.first;
  w.first += v.first;
  round(factor, 9);
  return mix16(mix16(v.first, w.first, factor) + shiftMix(y) * k0 + z,
               mix16(v.second, w.second, factor) + x, factor);
}

//===----------------------------------------------------------------------===//
// SipHash
//===----------------------------------------------------------------------===//

uint64_t sipHash(std::string_view text, uint64_t key0, uint64_t key1) {
  uint64_t a = key0 ^ 0x736f6d6570736575, b = key1 ^ 0x646f72616e646f6d,
           c = key0 ^ 0x6c7967656e657261, d = key1 ^ 0x7465646279746573;
  auto rounds = [&](int count) {
    for (int i = 0; i < count; ++i) {
      a += b;
      c += d;
      b = std::rotl(b, 13) ^ a;
      d = std::rotl(d, 16) ^ c;
      a = std::rotl(a, 32);
      c += b;
      a += d;
      b = std::rotl(b, 17) ^ c;
      d = std::rotl(d, 21) ^ a;
      c = std::rotl(c, 32);
    }
  };
  auto add = [&](uint64_t word) {
    d ^= word;
    rounds(2);
    a ^= word;
  };
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8)
    add(load64(text.data() + at));
  uint64_t last = uint64_t(text.size()) << 56;
  for (size_t i = 0; at + i < text.size(); ++i)
    last |= uint64_t(static_cast<unsigned char>(text[at + i])) << (8 * i);
  add(last);
  c ^= 0xff;
  rounds(4);
  return a ^ b ^ c ^ d;
}

//===----------------------------------------------------------------------===//
// MurmurHash
//===----------------------------------------------------------------------===//

uint64_t murmurHash64(std::string_view text) {
  constexpr uint64_t factor = 0xc6a4a7935bd1e995, seed = 0xDECAFCAFFE;
  uint64_t hash = seed ^ (text.size() * factor);
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    uint64_t word = load64(text.data() + at) * factor;
    hash = (hash ^ ((word ^ (word >> 47)) * factor)) * factor;
  }
  if (at < text.size()) {
    for (size_t i = 0; at + i < text.size(); ++i)
      hash ^= uint64_t(static_cast<unsigned char>(text[at + i])) << (8 * i);
    hash *= factor;
  }
  hash = shiftMix(hash) * factor;
  return shiftMix(hash);
}

} // namespace ingot::ops
