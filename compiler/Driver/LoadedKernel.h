//===- LoadedKernel.h - Loads a kernel into this process --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_DRIVER_LOADEDKERNEL_H
#define INGOT_COMPILER_DRIVER_LOADEDKERNEL_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>

namespace ingot::driver {

/// The code of one kernel in this process's memory.
class LoadedKernel {
public:
  /// Null if the object calls functions that are not available.
  static std::unique_ptr<LoadedKernel> load(llvm::StringRef image);
  ~LoadedKernel();

  /// Runs iterations [0, count) of its grid on an argument table.
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
