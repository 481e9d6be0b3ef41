//===- LibraryName.h - The name of a library trainer ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_DRIVER_LIBRARYNAME_H
#define INGOT_COMPILER_DRIVER_LIBRARYNAME_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace ingot::driver {

/// The name of a library and the path of its header.
struct LibraryName {
  std::string name;   // "foo", the prefix of its symbols
  std::string header; // "out/foo.h"

  /// Returns the names for a library at path `output`, which must end in
  /// `extension`. The library's name is `wanted`, or if that is "", it is
  /// derived from `output`: "foo" for "out/libfoo.a". Returns an error if the
  /// name is invalid.
  static llvm::Expected<LibraryName>
  of(llvm::StringRef output, llvm::StringRef extension, llvm::StringRef wanted);
};

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_LIBRARYNAME_H
