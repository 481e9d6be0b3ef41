//===- HostDialect.h - Calls of the runtime ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The host dialect: the requests of a compiled program to the runtime, such as
// to get the next element of an iterator, to save, to restore, to write
// summaries, and to launch a kernel.
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
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Host/HostDialect.h.inc"

#define GET_OP_CLASSES
#include "dialects/Host/HostOps.h.inc"

namespace mlir::host {

/// On a function (unit attribute): marks it as a kernel, which the backends
/// compile and `host.launch` runs.
inline constexpr llvm::StringLiteral kernelAttrName = "host.kernel";
/// On a kernel: the number of independent iterations of its grid, as an
/// array<i64> with the fields of Grid (codegen/Backend.h): base, step, then a
/// slot and a coefficient for each dynamic size. The number is the sum of base
/// and all coefficient * size, divided by step and rounded up.
inline constexpr llvm::StringLiteral gridAttrName = "host.grid";
/// On a kernel: estimated arithmetic operations, and bytes that are read or
/// written (i64). They are estimates for one iteration of the grid, or for the
/// whole kernel if it has no grid. Dynamic sizes are assumed to be 64.
inline constexpr llvm::StringLiteral flopsAttrName = "host.flops";
inline constexpr llvm::StringLiteral bytesAttrName = "host.bytes";
/// On a kernel with a grid: for each argument, the distance in bytes between
/// the parts that consecutive iterations access, if each iteration accesses
/// only its own part. 0 if an iteration may access any part of the argument
/// (array<i64>).
inline constexpr llvm::StringLiteral stridesAttrName = "host.strides";
/// On a kernel: the bytes of scratch memory, which it receives as its last
/// argument (i64).
inline constexpr llvm::StringLiteral scratchAttrName = "host.scratch";
/// On an entry's function: which slots of its launches' argument tables are
/// filled once, before the first run, and from what (array of #host.argument).
inline constexpr llvm::StringLiteral argumentsAttrName = "host.arguments";
/// On an argument of an entry's function: the index of the variable, feed or
/// fetch whose memory it is (i32).
inline constexpr llvm::StringLiteral variableAttrName = "host.variable";
inline constexpr llvm::StringLiteral feedAttrName = "host.feed";
inline constexpr llvm::StringLiteral fetchAttrName = "host.fetch";
/// On an entry's function: the size in bytes (i64) of its arena, the memory
/// block that holds the buffers of intermediate values.
inline constexpr llvm::StringLiteral arenaAttrName = "host.arena";
/// On an entry's function: the most bytes (i64) that its arena should have.
/// Values are recomputed instead of kept until it has no more, or as few as can
/// be.
inline constexpr llvm::StringLiteral arenaLimitAttrName = "host.arena_limit";

/// Returns whether the buffer's elements are contiguous in row-major order. The
/// offset may have any value: a row of a larger buffer is dense, too.
bool isDense(MemRefType buffer);
/// Returns the type of `buffer` with an identity layout: dense, and with offset
/// 0.
MemRefType denseType(MemRefType buffer);

} // namespace mlir::host

#endif // INGOT_DIALECTS_HOST_HOSTDIALECT_H
