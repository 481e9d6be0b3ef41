//===- Passes.h - From the graph dialect to linalg and host -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Fusions become kernels of linalg ops; entries become functions that launch
// them and call the runtime.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_PASSES_H
#define INGOT_COMPILER_LOWER_PASSES_H

#include "codegen/Statistics/PassStatistic.h"
#include "codegen/TargetPolicyOption.h"
#include "dialects/Host/HostDialect.h"
#include "dialects/Ingot/IR/IngotDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace ingot::lower {

#define GEN_PASS_DECL
#include "compiler/Lower/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/Lower/Passes.h.inc"

/// Adds the passes that lower fusions to kernels of linalg ops, and entries to
/// functions of host ops. Both still work on tensors, not on buffers. Large
/// kernels are split as `policy` says.
void buildLowerPipeline(mlir::OpPassManager &manager,
                        const TargetPolicy &policy);

/// Attribute of an op whose storage types differ from the user's element types
/// (strings, variants, unsigned integers). It lists the user's element types of
/// operands, then of results.
inline constexpr llvm::StringLiteral elementTypesAttrName = "element_types";

/// Attributes of an entry and of a dataset's function: the types that feeds and
/// fetches have in the user's graph, before storage types replace them.
inline constexpr llvm::StringLiteral feedTypesAttrName = "feed_types";
inline constexpr llvm::StringLiteral fetchTypesAttrName = "fetch_types";

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_PASSES_H
