//===- SymbolicShapes.h - Equalities of dynamic dimensions ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds equal dynamic sizes by replacing each dynamic size of an input by a
// large prime of its own and running the shape functions of the ops on these
// primes. Dimensions for which this computes the same number are equal at run
// time, which also works for sums and products of sizes. A loop-carried value
// has the numbers of its initial value if the body yields a value with the same
// numbers.
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
class SliceRegionOp;
class WhileOp;
} // namespace mlir::ingot

namespace ingot::graph {

/// Tells which dimensions of the tensors in an entry or function are equal:
/// each dimension has a number, and dimensions with equal numbers have equal
/// sizes at run time.
class SymbolicShapes {
public:
  /// The smallest number that represents a dynamic size. Such numbers are
  /// primes from here on, or are computed from these primes. Smaller numbers
  /// are static sizes.
  static constexpr int64_t leastPrime = 1'000'003;

  /// Computes the numbers for all tensors of known rank in `root`, an entry or
  /// a function. The arguments of `root` in `sameRows` are known to have equal
  /// first dimensions.
  SymbolicShapes(mlir::Operation *root, const mlir::SymbolTable &symbols,
                 llvm::ArrayRef<mlir::Value> sameRows = {});

  /// Returns a number for each dimension of `value`; empty if `value` is not a
  /// tensor of known rank.
  llvm::ArrayRef<int64_t> operator[](mlir::Value value) const;

  /// Returns a number for each element of `value`, an integer tensor of sizes
  /// such as the result of a shape op; std::nullopt if the elements are not
  /// computed from sizes.
  std::optional<llvm::SmallVector<int64_t>> elements(mlir::Value value) const;

private:
  int64_t nextPrime();
  /// Returns `type` with a new prime number in place of each dynamic dimension.
  mlir::Type standIn(mlir::Type type);
  void visit(mlir::Operation *op);
  void visitBlock(mlir::Block &block);
  void visitLoop(mlir::ingot::WhileOp loop);
  void visitSlices(mlir::ingot::SliceRegionOp slices);
  void visitBranches(mlir::ingot::IfOp branches);

  const mlir::SymbolTable &symbols;
  /// Numbers are computed on `copy`, a clone of the entry or function in which
  /// primes replace dynamic dimensions. Maps the values of `copy` to their
  /// original types.
  llvm::DenseMap<mlir::Value, mlir::Type> originals;

  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t>> numbers;
  mlir::IRMapping isomorphic;
  mlir::OwningOpRef<mlir::Operation *> copy;
  int64_t last = leastPrime;
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_SYMBOLICSHAPES_H
