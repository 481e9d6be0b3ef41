//===- HostToLLVM.h - Host ops to calls of the ABI --------------*- C++ -*-===//
//
// The patterns that ConvertToLLVM adds to upstream's.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_HOSTTOLLVM_H
#define INGOT_CODEGEN_CPU_HOSTTOLLVM_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace ingot::cpu {

/// Lowers host ops to calls of runtime/ABI/Calls.h.
void populateHostToLLVMPatterns(const mlir::LLVMTypeConverter &converter,
                                mlir::RewritePatternSet &patterns);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_HOSTTOLLVM_H
