//===- LoadedKernel.h - Loads a kernel into this process --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_DRIVER_LOADEDKERNEL_H
#define INGOT_COMPILER_DRIVER_LOADEDKERNEL_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>

namespace ingot::driver {

/// The code of one kernel, loaded into this process.
class LoadedKernel {
public:
  /// Loads a kernel's object file. Returns null if the file is invalid, or if
  /// the kernel calls a function other than memset, memcpy and memmove.
  static std::unique_ptr<LoadedKernel> load(llvm::StringRef image);
  ~LoadedKernel();

  /// Runs iterations [0, count) of the kernel's grid. `arguments` has the
  /// addresses of the buffers that the kernel reads and writes.
  void run(void *const *arguments, int64_t count) const {
    function(arguments, 0, count);
  }

private:
  LoadedKernel();

  struct Memory;
  std::unique_ptr<Memory> memory;
  void (*function)(void *const *, int64_t, int64_t) = nullptr;
};

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_LOADEDKERNEL_H
