//===- Passes.h - Passes for kernels of all targets -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The passes that all targets' kernels have in common: they fuse ops,
// bufferize, partition a kernel into a grid, and move allocations out of it.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_KERNELS_PASSES_H
#define INGOT_CODEGEN_KERNELS_PASSES_H

#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Statistics/PassStatistic.h"
#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace ingot::kernels {

#define GEN_PASS_DECL
#include "codegen/Kernels/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "codegen/Kernels/Passes.h.inc"

/// Registers the external models of interfaces that One-Shot Bufferize and
/// tiling need for the ops of kernels.
void registerBufferizationModels(mlir::DialectRegistry &registry);

/// A unit attribute of a kernel's outermost loop that makes the loop its grid:
/// the iterations are independent.
inline constexpr llvm::StringLiteral gridLoopAttrName = "host.grid_loop";
/// A unit attribute of a grid loop: successive iterations may be merged into
/// one, by a larger step. This may be done at run time, as only the affine.min
/// that limits an iteration's rows depends on the step.
inline constexpr llvm::StringLiteral gridRangeAttrName = "host.grid_range";

/// Whether `op` is a contraction of tensors, or a sum over windows: its body
/// multiplies and adds, and each element of either operand contributes to
/// several results. Each result is then accumulated by multiply-adds in the
/// order of the reduction loops. Otherwise `op` is a reduction into which a
/// multiplication was fused, and its terms are added up in a tree, as in every
/// other reduction.
bool isContraction(mlir::linalg::LinalgOp op);

/// Whether `op` is a GEMM: a contraction with two parallel loops and one
/// reduction loop.
bool isProduct(mlir::linalg::LinalgOp op);

} // namespace ingot::kernels

#endif // INGOT_CODEGEN_KERNELS_PASSES_H
