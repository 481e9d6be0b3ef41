//===- OptNoneEntries.h - Skip optimizing long entries ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Keeps LLVM from optimizing the host code of very long entry points. Such code
// calls the runtime for each variable that it initializes, and for each buffer
// of a dynamic size. For thousands of calls in straight-line code, LLVM's
// passes, above all register allocation, take quadratic time. They gain
// nothing, as kernels are compiled separately. In an entry point that runs
// rarely, even hundreds of calls are not worth optimizing.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_HOST_OPTNONEENTRIES_H
#define INGOT_CODEGEN_HOST_OPTNONEENTRIES_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
} // namespace llvm

namespace ingot::hostgen {

/// An attribute of the LLVM functions of entry points that do not run in each
/// training step, for `markLongEntriesOptNone`.
inline constexpr llvm::StringLiteral runsSeldomAttrName = "ingot-runs-seldom";

/// Marks functions that are too long to be optimized. Returns whether one of
/// them has thousands of calls. If so, the machine code of the whole module
/// must be emitted at level 0; LLVM's passes still optimize the other
/// functions.
bool markLongEntriesOptNone(llvm::Module &module);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_OPTNONEENTRIES_H
