//===- OptimizerSpec.h - Optimizer updates as nodes -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow has up to four ops for an optimizer's update: on the whole
// variable or on some of its rows, each for resource and reference variables.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_OPTIMIZERSPEC_H
#define INGOT_COMPILER_IMPORT_OPTIMIZERSPEC_H

#include "compiler/Import/ComputeSpec.h"
#include "dialects/Ingot/OptimizerOps.h"
#include "dialects/Ingot/VariableOps.h"

namespace ingot::importer {

/// The op table's row of an update. In row-sparse updates, input `indices`
/// follows the gradient.
struct OptimizerSpec : ComputeSpec {
  OptimizerSpec(const mlir::ingot::OptimizerInfo &step, bool isSparse);
  const mlir::ingot::OptimizerInfo &step;
};

/// The inputs of an update's node: the variable and its slot variables, then
/// tensors; and the attributes.
struct StepInputs {
  llvm::SmallVector<mlir::ingot::VariableOp> variables;
  llvm::SmallVector<mlir::Value> tensors;
  llvm::SmallVector<mlir::NamedAttribute> attributes;
};

/// Reads the inputs of an update's node. Returns std::nullopt, with a recorded
/// problem, if they do not match the row.
std::optional<StepInputs> readStep(NodeImport &node, const OptimizerSpec &spec);

/// Assigns the results of `op` to the variables, and sets the node's outputs.
void finishStep(NodeImport &node,
                llvm::ArrayRef<mlir::ingot::VariableOp> variables,
                mlir::Operation *op);

/// Adds the ops of an update, which `import` imports, to the table: "Resource"
/// + `name`, and `name` itself if the update has a form for reference
/// variables.
void addStep(OpTable &table, const OptimizerSpec &spec, llvm::StringRef name,
             void (*import)(NodeImport &));

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_OPTIMIZERSPEC_H
