//===- Passes.h - Kernels for CPUs ------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The passes and pipelines that compile kernels for CPUs: they tile to
// registers, vectorize, give kernels the ABI's signature, and lower them to
// LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_PASSES_H
#define INGOT_CODEGEN_CPU_PASSES_H

#include "codegen/CPU/Target.h"
#include "codegen/CPU/TilingPlan.h"
#include "codegen/Statistics/PassStatistic.h"
#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace ingot::cpu {

#define GEN_PASS_DECL
#include "codegen/CPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "codegen/CPU/Passes.h.inc"

/// Builds the pipeline from kernels on tensors to kernels on buffers, for one
/// target and for machines with such caches.
void buildBufferPipeline(
    mlir::OpPassManager &manager, const Target &target,
    const CacheHierarchy &caches, const TilingPlan &plan = {},
    const OptionalPassSet &rewrites = OptionalPassSet::all());

/// Builds the pipeline from kernels on buffers to the LLVM dialect. `target`
/// and `caches` must be those that were passed to `buildBufferPipeline`.
void buildCodePipeline(
    mlir::OpPassManager &manager, const Target &target,
    const CacheHierarchy &caches,
    const OptionalPassSet &rewrites = OptionalPassSet::all());

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_PASSES_H
