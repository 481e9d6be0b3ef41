//===- HostMemory.h - What an entry's own code touches ----------*- C++ -*-===//
#ifndef INGOT_CODEGEN_HOST_HOSTMEMORY_H
#define INGOT_CODEGEN_HOST_HOSTMEMORY_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace ingot::hostgen {

/// How many bytes a buffer has; nothing where that is not known when the
/// program is compiled.
std::optional<int64_t> bytesOf(mlir::MemRefType type);

/// On an entry's function (array of i64): of each range of memory that its own
/// code touches, whether it is a variable, whether it is written, the number
/// of the variable or the offset in the arena, and how many bytes.
inline constexpr llvm::StringLiteral hostMemoryAttrName = "host.memory";

/// On an entry's function: kernels may run on a device (unit). What the entry
/// only copies then, and what its summaries show, the runtime brings to the
/// host where somebody asks for it.
inline constexpr llvm::StringLiteral onDeviceAttrName = "host.on_device";

/// On a copy: the runtime makes it, where the bytes are (unit).
inline constexpr llvm::StringLiteral copiedThereAttrName = "host.copied_there";

/// On such an entry's function (array of strings): what is copied between host
/// and device, and when, in words.
inline constexpr llvm::StringLiteral copiesAttrName = "host.copies";

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_HOSTMEMORY_H
