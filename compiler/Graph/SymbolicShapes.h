//===- SymbolicShapes.h - Equalities of dynamic dimensions ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Shape functions run on stand-ins: each dynamic dimension is replaced by a
// large prime of its own. Results in which the same number comes out are
// equally long for any input; this covers sums and products of dimensions.
// Loop-carried values have their initial numbers as long as the body keeps
// them.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_SYMBOLICSHAPES_H
#define INGOT_COMPILER_GRAPH_SYMBOLICSHAPES_H

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace mlir::ingot {
class IfOp;
class WhileOp;
} // namespace mlir::ingot

namespace ingot::graph {

class SymbolicShapes {
public:
  /// Finds equal sizes among all tensors of known rank in `root`, an entry or a
  /// function.
  SymbolicShapes(mlir::Operation *root, const mlir::SymbolTable &symbols);

  /// A number for each dimension, equal for equal dimensions; empty for values
  /// that are not tensors of known rank.
  llvm::ArrayRef<int64_t> operator[](mlir::Value value) const;

  /// Likewise for the elements of an integer tensor that holds sizes; nothing
  /// if they do not follow from sizes.
  std::optional<llvm::SmallVector<int64_t>> elements(mlir::Value value) const;

private:
  int64_t nextPrime();
  /// Types with stand-ins for the dynamic dimensions of `type`.
  mlir::Type standIn(mlir::Type type);
  void visit(mlir::Operation *op);
  void visitBlock(mlir::Block &block);
  void visitLoop(mlir::ingot::WhileOp loop);
  void visitBranches(mlir::ingot::IfOp branches);

  const mlir::SymbolTable &symbols;
  /// The original types of the copy's values.
  llvm::DenseMap<mlir::Value, mlir::Type> originals;

  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t>> numbers;
  mlir::IRMapping isomorphic;
  mlir::OwningOpRef<mlir::Operation *> copy;
  int64_t last = 1'000'003;
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_SYMBOLICSHAPES_H
