//===- LoadedKernel.h - A kernel's object, to run it here -------*- C++ -*-===//
#ifndef INGOT_COMPILER_DRIVER_LOADEDKERNEL_H
#define INGOT_COMPILER_DRIVER_LOADEDKERNEL_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>

namespace ingot::driver {

/// The code of one kernel in this process's memory.
class LoadedKernel {
public:
  /// Null where the object asks for functions that are not at hand.
  static std::unique_ptr<LoadedKernel> load(llvm::StringRef image);
  ~LoadedKernel();

  /// Iterations [0, count) of its grid on a table of arguments.
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
