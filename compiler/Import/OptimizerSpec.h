//===- OptimizerSpec.h - Optimizer updates as nodes -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow has up to four ops for an update: on the whole variable and on
// rows of it, each for resources and for references.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_OPTIMIZERSPEC_H
#define INGOT_COMPILER_IMPORT_OPTIMIZERSPEC_H

#include "compiler/Import/ComputeSpec.h"
#include "dialects/Ingot/OptimizerOps.h"
#include "dialects/Ingot/VariableOps.h"

namespace ingot::importer {

/// The row of an update. In row-sparse updates the indices follow the gradient.
struct OptimizerSpec : ComputeSpec {
  OptimizerSpec(const mlir::ingot::OptimizerInfo &step, bool isSparse);
  const mlir::ingot::OptimizerInfo &step;
};

/// The inputs of an update's node: the variable and its slots, then tensors.
struct StepInputs {
  llvm::SmallVector<mlir::ingot::VariableOp> variables;
  llvm::SmallVector<mlir::Value> tensors;
  llvm::SmallVector<mlir::NamedAttribute> attributes;
};

/// Nothing, with a problem, if they do not match the row.
std::optional<StepInputs> readStep(NodeImport &node, const OptimizerSpec &spec);

/// Assigns the results of `op` to the variables, and sets the node's outputs.
void finishStep(NodeImport &node,
                llvm::ArrayRef<mlir::ingot::VariableOp> variables,
                mlir::Operation *op);

/// Adds the names of an update that `import` imports.
void addStep(OpTable &table, const OptimizerSpec &spec, llvm::StringRef name,
             void (*import)(NodeImport &));

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_OPTIMIZERSPEC_H
