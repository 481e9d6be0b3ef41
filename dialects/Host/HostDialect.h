//===- HostDialect.h - Calls of the runtime ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The runtime's services for a compiled program: next element, save, restore,
// summary, launch of a kernel.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_HOST_HOSTDIALECT_H
#define INGOT_DIALECTS_HOST_HOSTDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Host/HostDialect.h.inc"

#define GET_OP_CLASSES
#include "dialects/Host/HostOps.h.inc"

namespace mlir::host {

/// Marks a function as a kernel (unit attribute).
inline constexpr llvm::StringLiteral kernelAttrName = "host.kernel";
/// On a kernel: the number of its independent iterations (array<i64>, as
/// codegen/Backend.h's Grid: base, step, then a slot and a coefficient for each
/// dynamic size).
inline constexpr llvm::StringLiteral gridAttrName = "host.grid";
/// On a kernel: estimates for one iteration of its grid, or for all of it where
/// it has none: arithmetic operations, and bytes that are read or written
/// (i64). A size that is not known before run time is taken to be 64.
inline constexpr llvm::StringLiteral flopsAttrName = "host.flops";
inline constexpr llvm::StringLiteral bytesAttrName = "host.bytes";
/// On a kernel with a grid: for each argument, how many bytes after each other
/// the stretches of it lie that iterations touch, each its own; 0 where an
/// iteration may touch all of it (array<i64>).
inline constexpr llvm::StringLiteral stridesAttrName = "host.strides";
/// On a kernel: bytes of scratch memory that it takes as its last argument
/// (i64).
inline constexpr llvm::StringLiteral scratchAttrName = "host.scratch";
/// On an entry's function: the initial contents of slots of its argument tables
/// (array of #host.argument).
inline constexpr llvm::StringLiteral argumentsAttrName = "host.arguments";
/// On an argument of an entry's function: index of the variable whose storage
/// it is (i32), or of the feed or fetch.
inline constexpr llvm::StringLiteral variableAttrName = "host.variable";
inline constexpr llvm::StringLiteral feedAttrName = "host.feed";
inline constexpr llvm::StringLiteral fetchAttrName = "host.fetch";
/// On an entry's function: bytes of arena it needs (i64).
inline constexpr llvm::StringLiteral arenaAttrName = "host.arena";

/// Whether the buffer's elements follow each other in row-major order, wherever
/// they begin: a row of a larger buffer, say, is passed on as one of its own.
bool isDense(MemRefType buffer);
/// The type of a buffer with the same elements that begins where its memory
/// does.
MemRefType denseType(MemRefType buffer);

} // namespace mlir::host

#endif // INGOT_DIALECTS_HOST_HOSTDIALECT_H
