//===- OptimizerSpec.h - Steps of optimizers as nodes -----------*- C++ -*-===//
//
// TensorFlow has a step under up to four names: on the whole variable and on
// rows of it, each for resources and for references.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_OPTIMIZERSPEC_H
#define INGOT_COMPILER_IMPORT_OPTIMIZERSPEC_H

#include "compiler/Import/ComputeSpec.h"
#include "dialects/Ingot/OptimizerOps.h"
#include "dialects/Ingot/VariableOps.h"

namespace ingot::importer {

/// The row of a step. On rows, the gradient has their indices behind it.
struct OptimizerSpec : ComputeSpec {
  OptimizerSpec(const mlir::ingot::OptimizerInfo &step, bool isSparse);
  const mlir::ingot::OptimizerInfo &step;
};

/// What a node of a step is given: the variable and its slots, then tensors.
struct StepInputs {
  llvm::SmallVector<mlir::ingot::VariableOp> variables;
  llvm::SmallVector<mlir::Value> tensors;
  llvm::SmallVector<mlir::NamedAttribute> attributes;
};

/// Nothing, with the problem recorded, where they are not what the row says.
std::optional<StepInputs> readStep(NodeImport &node, const OptimizerSpec &spec);

/// Assigns what `op` gives to the variables, and sets the node's outputs.
void finishStep(NodeImport &node,
                llvm::ArrayRef<mlir::ingot::VariableOp> variables,
                mlir::Operation *op);

/// Adds the names of a step that `import` imports.
void addStep(OpTable &table, const OptimizerSpec &spec, llvm::StringRef name,
             void (*import)(NodeImport &));

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_OPTIMIZERSPEC_H
