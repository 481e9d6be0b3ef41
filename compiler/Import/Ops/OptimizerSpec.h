//===- OptimizerSpec.h - Op table rows of optimizer updates -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow has up to four ops for the update of one optimizer: they update
// the whole variable or only some of its rows, for resource variables or for
// reference variables.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_OPS_OPTIMIZERSPEC_H
#define INGOT_COMPILER_IMPORT_OPS_OPTIMIZERSPEC_H

#include "compiler/Import/Ops/OneToOneOpSpec.h"
#include "dialects/Ingot/IR/OptimizerOps.h"
#include "dialects/Ingot/IR/VariableOps.h"

namespace ingot::importer {

/// The op table's row of an optimizer's update op, such as ResourceApplyAdam.
/// In a row-sparse update, input `indices` follows the gradient.
struct OptimizerSpec : OneToOneOpSpec {
  OptimizerSpec(const mlir::ingot::OptimizerInfo &step, bool isSparse);
  const mlir::ingot::OptimizerInfo &step;
};

/// The inputs and attributes of an optimizer's update node. `variables` are the
/// variable and its slot variables, `tensors` the other inputs.
struct OptimizerInputs {
  llvm::SmallVector<mlir::ingot::VariableOp> variables;
  llvm::SmallVector<mlir::Value> tensors;
  llvm::SmallVector<mlir::NamedAttribute> attributes;
};

/// Reads the inputs and attributes of an optimizer's update node. Returns
/// std::nullopt, with a recorded problem, if they do not match `spec`.
std::optional<OptimizerInputs> readStep(NodeImport &node,
                                        const OptimizerSpec &spec);

/// Assigns the results of `op`, the new values, to `variables`, and sets the
/// outputs of the update node.
void finishStep(NodeImport &node,
                llvm::ArrayRef<mlir::ingot::VariableOp> variables,
                mlir::Operation *op);

/// Adds an optimizer's update ops to the table: "Resource" + `name` and, if the
/// update has a form for reference variables, `name` itself. `import` imports
/// nodes of both ops.
void addStep(OpTable &table, const OptimizerSpec &spec, llvm::StringRef name,
             void (*import)(NodeImport &));

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_OPS_OPTIMIZERSPEC_H
