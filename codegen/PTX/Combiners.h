//===- Combiners.h - How parts of a reduction become one --------*- C++ -*-===//
//
// Threads that reduce parts of something each have to know how two parts make
// one, and what nothing is.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_COMBINERS_H
#define INGOT_CODEGEN_PTX_COMBINERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::ptx {

/// What the body of an op does with its destinations: each of them by an op of
/// its own, or both together, as a search for the largest or the smallest
/// number does that says where it is, too.
class Combiners {
public:
  explicit Combiners(mlir::linalg::GenericOp op);

  /// Whether the body has one of these forms; without, there are no parts.
  bool areKnown() const { return search || !each.empty(); }
  bool areSearch() const { return search; }
  /// Whether floats are added up, whose sums depend on the order.
  bool addFloats() const;

  /// Two parts of one destination; not of a search.
  mlir::Value combine(mlir::ImplicitLocOpBuilder &b, unsigned output,
                      mlir::Value a, mlir::Value c) const;
  /// Of all destinations. A search takes the first of equals.
  mlir::SmallVector<mlir::Value> combine(mlir::ImplicitLocOpBuilder &b,
                                         mlir::ValueRange a,
                                         mlir::ValueRange c) const;
  /// What changes no part that it is combined with.
  mlir::SmallVector<mlir::Value> neutral(mlir::ImplicitLocOpBuilder &b) const;

private:
  mlir::SmallVector<mlir::Operation *> each;
  /// How a search compares what it finds.
  mlir::Operation *search;
  mlir::Type placeType;
};

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_COMBINERS_H
