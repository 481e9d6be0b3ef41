//===- LibraryCHeader.h - The C header of a library trainer -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_DRIVER_LIBRARYCHEADER_H
#define INGOT_COMPILER_DRIVER_LIBRARYCHEADER_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace ingot::driver {

/// The text of a library's header, and a hash of the header's declarations. The
/// library contains the same hash, so that opening a trainer fails if the
/// program was compiled with the header of another compilation.
struct LibraryCHeader {
  std::string text, interfaceHash;
};

/// Makes the header of `program`, whose entries LowerEntriesToFunctions must
/// have lowered. Each entry that users call becomes a function `name_entry`,
/// with an argument for each feed and fetch.
LibraryCHeader makeLibraryHeader(mlir::ModuleOp program, llvm::StringRef name,
                                 llvm::StringRef source,
                                 llvm::StringRef compiler);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_LIBRARYCHEADER_H
