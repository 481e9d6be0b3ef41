//===- LinkLibrary.h - Objects and the runtime to a library -----*- C++ -*-===//
#ifndef INGOT_COMPILER_DRIVER_LINKLIBRARY_H
#define INGOT_COMPILER_DRIVER_LINKLIBRARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace ingot::driver {

/// Links `objects` with what they use of the runtime in `sdk` into one object,
/// in archive `output`. Its one global symbol is `name`_library; it needs the C
/// library alone. The output appears whole or not at all.
llvm::Error linkStaticLibrary(llvm::ArrayRef<std::string> objects,
                              llvm::StringRef sdk, llvm::StringRef output,
                              llvm::StringRef name);

/// The same as a shared object, which stays loaded.
llvm::Error linkSharedLibrary(llvm::ArrayRef<std::string> objects,
                              llvm::StringRef sdk, llvm::StringRef output,
                              llvm::StringRef name, bool strip);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_LINKLIBRARY_H
