//===- PipelineReads.h - Variables that input pipelines read ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// An iterator_next runs functions of datasets, which may read the program's
// variables; it then counts as a read of these.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_PIPELINEREADS_H
#define INGOT_COMPILER_GRAPH_PIPELINEREADS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace ingot::graph {

/// Before ingot-promote-variables.
class PipelineReads {
public:
  explicit PipelineReads(mlir::ModuleOp program);

  /// Whether `op` contains an iterator_next whose pipeline reads `variable`.
  bool reads(mlir::Operation *op, mlir::StringAttr variable) const;

  /// Calls `visit` with the variables that iterator_next ops in `op` read.
  void visitReads(mlir::Operation *op,
                  llvm::function_ref<void(mlir::StringAttr)> visit) const;

private:
  /// By iterator, over all pipelines that may initialize it.
  llvm::DenseMap<mlir::StringAttr, llvm::SetVector<mlir::StringAttr>>
      byIterator;
};

/// Whether the variable is the program's, not the state of random ops.
bool isProgramVariable(const mlir::SymbolTable &symbols,
                       mlir::StringAttr variable);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_PIPELINEREADS_H
