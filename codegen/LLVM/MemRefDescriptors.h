//===- MemRefDescriptors.h - Dense buffers in the LLVM dialect --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Makes memref descriptors of dense buffers, and loads them from slots of an
// argument table. Used for kernels, and for the host code that launches them.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_LLVM_MEMREFDESCRIPTORS_H
#define INGOT_CODEGEN_LLVM_MEMREFDESCRIPTORS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace ingot::llvmgen {

mlir::Value constant(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Type type, int64_t value);

/// Emits the address of a buffer's first element, from its descriptor.
mlir::Value addressOf(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Type type, mlir::Value descriptor);

/// Emits the descriptor of a dense buffer at `address`. `sizes` are the type's
/// dynamic sizes, in order.
mlir::Value describeBuffer(mlir::OpBuilder &builder, mlir::Location loc,
                           const mlir::LLVMTypeConverter &converter,
                           mlir::MemRefType type, mlir::Value address,
                           mlir::ValueRange sizes);

/// Emits the values of a buffer's dynamic sizes, in order, from its descriptor.
mlir::SmallVector<mlir::Value> dynamicSizes(mlir::OpBuilder &builder,
                                            mlir::Location loc,
                                            mlir::MemRefType type,
                                            mlir::Value descriptor);

/// Adds the pattern that lowers host.bind to loads from a table of addresses
/// and sizes.
void populateBindPattern(const mlir::LLVMTypeConverter &converter,
                         mlir::RewritePatternSet &patterns);

} // namespace ingot::llvmgen

#endif // INGOT_CODEGEN_LLVM_MEMREFDESCRIPTORS_H
