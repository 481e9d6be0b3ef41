//===- InputPipelineVariableReads.h - Variables of pipelines ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// An iterator_next runs the functions of its datasets, and these may read the
// program's variables. So passes that move ops must treat an iterator_next as a
// read of these variables.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_INPUTPIPELINEVARIABLEREADS_H
#define INGOT_COMPILER_GRAPH_INPUTPIPELINEVARIABLEREADS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace ingot::graph {

/// Finds the variables that the input pipeline of each iterator reads, in a
/// program on which ingot-promote-variables-to-ssa has not run yet.
class InputPipelineVariableReads {
public:
  explicit InputPipelineVariableReads(mlir::ModuleOp program);

  /// Whether `op` contains an iterator_next whose pipeline reads `variable`.
  bool reads(mlir::Operation *op, mlir::StringAttr variable) const;

  /// Calls `visit` with the variables that iterator_next ops in `op` read.
  void visitReads(mlir::Operation *op,
                  llvm::function_ref<void(mlir::StringAttr)> visit) const;

private:
  /// For each iterator, the variables that its pipeline reads. If several
  /// pipelines may initialize the iterator, the variables of all these
  /// pipelines.
  llvm::DenseMap<mlir::StringAttr, llvm::SetVector<mlir::StringAttr>>
      byIterator;
};

/// Whether `variable` is one of the graph's own variables, not the state of a
/// random op.
bool isProgramVariable(const mlir::SymbolTable &symbols,
                       mlir::StringAttr variable);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_INPUTPIPELINEVARIABLEREADS_H
