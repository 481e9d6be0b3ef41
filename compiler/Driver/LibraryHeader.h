//===- LibraryHeader.h - The C header of a trainer as a library -*- C++ -*-===//
#ifndef INGOT_COMPILER_DRIVER_LIBRARYHEADER_H
#define INGOT_COMPILER_DRIVER_LIBRARYHEADER_H

#include "mlir/IR/BuiltinOps.h"
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

/// A header, and a hash of what it declares: the library carries it, too, so
/// that a header of another compile is found out.
struct LibraryHeader {
  std::string text, interfaceHash;
};

/// The header of `program`, as LowerEntries left it. Each entry that a user
/// calls is a function `name_entry`, with an argument for each feed and fetch.
LibraryHeader makeLibraryHeader(mlir::ModuleOp program, llvm::StringRef name,
                                llvm::StringRef source,
                                llvm::StringRef compiler);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_LIBRARYHEADER_H
