//===- HostMemory.h - Memory that an entry's own code accesses --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_HOST_HOSTMEMORY_H
#define INGOT_CODEGEN_HOST_HOSTMEMORY_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace ingot::hostgen {

/// Returns the size of a buffer in bytes, or std::nullopt if it is dynamic.
std::optional<int64_t> bytesOf(mlir::MemRefType type);

/// The attribute of an entry's function that lists the ranges of memory which
/// the entry's own code accesses (array of i64). Each range has four elements:
/// whether it is a variable, whether it is written, the variable's number or
/// the offset in the arena, and its size in bytes.
inline constexpr llvm::StringLiteral hostMemoryAttrName = "host.memory";

/// The attribute of an entry's function whose kernels may run on a device
/// (unit). The runtime then brings values that the entry only copies or
/// summarizes to the host on demand.
inline constexpr llvm::StringLiteral onDeviceAttrName = "host.on_device";

/// The attribute of a copy that the runtime executes, on the host or on the
/// device, whichever has the newest bytes (unit).
inline constexpr llvm::StringLiteral copiedThereAttrName = "host.copied_there";

/// The attribute of an entry's function with `host.on_device` that describes
/// its copies between host and device as texts of remarks (array of strings).
inline constexpr llvm::StringLiteral copiesAttrName = "host.copies";

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_HOSTMEMORY_H
