//===- Passes.h - Passes on the graph dialect -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The graph stage's passes, which turn the imported program into SSA values
// with static shapes, grouped into fusions.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_PASSES_H
#define INGOT_COMPILER_GRAPH_PASSES_H

#include "codegen/Statistics/PassStatistic.h"
#include "codegen/TargetPolicyOption.h"
#include "dialects/Ingot/IR/IngotDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace ingot::graph {

#define GEN_PASS_DECL
#include "compiler/Graph/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/Graph/Passes.h.inc"

/// Adds the passes of the graph stage to `manager`: those that the target's
/// `policy` enables, with the limits in `policy` as their options.
void buildGraphPipeline(mlir::OpPassManager &manager,
                        const TargetPolicy &policy);

/// Whether `op` is elementwise: each element of a result depends only on one
/// element of each operand, the one at the same position after broadcasting.
bool isElementwise(mlir::Operation *op);

/// Returns the operand whose storage the result of an optimizer op may
/// overwrite: the variable that the op updates. Returns null for a result of
/// any other op.
mlir::Value tiedOperand(mlir::OpResult result);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_PASSES_H
