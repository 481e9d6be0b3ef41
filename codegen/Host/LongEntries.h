//===- LongEntries.h - Entries of thousands of launches ---------*- C++ -*-===//
//
// An entry is a straight line of launches. What LLVM does by the square of a
// line's length would make large graphs compile for minutes.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_HOST_LONGENTRIES_H
#define INGOT_CODEGEN_HOST_LONGENTRIES_H

namespace llvm {
class Function;
} // namespace llvm

namespace ingot::hostgen {

/// Prepares the code of an entry for LLVM, if it is so long that passes would
/// take longer than they gain: it is not optimized (it only calls kernels,
/// which are), and no register holds an address for longer than one launch.
/// Others are left alone.
void prepareLongEntry(llvm::Function &entry);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_LONGENTRIES_H
