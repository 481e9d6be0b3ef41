//===- PipelineReads.h - Variables that pipelines read ----------*- C++ -*-===//
//
// A request for an element runs functions of datasets, which may read the
// program's variables: so the request reads them.
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

  /// Whether `op` holds a request for an element whose making reads `variable`.
  bool reads(mlir::Operation *op, mlir::StringAttr variable) const;

  /// Calls `visit` with the variables that requests in `op` read.
  void visitReads(mlir::Operation *op,
                  llvm::function_ref<void(mlir::StringAttr)> visit) const;

private:
  /// By iterator, with all pipelines that it may be made over.
  llvm::DenseMap<mlir::StringAttr, llvm::SetVector<mlir::StringAttr>>
      byIterator;
};

/// Whether a variable is one of the program's, and not what random ops keep.
bool isOfProgram(const mlir::SymbolTable &symbols, mlir::StringAttr variable);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_PIPELINEREADS_H
