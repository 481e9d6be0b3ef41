//===- CountedLoops.h - Loops of known trip count ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_COUNTEDLOOPS_H
#define INGOT_COMPILER_GRAPH_COUNTEDLOOPS_H

#include "dialects/Ingot/ControlOps.h"

#include <optional>

namespace ingot::graph {

/// The iteration of a loop that something belongs to.
struct Place {
  /// The loop's counter, an argument of its body.
  mlir::Value counter;
  /// Counted from the last one.
  bool fromEnd = false;

  bool operator==(const Place &) const = default;
};

/// A loop of known trip count, with a counter that starts at zero.
class CountedLoop {
public:
  /// Nothing if the trip count is unknown or zero.
  static std::optional<CountedLoop> of(mlir::ingot::WhileOp loop);

  mutable mlir::ingot::WhileOp op; // a handle, whose getters are not const
  int64_t trips = 0;

  mlir::Block &body() const { return op.getBody().front(); }
  mlir::BlockArgument argument(unsigned state) const {
    return op.getBody().front().getArgument(state);
  }
  /// The loop-carried value after an iteration.
  mlir::OpOperand &next(unsigned state) const {
    return op.getBody().front().getTerminator()->getOpOperand(state);
  }

  bool isCounter(unsigned state) const;
  /// A counter, as an argument of the body.
  mlir::Value counter() const;
  /// The iteration that a number computed in the body denotes, if it does.
  std::optional<Place> placeOf(mlir::Value index) const;
  /// Whether the value is defined before the loop.
  bool isOutside(mlir::Value value) const;
  /// Whether the loop-carried value is used in the body only.
  bool isUsedInBodyOnly(unsigned state) const;
};

/// The scalar's value, if it is known.
std::optional<int64_t> scalarConstant(mlir::Value value);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_COUNTEDLOOPS_H
