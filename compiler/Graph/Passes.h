//===- Passes.h - Passes on the graph dialect -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// From the program as imported to values, static shapes and fusions.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_PASSES_H
#define INGOT_COMPILER_GRAPH_PASSES_H

#include "codegen/TargetPolicy.h"
#include "dialects/Ingot/IngotDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace ingot::graph {

#define GEN_PASS_DECL
#include "compiler/Graph/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/Graph/Passes.h.inc"

/// The graph stage: from the imported program to static values in fusions, by
/// the target's policy.
void buildGraphPipeline(mlir::OpPassManager &manager,
                        const TargetPolicy &policy);

/// Whether each element of the op's results depends on the one element of each
/// operand that broadcasting aligns with it.
bool isElementwise(mlir::Operation *op);

/// For a result of an optimizer op: the operand, a variable, whose storage the
/// result may take over; null for any other op.
mlir::Value tiedOperand(mlir::OpResult result);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_PASSES_H
