//===- DeviceLaunchDependences.cpp - Dependences of GPU launches ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Device/DeviceLaunchDependences.h"

namespace ingot {

/// Returns true if launches `a` and `b` access common memory that one of them
/// writes. Launches without blocks access nothing.
static bool conflict(const DeviceLaunch &a, const DeviceLaunch &b) {
  if (a.blocks == 0 || b.blocks == 0)
    return false;
  for (const AccessedDeviceRange &x : a.memory)
    for (const AccessedDeviceRange &y : b.memory)
      if ((x.isWritten || y.isWritten) && x.begin < y.end && y.begin < x.end)
        return true;
  return false;
}

std::vector<std::vector<size_t>>
orderOf(std::span<const DeviceLaunch> launches) {
  std::vector<std::vector<size_t>> before(launches.size());
  std::vector<std::vector<bool>> isBehind(launches.size());
  for (size_t i = 0; i < launches.size(); ++i) {
    isBehind[i].resize(launches.size());
    for (size_t j = i; j-- > 0;) {
      if (isBehind[i][j] || !conflict(launches[i], launches[j]))
        continue;
      before[i].push_back(j);
      isBehind[i][j] = true;
      for (size_t k = 0; k < j; ++k)
        if (isBehind[j][k])
          isBehind[i][k] = true;
    }
  }
  return before;
}

} // namespace ingot
