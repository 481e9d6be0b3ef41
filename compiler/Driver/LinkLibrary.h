//===- LinkLibrary.h - Links a library trainer ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_DRIVER_LINKLIBRARY_H
#define INGOT_COMPILER_DRIVER_LINKLIBRARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace ingot::driver {

/// Links `objects`, together with the parts of the runtime in `sdk` that they
/// use, into one object file, and stores this file in the archive `output`. The
/// object file's only global symbol is `name`_library, and the file depends
/// only on the C library. The output is written completely or not at all.
llvm::Error linkStaticLibrary(llvm::ArrayRef<std::string> objects,
                              llvm::StringRef sdk, llvm::StringRef output,
                              llvm::StringRef name);

/// Links `objects` with the runtime into a shared library that exports only the
/// function `name`_library. Once loaded, the library is never unloaded.
llvm::Error linkSharedLibrary(llvm::ArrayRef<std::string> objects,
                              llvm::StringRef sdk, llvm::StringRef output,
                              llvm::StringRef name, bool strip);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_LINKLIBRARY_H
