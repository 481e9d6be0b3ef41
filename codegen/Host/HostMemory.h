//===- HostMemory.h - What an entry's own code touches ----------*- C++ -*-===//
#ifndef INGOT_CODEGEN_HOST_HOSTMEMORY_H
#define INGOT_CODEGEN_HOST_HOSTMEMORY_H

#include "llvm/ADT/StringRef.h"

namespace ingot::hostgen {

/// On an entry's function (array of i64): of each range of memory that its own
/// code touches, whether it is a variable, whether it is written, the number
/// of the variable or the offset in the arena, and how many bytes.
inline constexpr llvm::StringLiteral hostMemoryAttrName = "host.memory";

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_HOSTMEMORY_H
