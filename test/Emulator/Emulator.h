//===- Emulator.h - Runs emulated kernels, block by block -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Implements the calls into which codegen/Emulate turns llvm.nvvm: threads of a
// block are fibres of one host thread, which switch at barriers and where lanes
// of a warp synchronize; blocks run one after the other or, if the launch asks
// for it, interleaved. Faults of a kernel end its launch with a message.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TEST_EMULATOR_EMULATOR_H
#define INGOT_TEST_EMULATOR_EMULATOR_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace ingot::emulator {

/// An emulated kernel; `parameters` has the address of each parameter.
using Kernel = void (*)(void **parameters);

struct Shape {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// What a block of a kernel occupies besides dynamic shared memory, as
/// codegen/Emulate/DescribeResources.cpp lays it out.
struct KernelResources {
  uint32_t registers = 0;     // per thread, by ptxas; 0: not known
  uint32_t mostRegisters = 0; // .maxnreg; 0: none
  uint32_t threads = 0;       // .reqntid; 0: any
  uint32_t sharedBytes = 0;
};

/// A launch; `shared` is the section of the kernel's shared object that holds
/// the module's shared memory.
struct Launch {
  Kernel kernel = nullptr;
  std::string name;
  Shape grid, block;
  uint8_t *shared = nullptr;
  size_t sharedBytes = 0;
  /// Run the blocks from the last to the first, so that a dependence on their
  /// order shows.
  bool reversed = false;
  /// Kernels launched before this one may still run: a thread that has not
  /// waited for them may not touch device memory.
  bool startsEarly = false;
  /// Run all blocks interleaved: a cooperative launch.
  bool together = false;
  /// Run all blocks interleaved, as one cluster.
  bool isCluster = false;
  /// The dynamic shared memory of the launch, and its size.
  uint8_t *dynamic = nullptr;
  size_t dynamicBytes = 0;
  /// Of a kernel compiled with --costs: its costs are counted (Costs.h).
  const KernelResources *resources = nullptr;
};

/// Runs a kernel. Returns "", or a fault's message, which names kernel, block
/// and thread.
std::string run(const Launch &launch, void **parameters);

/// Adds a range of device memory. Once there is one, kernels compiled with
/// --check may access no address outside such ranges; reading uninitialized
/// bytes of a range is no fault.
void addMemory(const void *address, size_t size);
void removeMemory(const void *address);

} // namespace ingot::emulator

#endif // INGOT_TEST_EMULATOR_EMULATOR_H
