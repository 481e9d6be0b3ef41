//===- Link.h - Objects and the runtime to an executable --------*- C++ -*-===//
//
// LLD as a library: no compiler or linker is needed on the user's machine.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_LINK_H
#define INGOT_COMPILER_DRIVER_LINK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace ingot::driver {

/// Links `objects` with the runtime in `sdk` into a static, position-
/// independent executable; symbols of kernels stay unless `strip`. One that
/// `loadsLibraries` of the system, a device's driver, is dynamic: it needs the
/// C library of the machine where it runs. The output appears whole or not at
/// all.
llvm::Error linkExecutable(llvm::ArrayRef<std::string> objects,
                           llvm::StringRef sdk, llvm::StringRef output,
                           bool strip, bool loadsLibraries);

/// Combines `objects` into one.
llvm::Error linkObject(llvm::ArrayRef<std::string> objects,
                       llvm::StringRef output);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_LINK_H
