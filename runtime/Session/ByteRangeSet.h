//===- ByteRangeSet.h - A set of byte ranges in memory ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_BYTERANGESET_H
#define INGOT_RUNTIME_SESSION_BYTERANGESET_H

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

namespace ingot {

/// A range of byte offsets, [begin, end), in a block of memory.
struct ByteRange {
  uint64_t begin, end;
  bool operator==(const ByteRange &) const = default;
};

/// A set of byte offsets, stored as maximal disjoint ranges.
class ByteRangeSet {
public:
  void add(ByteRange range) {
    if (range.begin >= range.end)
      return;
    // Removes the ranges that overlap or touch `range`, and extends `range`
    // over them.
    auto next = ranges.upper_bound(range.begin);
    if (next != ranges.begin() && std::prev(next)->second >= range.begin)
      --next;
    while (next != ranges.end() && next->first <= range.end) {
      range.begin = std::min(range.begin, next->first);
      range.end = std::max(range.end, next->second);
      next = ranges.erase(next);
    }
    ranges[range.begin] = range.end;
  }

  void remove(ByteRange range) {
    for (ByteRange part : within(range)) {
      auto whole = std::prev(ranges.upper_bound(part.begin));
      auto [begin, end] = *whole;
      ranges.erase(whole);
      if (begin < part.begin)
        ranges[begin] = part.begin;
      if (part.end < end)
        ranges[part.end] = end;
    }
  }

  /// Returns the intersections of `range` with the ranges of the set.
  std::vector<ByteRange> within(ByteRange range) const {
    std::vector<ByteRange> parts;
    auto next = ranges.upper_bound(range.begin);
    if (next != ranges.begin())
      --next;
    for (; next != ranges.end() && next->first < range.end; ++next) {
      uint64_t begin = std::max(next->first, range.begin),
               end = std::min(next->second, range.end);
      if (begin < end)
        parts.push_back({begin, end});
    }
    return parts;
  }

  bool overlaps(ByteRange range) const { return !within(range).empty(); }

  /// Returns true if all of `range` is in the set.
  bool covers(ByteRange range) const {
    std::vector<ByteRange> parts = within(range);
    return parts.size() == 1 && parts.front() == range;
  }

  void clear() { ranges.clear(); }

private:
  std::map<uint64_t, uint64_t> ranges; // maps begin to end; ranges do not touch
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_BYTERANGESET_H
