//===- IndexHashSet.h - A hash set of element indices -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_OPS_INDEXHASHSET_H
#define INGOT_RUNTIME_OPS_INDEXHASHSET_H

#include "runtime/Ops/ElementTypeDispatch.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ingot::ops {

inline uint64_t mixBits(uint64_t bits) {
  bits = (bits ^ (bits >> 32)) * 0x9e3779b97f4a7c15u;
  return bits ^ (bits >> 29);
}

/// Returns a hash of an element. Equal elements have equal hashes, even 0 and
/// -0.
template <typename T> uint64_t hashElement(const T &element) {
  if constexpr (std::is_same_v<T, ingot_string>) {
    return std::hash<std::string_view>()({element.data, element.size});
  } else if constexpr (std::is_integral_v<T>) {
    return mixBits(static_cast<uint64_t>(element));
  } else {
    double value = static_cast<double>(element);
    return mixBits(std::bit_cast<uint64_t>(value == 0 ? 0.0 : value));
  }
}

/// A hash set of indices 0, 1, ..., each of which identifies an element that
/// the caller stores, hashes and compares. Open addressing with linear probing;
/// the number of slots is a power of two.
class IndexHashSet {
public:
  /// Creates a set for up to `capacity` indices.
  explicit IndexHashSet(size_t capacity)
      : places(std::bit_ceil(2 * capacity + 1), -1) {}

  /// Looks up an element, whose hash is `hash`. `isEqual(index)` returns
  /// whether the element equals the element of `index`. Returns the index in
  /// the set whose element is equal. If there is no such index, adds `next` to
  /// the set, unless `next` is negative, and returns `next`.
  template <typename EqualT>
  int64_t find(uint64_t hash, int64_t next, EqualT isEqual) {
    size_t mask = places.size() - 1;
    for (size_t at = hash & mask;; at = (at + 1) & mask) {
      if (places[at] < 0) {
        if (next >= 0)
          places[at] = next;
        return next;
      }
      if (isEqual(places[at]))
        return places[at];
    }
  }

private:
  std::vector<int64_t> places;
};

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_INDEXHASHSET_H
