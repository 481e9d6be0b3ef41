//===- Costs.h - What kernels ask of a GPU's memory -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Counts, for kernels compiled with --costs, what Nsight Compute counts on a
// GPU: requests, sectors and wavefronts. They are no times.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TEST_EMULATOR_COSTS_H
#define INGOT_TEST_EMULATOR_COSTS_H

#include "test/Emulator/Emulator.h"
#include "test/Emulator/MemoryRequest.h"

#include <map>
#include <string>

namespace ingot::emulator {

/// An instruction that accesses memory, as codegen/Emulate/CountCosts.cpp lays
/// it out: its address identifies it. `lanes`: how many lanes' addresses count.
struct Site {
  const char *text;
  uint32_t kind;
  uint32_t lanes;
};

/// Sums over requests of global and of shared memory.
struct GlobalCosts {
  uint64_t requests = 0;
  SectorCount count;

  void add(const SectorCount &one, uint64_t times = 1);
  double sectorsPerRequest() const;
  /// Ideal sectors by sectors; 1 without requests.
  double efficiency() const;
};
struct SharedCosts {
  uint64_t requests = 0;
  WavefrontCount count;

  void add(const WavefrontCount &one, uint64_t times = 1);
  double wavefrontsPerRequest() const;
  /// Wavefronts by those without bank conflicts; 1 without requests.
  double conflicts() const;
};

struct SiteCosts {
  GlobalCosts global;
  SharedCosts shared;
};

/// All launches of one kernel.
struct KernelCosts {
  uint64_t launches = 0, blocks = 0, barriers = 0;
  /// The largest of all launches.
  uint32_t threads = 0, dynamicBytes = 0;
  KernelResources resources;
  /// By Access: reads, writes, atomics.
  GlobalCosts global[3];
  SharedCosts shared[3];
  /// Bulk copies, whose requests no warp makes.
  uint64_t bulkCopies = 0;
  SectorCount bulk;
  std::map<std::string, SiteCosts> sites;
};

/// The costs of all launches so far, by the kernel's name.
const std::map<std::string, KernelCosts> &allCosts();
void forgetCosts();

} // namespace ingot::emulator

#endif // INGOT_TEST_EMULATOR_COSTS_H
