//===- HostDialect.h - Calls of the runtime ---------------------*- C++ -*-===//
//
// What a compiled program asks of the runtime: next element, save, restore,
// summary, launch of a kernel.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_HOST_HOSTDIALECT_H
#define INGOT_DIALECTS_HOST_HOSTDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Host/HostDialect.h.inc"

#define GET_OP_CLASSES
#include "dialects/Host/HostOps.h.inc"

namespace mlir::host {

/// Marks a function as a kernel (unit attribute).
inline constexpr llvm::StringLiteral kernelAttrName = "host.kernel";
/// On a kernel: the number of its independent iterations (i64); or, where a
/// size decides on it, a step, the argument and which of its dimensions is to
/// be divided by the step and rounded up (array of three i64).
inline constexpr llvm::StringLiteral gridAttrName = "host.grid";
/// On a kernel: the arithmetic operations of one iteration of its grid, or of
/// all of it where it has none (i64). An estimate: a size that is not known
/// before run time is taken to be 64.
inline constexpr llvm::StringLiteral flopsAttrName = "host.flops";
/// On a kernel: the bytes that such an iteration reads and writes (i64).
inline constexpr llvm::StringLiteral bytesAttrName = "host.bytes";
/// On an argument of an entry's function: index of the variable whose storage
/// it is (i32), or of the feed or fetch.
inline constexpr llvm::StringLiteral variableAttrName = "host.variable";
inline constexpr llvm::StringLiteral feedAttrName = "host.feed";
inline constexpr llvm::StringLiteral fetchAttrName = "host.fetch";
/// On an entry's function: bytes of arena it needs (i64).
inline constexpr llvm::StringLiteral arenaAttrName = "host.arena";

} // namespace mlir::host

#endif // INGOT_DIALECTS_HOST_HOSTDIALECT_H
