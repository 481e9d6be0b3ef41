//===- Occupancy.cpp - How many blocks run at once ------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Limits are those of the CUDA C++ Programming Guide, "Technical Specifications
// per Compute Capability"; the rules by which resources are allocated are those
// of the CUDA toolkit's cuda_occupancy.h.
//
//===----------------------------------------------------------------------===//

#include "test/Emulator/Occupancy.h"

#include <algorithm>
#include <iterator>

namespace ingot::emulator {

namespace {

/// The limits of a multiprocessor that differ between GPUs.
struct Multiprocessor {
  int capability;
  uint32_t blocks, warps;
  uint32_t sharedKiB, blockSharedKiB;
};

} // namespace

static constexpr Multiprocessor multiprocessors[] = {
    {80, 32, 64, 164, 163},  {86, 16, 48, 100, 99},  {87, 16, 48, 164, 163},
    {89, 24, 48, 100, 99},   {90, 32, 64, 228, 227}, {100, 32, 64, 228, 227},
    {103, 32, 64, 228, 227}, {120, 24, 48, 100, 99},
};

/// Alike on all of these GPUs. A multiprocessor has four partitions, each with
/// a quarter of the registers; those of a warp lie in one partition and are
/// allocated in units of 256. Since compute capability 8.0, a KiB of shared
/// memory of each block is the system's.
static constexpr uint32_t warpThreads = 32, partitions = 4,
                          registersInAll = 65536, registerUnit = 256,
                          mostOfThread = 255, sharedUnit = 128,
                          systemBytes = 1024;

static uint32_t roundUp(uint32_t number, uint32_t unit) {
  return (number + unit - 1) / unit * unit;
}

uint32_t mostRegisters(uint32_t threads) {
  // A launch is refused unless all partitions hold as many warps as the
  // fullest.
  uint32_t warps =
      roundUp((threads + warpThreads - 1) / warpThreads, partitions);
  uint32_t ofWarp = registersInAll / std::max(warps, partitions);
  return std::min(mostOfThread,
                  ofWarp / registerUnit * registerUnit / warpThreads);
}

std::optional<Occupancy> occupancyOf(int capability, const BlockNeeds &needs) {
  const auto *found = std::find_if(
      std::begin(multiprocessors), std::end(multiprocessors),
      [&](const auto &other) { return other.capability == capability; });
  if (found == std::end(multiprocessors))
    return std::nullopt;
  Occupancy occupancy;
  occupancy.mostWarps = found->warps;
  uint32_t warps = (needs.threads + warpThreads - 1) / warpThreads;
  if (warps == 0 || needs.registers > mostRegisters(needs.threads) ||
      needs.sharedBytes > found->blockSharedKiB * 1024)
    return occupancy;
  occupancy.blocks = found->blocks;
  occupancy.limit = "blocks";
  auto limit = [&](uint32_t blocks, const char *name) {
    if (blocks >= occupancy.blocks)
      return;
    occupancy.blocks = blocks;
    occupancy.limit = name;
  };
  limit(found->warps / warps, "warps");
  if (needs.registers != 0) {
    uint32_t ofWarp = roundUp(needs.registers * warpThreads, registerUnit);
    limit(registersInAll / partitions / ofWarp * partitions / warps,
          "registers");
  }
  limit(found->sharedKiB * 1024 /
            roundUp(needs.sharedBytes + systemBytes, sharedUnit),
        "shared memory");
  occupancy.warps = occupancy.blocks * warps;
  return occupancy;
}

} // namespace ingot::emulator
