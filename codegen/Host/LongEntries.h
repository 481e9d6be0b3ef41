//===- LongEntries.h - Skip optimizing long entries -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Launches are rows of tables, but an entry calls the runtime for each variable
// that it initializes, and for each buffer of a dynamic size. On a straight
// line of thousands of calls LLVM's passes, register allocation above all, take
// quadratic time and gain nothing: kernels are compiled separately. For an
// entry that runs once, or once in a while, the same holds for hundreds of
// calls.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_HOST_LONGENTRIES_H
#define INGOT_CODEGEN_HOST_LONGENTRIES_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
} // namespace llvm

namespace ingot::hostgen {

/// The attribute of LLVM functions that training does not run in each step.
/// `leaveLongEntries` reads it.
inline constexpr llvm::StringLiteral runsSeldomAttrName = "ingot-runs-seldom";

/// Marks functions that are not worth optimizing. Returns whether one of them
/// has thousands of calls: the module's machine code is then emitted at level
/// 0, after LLVM's passes have optimized the other functions.
bool leaveLongEntries(llvm::Module &module);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_LONGENTRIES_H
