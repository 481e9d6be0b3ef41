//===- Random.h - TensorFlow's random numbers for shuffling -----*- C++ -*-===//
//
// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011), keyed and counted as TensorFlow's PhiloxRandom, one 32-bit sample
// at a time.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_RANDOM_H
#define INGOT_RUNTIME_INPUT_RANDOM_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace ingot::input {

/// The stream of samples for a pair of seeds, as a shuffle draws them.
class SampleStream {
public:
  /// Begins after the first `position` samples.
  SampleStream(uint64_t seed, uint64_t seed2, uint64_t position = 0)
      : key{low(seed), high(seed)},
        counter{low(position / 4), high(position / 4), low(seed2),
                high(seed2)} {
    for (uint64_t i = 0; i < position % 4; ++i)
      next();
  }

  uint32_t next() {
    if (used == results.size()) {
      results = block();
      used = 0;
      // The 128-bit counter wraps into its upper half, where the seed is.
      for (uint32_t &word : counter)
        if (++word != 0)
          break;
    }
    return results[used++];
  }

private:
  using Words = std::array<uint32_t, 4>;

  static uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
  static uint32_t high(uint64_t value) {
    return static_cast<uint32_t>(value >> 32);
  }

  /// Ten rounds over the counter.
  Words block() const {
    Words x = counter;
    uint32_t key0 = key[0], key1 = key[1];
    for (int round = 0; round < 10; ++round) {
      uint64_t product0 = uint64_t(0xD2511F53) * x[0];
      uint64_t product1 = uint64_t(0xCD9E8D57) * x[2];
      x = {high(product1) ^ x[1] ^ key0, low(product1),
           high(product0) ^ x[3] ^ key1, low(product0)};
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    return x;
  }

  std::array<uint32_t, 2> key;
  Words counter;
  Words results{};
  size_t used = 4;
};

/// Where a shuffle gets the seeds of each pass from: a stream of its own when
/// it reshuffles each iteration, else the same pair again.
class SeedSource {
public:
  SeedSource(uint64_t seed, uint64_t seed2, bool reshuffle)
      : seed(seed), seed2(seed2), reshuffle(reshuffle), stream(seed, seed2) {}

  std::array<uint64_t, 2> next() {
    if (!reshuffle)
      return {seed, seed2};
    uint64_t first = stream.next();
    numDrawn += 2;
    return {first, stream.next()};
  }

  uint64_t drawn() const { return numDrawn; }
  /// Goes to where drawn() was `count`.
  void seek(uint64_t count) {
    stream = SampleStream(seed, seed2, count);
    numDrawn = count;
  }

private:
  uint64_t seed;
  uint64_t seed2;
  bool reshuffle;
  SampleStream stream;
  uint64_t numDrawn = 0;
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_RANDOM_H
