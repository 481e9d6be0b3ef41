//===- ReductionCombiners.h - Combining partial reductions ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Threads that reduce parts of a dimension need the op that combines two
// partial results, and that op's identity. Both are derived from the body of a
// reduction.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_REDUCTIONCOMBINERS_H
#define INGOT_CODEGEN_PTX_REDUCTIONCOMBINERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::ptx {

/// The ops that combine two partial results of a reduction. Each result has a
/// combiner of its own, except in an argmax or argmin (an *arg reduction*): it
/// has one combiner for its two results, a value and its index.
class ReductionCombiners {
public:
  explicit ReductionCombiners(mlir::linalg::GenericOp op);

  /// Whether the body has combiners for all results. If not, the reduction
  /// cannot be split among threads.
  bool areKnown() const { return comparison || !each.empty(); }
  /// Whether the reduction is an argmax or argmin.
  bool isArgReduction() const { return comparison; }
  /// Whether a combiner adds floats, so that results depend on the order.
  bool addFloats() const;

  /// Combines two partial results, `a` and `c`, of the result with index
  /// `output`. Must not be called for an argmax or argmin.
  mlir::Value combine(mlir::ImplicitLocOpBuilder &b, unsigned output,
                      mlir::Value a, mlir::Value c) const;
  /// Combines two partial results, `a` and `c`, of all results together. If the
  /// values of an argmax or argmin are equal, returns the one with the smaller
  /// index, so that results do not depend on how the dimension was split among
  /// threads.
  mlir::SmallVector<mlir::Value> combine(mlir::ImplicitLocOpBuilder &b,
                                         mlir::ValueRange a,
                                         mlir::ValueRange c) const;
  /// Returns the identity of each result's combiner. For an argmax or
  /// argmin, that is the value that is worse than all others.
  mlir::SmallVector<mlir::Value> neutral(mlir::ImplicitLocOpBuilder &b) const;

private:
  mlir::SmallVector<mlir::Operation *> each;
  /// The comparison op of an argmax or argmin; null for other reductions.
  mlir::Operation *comparison;
  mlir::Type indexType;
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_REDUCTIONCOMBINERS_H
