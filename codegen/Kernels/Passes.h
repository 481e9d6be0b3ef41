//===- Passes.h - Kernels, whatever their target ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Fuse, bufferize, partition into a grid, hoist allocations out.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_KERNELS_PASSES_H
#define INGOT_CODEGEN_KERNELS_PASSES_H

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

/// Registers the external models that One-Shot Bufferize and tiling need.
void registerBufferizationModels(mlir::DialectRegistry &registry);

/// On the outermost loop of a kernel whose iterations are independent.
inline constexpr llvm::StringLiteral gridLoopAttrName = "host.grid_loop";
/// On a grid loop whose iterations may be merged into one as long as all of
/// them: nothing but the affine.min of its size depends on the step.
inline constexpr llvm::StringLiteral gridRangeAttrName = "host.grid_range";

/// Whether `op` is a product of tensors or a sum over windows: its body
/// multiplies and adds, and each factor has elements that several results use.
/// Each result is one chain of multiply-adds. Without such factors it is a
/// multiplication and a sum in one op, which keeps the sum's tree.
bool isContraction(mlir::linalg::LinalgOp op);

/// Whether `op` is a matrix product: a contraction of two parallel loops and
/// one reduction.
bool isProduct(mlir::linalg::LinalgOp op);

} // namespace ingot::kernels

#endif // INGOT_CODEGEN_KERNELS_PASSES_H
