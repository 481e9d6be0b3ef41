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

/// An emulated kernel: finds an address of each parameter.
using Kernel = void (*)(void **parameters);

struct Shape {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// One launch. `shared` is the section with the module's shared memory.
struct Launch {
  Kernel kernel = nullptr;
  std::string name;
  Shape grid, block;
  uint8_t *shared = nullptr;
  size_t sharedBytes = 0;
  /// Blocks from the last to the first, so that a dependence on their order
  /// shows.
  bool reversed = false;
  /// Kernels before it may not have ended: until a thread has waited for them,
  /// it touches no memory of the device.
  bool startsEarly = false;
  /// All blocks run at once, by turns: a cooperative launch.
  bool together = false;
  /// Likewise, as one cluster.
  bool isCluster = false;
  /// Where the shared memory lies that a launch asks for, and its size.
  uint8_t *dynamic = nullptr;
  size_t dynamicBytes = 0;
};

/// Runs a kernel, and returns "" or its fault, with kernel, block and thread.
std::string run(const Launch &launch, void **parameters);

/// Adds a range of device memory: kernels compiled with --check may access
/// nothing else; reading uninitialized bytes of it is no fault. Without any
/// range every address is allowed.
void addMemory(const void *address, size_t size);
void removeMemory(const void *address);

} // namespace ingot::emulator

#endif // INGOT_TEST_EMULATOR_EMULATOR_H
