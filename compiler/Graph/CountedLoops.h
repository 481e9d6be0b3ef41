//===- CountedLoops.h - Loops whose iterations are counted ------*- C++ -*-===//
#ifndef INGOT_COMPILER_GRAPH_COUNTEDLOOPS_H
#define INGOT_COMPILER_GRAPH_COUNTEDLOOPS_H

#include "dialects/Ingot/ControlOps.h"

#include <optional>

namespace ingot::graph {

/// Which of the loop's iterations something belongs to.
struct Place {
  /// The loop's counter, an argument of its body.
  mlir::Value counter;
  /// Counted from the last one.
  bool fromEnd = false;

  bool operator==(const Place &) const = default;
};

/// A loop that runs a known number of times, and counts that from zero.
class CountedLoop {
public:
  /// Nothing where the number is not known, or zero.
  static std::optional<CountedLoop> of(mlir::ingot::WhileOp loop);

  mutable mlir::ingot::WhileOp op; // a handle, whose getters are not const
  int64_t trips = 0;

  mlir::Block &body() const { return op.getBody().front(); }
  mlir::BlockArgument argument(unsigned state) const {
    return op.getBody().front().getArgument(state);
  }
  /// What the state is after an iteration.
  mlir::OpOperand &next(unsigned state) const {
    return op.getBody().front().getTerminator()->getOpOperand(state);
  }

  bool isCounter(unsigned state) const;
  /// A counter, as an argument of the body.
  mlir::Value counter() const;
  /// The place that a number computed in the body stands for, if it does.
  std::optional<Place> placeOf(mlir::Value index) const;
  /// Whether the value is there before the loop.
  bool isOutside(mlir::Value value) const;
  /// Whether the body alone uses the state.
  bool isOnlyInBody(unsigned state) const;
};

/// The number that a scalar is known to be.
std::optional<int64_t> scalarConstant(mlir::Value value);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_COUNTEDLOOPS_H
