//===- HostToLLVM.h - Host ops to calls of the ABI --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The patterns for host ops that the pass ConvertEntries adds to MLIR's own
// patterns.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_HOST_HOSTTOLLVM_H
#define INGOT_CODEGEN_HOST_HOSTTOLLVM_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace ingot::hostgen {

/// Lowers host.run to calls with tables of rows, defines the initial contents
/// of argument tables, and drops kernels' declarations. Functions have the
/// ABI's signatures already.
void lowerRuns(mlir::ModuleOp module);

/// Lowers all other host ops to calls of runtime/ABI/Calls.h.
void populateHostToLLVMPatterns(const mlir::LLVMTypeConverter &converter,
                                mlir::RewritePatternSet &patterns);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_HOSTTOLLVM_H
