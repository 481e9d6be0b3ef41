//===- MemoryRequest.h - What a warp asks memory for at once ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Counts what a request costs, by the rules of the CUDA C++ Programming Guide
// ("Global Memory" and "Shared Memory" of compute capability 5.x and later) and
// in the units of Nsight Compute.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TEST_EMULATOR_MEMORYREQUEST_H
#define INGOT_TEST_EMULATOR_MEMORYREQUEST_H

#include <array>
#include <cstdint>

namespace ingot::emulator {

/// The accesses of one instruction by the lanes of `lanes`, a mask; the others'
/// addresses and sizes mean nothing.
struct MemoryRequest {
  uint32_t lanes = 0;
  bool isAtomic = false;
  std::array<uint64_t, 32> addresses;
  std::array<uint32_t, 32> bytes;

  bool has(unsigned lane) const { return lanes >> lane & 1; }
  void add(unsigned lane, uint64_t address, uint32_t size) {
    lanes |= 1u << lane;
    addresses[lane] = address;
    bytes[lane] = size;
  }
};

/// What a request of global memory transfers.
struct SectorCount {
  /// The sectors, of 32 bytes, that it touches, and the least number that could
  /// hold its bytes.
  uint64_t sectors = 0, ideal = 0;
  uint64_t bytes = 0; // those that several lanes access count once
};

/// What a request of shared memory takes: each wavefront reaches one word of
/// four bytes in each of the 32 banks.
struct WavefrontCount {
  /// `ideal`: without bank conflicts.
  uint64_t wavefronts = 0, ideal = 0;
  uint64_t bytes = 0;
};

SectorCount countSectors(const MemoryRequest &request);

/// Accesses of 8 bytes are served by half warps, of 16 bytes by quarter warps.
/// Lanes that access the same word share it, except where they update it.
WavefrontCount countWavefronts(const MemoryRequest &request);

} // namespace ingot::emulator

#endif // INGOT_TEST_EMULATOR_MEMORYREQUEST_H
