//===- Link.h - Links objects and the runtime -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// LLD as a library: no compiler or linker is needed on the user's machine.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_LINK_H
#define INGOT_COMPILER_DRIVER_LINK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace ingot::driver {

/// Links `objects` with the runtime in `sdk` into a static,
/// position-independent executable; symbols of kernels stay unless `strip`. An
/// executable that `loadsLibraries` of the system, a device's driver, is
/// dynamic: it needs the C library of the machine that runs it. With `quick`,
/// for programs that run briefly, linking takes half the time and the output is
/// a few percent larger. The output appears as a whole or not at all.
llvm::Error linkExecutable(llvm::ArrayRef<std::string> objects,
                           llvm::StringRef sdk, llvm::StringRef output,
                           bool strip, bool loadsLibraries, bool quick);

/// Runs the linker with `arguments`; the output appears as a whole or not at
/// all.
llvm::Error runLinker(std::vector<std::string> arguments,
                      llvm::StringRef output, bool isExecutable);

/// Adds the paths of `names` in `sdk` to `arguments`; fails if one is missing.
llvm::Error inSdk(llvm::StringRef sdk, llvm::ArrayRef<llvm::StringRef> names,
                  std::vector<std::string> &arguments);

/// The paths of the runtime and its dependences, except the libraries of C and
/// C++.
llvm::Expected<std::vector<std::string>> runtimeLibraries(llvm::StringRef sdk);

/// Combines `objects` into one.
llvm::Error linkObject(llvm::ArrayRef<std::string> objects,
                       llvm::StringRef output);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_LINK_H
