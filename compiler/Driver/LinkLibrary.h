//===- LinkLibrary.h - Links a library trainer ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_DRIVER_LINKLIBRARY_H
#define INGOT_COMPILER_DRIVER_LINKLIBRARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace ingot::driver {

/// Links `objects` with the parts of the runtime in `sdk` that they use into
/// one object, in archive `output`. Its only global symbol is `name`_library;
/// its only dependence is the C library. The output appears as a whole or not
/// at all.
llvm::Error linkStaticLibrary(llvm::ArrayRef<std::string> objects,
                              llvm::StringRef sdk, llvm::StringRef output,
                              llvm::StringRef name);

/// The same as a shared object, which is never unloaded.
llvm::Error linkSharedLibrary(llvm::ArrayRef<std::string> objects,
                              llvm::StringRef sdk, llvm::StringRef output,
                              llvm::StringRef name, bool strip);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_LINKLIBRARY_H
