//===- Combiners.h - Combining partial reductions ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Threads that reduce parts of a dimension need the op that combines two
// partial results, and its identity.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_COMBINERS_H
#define INGOT_CODEGEN_PTX_COMBINERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::ptx {

/// The combiners of an op's destinations: one op for each of them, or one for
/// two together, as in an argmax or argmin, which has a value and its index.
class Combiners {
public:
  explicit Combiners(mlir::linalg::GenericOp op);

  /// Whether the body has one of these forms; else it cannot be split.
  bool areKnown() const { return search || !each.empty(); }
  bool areSearch() const { return search; }
  /// Whether floats are added, whose sums depend on the order.
  bool addFloats() const;

  /// Combines two parts of one destination; not of a search.
  mlir::Value combine(mlir::ImplicitLocOpBuilder &b, unsigned output,
                      mlir::Value a, mlir::Value c) const;
  /// Combines two parts of all destinations. A search takes the first of equal
  /// values, so that results do not depend on how it was split.
  mlir::SmallVector<mlir::Value> combine(mlir::ImplicitLocOpBuilder &b,
                                         mlir::ValueRange a,
                                         mlir::ValueRange c) const;
  /// The combiners' identities.
  mlir::SmallVector<mlir::Value> neutral(mlir::ImplicitLocOpBuilder &b) const;

private:
  mlir::SmallVector<mlir::Operation *> each;
  /// The comparison of a search; else null.
  mlir::Operation *search;
  mlir::Type placeType;
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_COMBINERS_H
