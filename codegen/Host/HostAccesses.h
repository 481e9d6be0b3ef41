//===- HostAccesses.h - Memory that entries access on the host --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_HOST_HOSTACCESSES_H
#define INGOT_CODEGEN_HOST_HOSTACCESSES_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace ingot::hostgen {

/// Returns the size of a buffer in bytes, or std::nullopt if it is dynamic.
std::optional<int64_t> bytesOf(mlir::MemRefType type);

/// An attribute of an entry point's function (array of i64): the ranges of
/// memory that the function itself accesses on the host, without a kernel. Each
/// range is four elements: the kind (INGOT_ARGUMENT_ARENA, VARIABLE or FETCH),
/// whether it is written, the offset in the arena or the index of the variable
/// or fetched tensor, and the size in bytes.
inline constexpr llvm::StringLiteral hostMemoryAttrName = "host.memory";

/// A unit attribute of an entry point's function whose kernels may run on a
/// device. In such a function, copies and summaries of a value do not count as
/// accesses on the host: the runtime brings the value to the host when it is
/// needed there.
inline constexpr llvm::StringLiteral onDeviceAttrName = "host.on_device";

/// A unit attribute of a copy that the runtime executes on the side, host or
/// device, that has the newest bytes.
inline constexpr llvm::StringLiteral copiedThereAttrName = "host.copied_there";

/// A unit attribute of host.allocate and host.release of a buffer that only
/// kernels and copies access, in an entry point whose kernels may run on a
/// device.
inline constexpr llvm::StringLiteral forKernelsAttrName = "host.for_kernels";

/// An attribute (array of strings) of an entry point's function whose kernels
/// may run on a device: the texts of remarks that describe its copies between
/// host and device.
inline constexpr llvm::StringLiteral copiesAttrName = "host.copies";

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_HOSTACCESSES_H
