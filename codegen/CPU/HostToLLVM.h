//===- HostToLLVM.h - Host ops to calls of the ABI --------------*- C++ -*-===//
//
// The patterns that ConvertToLLVM adds to upstream's.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_HOSTTOLLVM_H
#define INGOT_CODEGEN_CPU_HOSTTOLLVM_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace ingot::cpu {

/// On a launch: the global that holds what a trace and a watchdog call it.
inline constexpr llvm::StringLiteral launchNodeAttrName("host.node");

/// Gives every launch what lowering it has to know of other symbols: its
/// kernel's grid, and the global of its name. An entry may have thousands of
/// them.
void annotateLaunches(mlir::ModuleOp module);

/// Lowers host ops to calls of runtime/ABI/Calls.h, launches as
/// `annotateLaunches` left them.
void populateHostToLLVMPatterns(const mlir::LLVMTypeConverter &converter,
                                mlir::RewritePatternSet &patterns);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_HOSTTOLLVM_H
