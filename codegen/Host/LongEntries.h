//===- LongEntries.h - Entries of thousands of calls ------------*- C++ -*-===//
//
// Launches are rows of tables, but an entry calls the runtime for each variable
// that it sets up, and for each buffer whose size its input decides. In such a
// straight line of thousands of calls LLVM's passes, and its allocation of
// registers above all, take time by the square of its length, and gain nothing:
// kernels are compiled apart. What holds for thousands of calls in every step
// holds for hundreds in an entry that runs once, or once in a while.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_HOST_LONGENTRIES_H
#define INGOT_CODEGEN_HOST_LONGENTRIES_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
} // namespace llvm

namespace ingot::hostgen {

/// On functions of LLVM's, up to `leaveLongEntries`.
inline constexpr llvm::StringLiteral runsSeldomAttrName = "ingot-runs-seldom";

/// Marks the functions that are not worth to be optimized. Whether any is of
/// thousands of calls: then the module's machine code is to be made at level 0,
/// its other functions having been optimized.
bool leaveLongEntries(llvm::Module &module);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_LONGENTRIES_H
