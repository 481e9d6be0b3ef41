//===- Passes.h - Kernels for CPUs ------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Tile to registers, vectorize, lower to the ABI's signature and to LLVM.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_PASSES_H
#define INGOT_CODEGEN_CPU_PASSES_H

#include "codegen/CPU/Plan.h"
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

/// Kernels on tensors to kernels on buffers, for one target.
void buildBufferPipeline(mlir::OpPassManager &manager, const Target &target,
                         const Plan &plan = {},
                         const Rewrites &rewrites = Rewrites::all());

/// Kernels on buffers to the LLVM dialect, for the same target.
void buildCodePipeline(mlir::OpPassManager &manager, const Target &target,
                       const Rewrites &rewrites = Rewrites::all());

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_PASSES_H
