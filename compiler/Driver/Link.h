//===- Link.h - Links objects and the runtime -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// LLD is used as a library, so the user's machine needs neither a compiler nor
// a linker.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_LINK_H
#define INGOT_COMPILER_DRIVER_LINK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace ingot::driver {

/// Links `objects` with the runtime in `sdk` into a position-independent
/// executable. The output is written completely or not at all.
///
/// - `strip`: removes all symbols, also those of kernels.
/// - `loadsLibraries`: the program loads libraries of the system, such as a
///   device's driver or MPI. It is then linked dynamically, and needs the C
///   library of the machine that runs it. Otherwise it is static.
/// - `quick`: halves the time for linking, with an output that is a few percent
///   larger. For programs that run only briefly.
llvm::Error linkExecutable(llvm::ArrayRef<std::string> objects,
                           llvm::StringRef sdk, llvm::StringRef output,
                           bool strip, bool loadsLibraries, bool quick);

/// Runs LLD with `arguments`. The output is written completely or not at all.
llvm::Error runLinker(std::vector<std::string> arguments,
                      llvm::StringRef output, bool isExecutable);

/// Appends the paths of the files `names` in `sdk` to `arguments`. Fails if one
/// of the files does not exist.
llvm::Error inSdk(llvm::StringRef sdk, llvm::ArrayRef<llvm::StringRef> names,
                  std::vector<std::string> &arguments);

/// Returns the paths of the runtime's libraries in `sdk` and of those that they
/// depend on, except the C and C++ libraries.
llvm::Expected<std::vector<std::string>> runtimeLibraries(llvm::StringRef sdk);

/// Links `objects` into one relocatable object file.
llvm::Error linkObject(llvm::ArrayRef<std::string> objects,
                       llvm::StringRef output);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_LINK_H
