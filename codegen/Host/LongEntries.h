//===- LongEntries.h - Entries of thousands of calls ------------*- C++ -*-===//
//
// Launches are rows of tables, but an entry calls the runtime for each variable
// that it sets up, and for each buffer whose size its input decides. In such a
// straight line of thousands of calls LLVM's passes, and its allocation of
// registers above all, take time by the square of its length, and gain nothing:
// kernels are compiled apart.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_HOST_LONGENTRIES_H
#define INGOT_CODEGEN_HOST_LONGENTRIES_H

namespace llvm {
class Module;
} // namespace llvm

namespace ingot::hostgen {

/// Marks the functions that are too long to be optimized. Whether there are
/// any: then the module's machine code is to be made at level 0, its other
/// functions having been optimized.
bool leaveLongEntries(llvm::Module &module);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_LONGENTRIES_H
