//===- Passes.h - Passes on entries -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The pipelines that lower entries, the host code that launches kernels, from
// tensors to LLVM. They run once, whichever targets the kernels are compiled
// for.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_HOST_PASSES_H
#define INGOT_CODEGEN_HOST_PASSES_H

#include "codegen/OptionalPassSet.h"
#include "codegen/Statistics/PassStatistic.h"
#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace ingot::hostgen {

#define GEN_PASS_DECL
#include "codegen/Host/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "codegen/Host/Passes.h.inc"

/// Adds the passes that bufferize entries, the host code that launches kernels.
/// The kernels are declarations in the module, with the attribute host.scratch
/// if they need scratch memory.
void buildBufferPipeline(mlir::OpPassManager &manager,
                         const OptionalPassSet &rewrites);

/// Adds the passes that lower bufferized entries, the host code that launches
/// kernels, to the LLVM dialect.
void buildLLVMPipeline(mlir::OpPassManager &manager,
                       const OptionalPassSet &rewrites);

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_PASSES_H
