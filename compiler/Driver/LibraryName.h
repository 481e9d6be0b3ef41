//===- LibraryName.h - What a trainer as a library is called ----*- C++ -*-===//
#ifndef INGOT_COMPILER_DRIVER_LIBRARYNAME_H
#define INGOT_COMPILER_DRIVER_LIBRARYNAME_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace ingot::driver {

/// What a library is called, and where its header lies.
struct LibraryName {
  std::string name;   // "foo", what its symbols begin with
  std::string header; // "out/foo.h"

  /// Of library `output` ("out/libfoo.a"), which is to end in `extension`;
  /// `wanted` where that is not "". The error says what is wrong with the name.
  static llvm::Expected<LibraryName>
  of(llvm::StringRef output, llvm::StringRef extension, llvm::StringRef wanted);
};

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_LIBRARYNAME_H
