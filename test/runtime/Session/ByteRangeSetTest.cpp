//===- ByteRangeSetTest.cpp - Ranges of a set against its offsets ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/ByteRangeSet.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

using namespace ingot;

namespace {

constexpr uint64_t size = 40;

/// Computes the same as the tested function, offset by offset.
std::vector<ByteRange> partsOf(const std::vector<bool> &has, ByteRange range) {
  std::vector<ByteRange> parts;
  for (uint64_t at = range.begin; at < range.end; ++at) {
    if (!has[at])
      continue;
    if (!parts.empty() && parts.back().end == at)
      ++parts.back().end;
    else
      parts.push_back({at, at + 1});
  }
  return parts;
}

TEST(ByteRangeSet, HasWhatWasAddedAndNotRemoved) {
  std::mt19937 random(20251122);
  for (int round = 0; round < 200; ++round) {
    ByteRangeSet set;
    std::vector<bool> has(size);
    for (int change = 0; change < 20; ++change) {
      uint64_t a = random() % (size + 1), b = random() % (size + 1);
      ByteRange range = {std::min(a, b), std::max(a, b)};
      bool isAdded = random() % 3 != 0;
      isAdded ? set.add(range) : set.remove(range);
      for (uint64_t at = range.begin; at < range.end; ++at)
        has[at] = isAdded;
      uint64_t c = random() % size, d = random() % size + 1;
      ByteRange asked = {std::min(c, d), std::max(c, d)};
      std::vector<ByteRange> parts = partsOf(has, asked);
      ASSERT_EQ(set.within(asked), parts);
      ASSERT_EQ(set.overlaps(asked), !parts.empty());
      ASSERT_EQ(set.covers(asked), parts == std::vector<ByteRange>{asked});
    }
  }
}

} // namespace
