//===- Random.h - TensorFlow's random numbers for shuffling -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_RANDOM_H
#define INGOT_RUNTIME_INPUT_RANDOM_H

#include "runtime/Support/Philox.h"

namespace ingot::input {

/// The stream of random samples for a pair of seeds, as TensorFlow's shuffle
/// draws them.
class RandomSampleStream : public PhiloxSamples {
public:
  /// Creates the stream at sample `position`.
  RandomSampleStream(uint64_t seed, uint64_t seed2, uint64_t position = 0)
      : PhiloxSamples(Philox(seed, position / 4, seed2)) {
    for (uint64_t i = 0; i < position % 4; ++i)
      next();
  }
};

/// The source of a shuffle's seeds for each pass. If the shuffle reshuffles
/// each iteration, the seeds of each pass come from a random stream. Otherwise
/// each pass has the same pair of seeds.
class SeedGenerator {
public:
  SeedGenerator(uint64_t seed, uint64_t seed2, bool reshuffle)
      : seed(seed), seed2(seed2), reshuffle(reshuffle), stream(seed, seed2) {}

  std::array<uint64_t, 2> next() {
    if (!reshuffle)
      return {seed, seed2};
    uint64_t first = stream.next();
    numDrawn += 2;
    return {first, stream.next()};
  }

  uint64_t drawn() const { return numDrawn; }
  /// Moves to the position after `count` samples, at which drawn() returns
  /// `count`.
  void seek(uint64_t count) {
    stream = RandomSampleStream(seed, seed2, count);
    numDrawn = count;
  }

private:
  uint64_t seed;
  uint64_t seed2;
  bool reshuffle;
  RandomSampleStream stream;
  uint64_t numDrawn = 0;
};

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_RANDOM_H
