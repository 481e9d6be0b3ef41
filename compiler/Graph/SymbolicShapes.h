//===- SymbolicShapes.h - Equalities of dynamic dimensions ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds equal dynamic sizes: replaces each dynamic size of an input by a large
// prime of its own, and runs the shape functions of the ops on these primes.
// Dimensions for which the shape functions compute the same number are equal at
// run time, also if they are sums or products of sizes. If a slice or window
// selects a part of a dynamic size, such as every third element, the size of
// this part gets a new prime. A loop-carried value has the numbers of its
// initial value if the body yields a value with the same numbers.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_SYMBOLICSHAPES_H
#define INGOT_COMPILER_GRAPH_SYMBOLICSHAPES_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <memory>
#include <optional>
#include <set>

namespace ingot::graph {

/// Evaluates the sizes of all tensors once, with a number in place of each
/// dynamic size.
class TensorSizeEvaluator;

/// Tells which dimensions of the tensors in an entry or function are equal:
/// each dimension has a number, and dimensions with equal numbers have equal
/// sizes at run time.
///
/// Sizes are evaluated twice, with different numbers in place of the dynamic
/// ones. Two sizes that are equal in one evaluation by chance, such as the
/// difference of two sizes and a constant, differ in the other one.
class SymbolicShapes {
public:
  /// The lower bound of the numbers that represent dynamic sizes: these are
  /// primes, or are computed from primes. Smaller numbers are static sizes.
  static constexpr int64_t leastPrime = 1'000'003;

  /// Computes the numbers for all tensors of known rank in `root`, an entry or
  /// a function. The arguments of `root` in `sameRows` are known to have equal
  /// first dimensions.
  SymbolicShapes(mlir::Operation *root, const mlir::SymbolTable &symbols,
                 llvm::ArrayRef<mlir::Value> sameRows = {});
  SymbolicShapes(SymbolicShapes &&) noexcept;
  SymbolicShapes &operator=(SymbolicShapes &&) noexcept;
  ~SymbolicShapes();

  /// Returns a number for each dimension of `value`; empty if `value` is not a
  /// tensor of known rank.
  llvm::ArrayRef<int64_t> operator[](mlir::Value value) const;

  /// Returns a number for each element of `value`, an integer tensor of sizes
  /// such as the result of a shape op; std::nullopt if the elements are not
  /// computed from sizes.
  std::optional<llvm::SmallVector<int64_t>> elements(mlir::Value value) const;

private:
  void record(mlir::Value value);
  /// Returns the number for a size that the first evaluation computes as `a`
  /// and the second one as `b`.
  int64_t numberOf(int64_t a, int64_t b) const;

  std::unique_ptr<TensorSizeEvaluator> first, second;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t>> numbers;
  /// Sizes are equal if both evaluators, which use different numbers for the
  /// dynamic sizes, compute equal values for them. `pairs` maps the two values
  /// that the evaluators compute for a size to the number of this size. The
  /// number is the first value, or a new number if another pair already has
  /// this value as its number. `taken` are the numbers in use.
  mutable std::map<std::pair<int64_t, int64_t>, int64_t> pairs;
  mutable std::set<int64_t> taken;
};

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_SYMBOLICSHAPES_H
