//===- Occupancy.h - How many blocks run at once ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TEST_EMULATOR_OCCUPANCY_H
#define INGOT_TEST_EMULATOR_OCCUPANCY_H

#include <cstdint>
#include <optional>

namespace ingot::emulator {

/// What one block of a kernel takes of a multiprocessor.
struct BlockNeeds {
  uint32_t threads = 0;
  uint32_t registers = 0;   // per thread
  uint32_t sharedBytes = 0; // static and dynamic
};

/// The theoretical occupancy: blocks and warps that a multiprocessor runs at
/// once, and the resource that allows no more of them.
struct Occupancy {
  uint32_t blocks = 0, warps = 0, mostWarps = 0;
  const char *limit = "";

  double share() const { return double(warps) / mostWarps; }
};

/// For a GPU of this compute capability (80: 8.0); std::nullopt if it is not
/// known. No blocks if a single one does not fit.
std::optional<Occupancy> occupancyOf(int capability, const BlockNeeds &needs);

/// The maximum number of registers per thread of a block of `threads` threads.
uint32_t mostRegisters(uint32_t threads);

} // namespace ingot::emulator

#endif // INGOT_TEST_EMULATOR_OCCUPANCY_H
