//===- HostMemory.h - Memory that an entry's own code accesses --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_HOST_HOSTMEMORY_H
#define INGOT_CODEGEN_HOST_HOSTMEMORY_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace ingot::hostgen {

/// The bytes of a buffer; none where they are dynamic.
std::optional<int64_t> bytesOf(mlir::MemRefType type);

/// On an entry's function (array of i64): for each range of memory that its own
/// code accesses, whether it is a variable, whether it is written, the number
/// of the variable or the offset in the arena, and its bytes.
inline constexpr llvm::StringLiteral hostMemoryAttrName = "host.memory";

/// On an entry's function: kernels may run on a device (unit). The runtime
/// brings values that the entry only copies or summarizes to the host on
/// demand.
inline constexpr llvm::StringLiteral onDeviceAttrName = "host.on_device";

/// On a copy: the runtime makes it, on the side that has the bytes (unit).
inline constexpr llvm::StringLiteral copiedThereAttrName = "host.copied_there";

/// On such an entry's function (array of strings): the copies between host and
/// device, and when, as text for remarks.
inline constexpr llvm::StringLiteral copiesAttrName = "host.copies";

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_HOSTMEMORY_H
