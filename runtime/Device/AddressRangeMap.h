//===- AddressRangeMap.h - State for each piece of memory -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Launches access ranges of addresses. The bounds of all ranges divide memory
// into pieces, and each launch accesses either all addresses of a piece or
// none. So a value per piece is as exact as a value per byte.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_ADDRESSRANGEMAP_H
#define INGOT_RUNTIME_DEVICE_ADDRESSRANGEMAP_H

#include "runtime/Device/HostLaunchDependences.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace ingot {

/// Divides memory into pieces at the bounds of all ranges that launches access,
/// and stores a value of type `Piece` for each piece. Values are
/// default-constructed at first.
template <typename Piece> class AddressRangeMap {
public:
  explicit AddressRangeMap(std::span<const LaunchWithDependences> launches) {
    for (const LaunchWithDependences &launch : launches)
      for (const LaunchMemoryAccess &memory : launch.memory) {
        borders.push_back(memory.begin);
        borders.push_back(memory.end);
      }
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    pieces.resize(borders.size());
  }

  /// Sets the value of every piece of memory to a default-constructed one.
  void reset() { pieces.assign(pieces.size(), Piece()); }

  /// Calls `function` with the value and the size in bytes of each piece in
  /// `memory`, which one of the launches accesses.
  template <typename Function>
  void forEach(const LaunchMemoryAccess &memory, Function function) {
    size_t i = std::lower_bound(borders.begin(), borders.end(), memory.begin) -
               borders.begin();
    for (; i < borders.size() && borders[i] < memory.end; ++i)
      function(pieces[i], borders[i + 1] - borders[i]);
  }

private:
  std::vector<uintptr_t> borders;
  std::vector<Piece> pieces; // pieces[i]: borders[i] to borders[i + 1]
};

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_ADDRESSRANGEMAP_H
