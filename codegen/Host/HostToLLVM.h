//===- HostToLLVM.h - Lower host ops to runtime calls -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The patterns that lower host ops to the LLVM dialect. The pass
// ConvertEntriesToLLVM adds them to MLIR's own patterns for lowering to LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_HOST_HOSTTOLLVM_H
#define INGOT_CODEGEN_HOST_HOSTTOLLVM_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace ingot::hostgen {

/// Lowers each host.run to a call of the runtime with a launch table, defines
/// the initial contents of argument tables, and erases kernels' declarations.
/// Functions must already have the ABI's signatures.
void lowerLaunchTables(mlir::ModuleOp module);

/// Adds the patterns that lower all host ops except for host.run to calls of
/// the functions in runtime/ABI/Calls.h.
void populateHostToLLVMPatterns(const mlir::LLVMTypeConverter &converter,
                                mlir::RewritePatternSet &patterns);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_HOSTTOLLVM_H
