//===- CountedLoops.h - Loops of known trip count ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_COUNTEDLOOPS_H
#define INGOT_COMPILER_GRAPH_COUNTEDLOOPS_H

#include "dialects/Ingot/IR/ControlOps.h"

#include <optional>

namespace ingot::graph {

/// An index that depends on the iteration of a counted loop. It selects, for
/// example, the element of a list or the row of a stacked tensor.
struct ForwardOrReverseLoopIndex {
  /// The loop's counter, an argument of its body.
  mlir::Value counter;
  /// If true, the index is trip count - 1 - `counter` instead of `counter`.
  bool fromEnd = false;

  bool operator==(const ForwardOrReverseLoopIndex &) const = default;
};

/// An `ingot.while` whose trip count is known at compile time, with a counter
/// that starts at zero and increases by one.
class CountedLoop {
public:
  /// Returns `loop` as a counted loop; std::nullopt if its trip count is
  /// unknown or zero.
  static std::optional<CountedLoop> of(mlir::ingot::WhileOp loop);

  // Mutable because the getters of MLIR's op handles are not const.
  mutable mlir::ingot::WhileOp op;
  int64_t trips = 0;

  mlir::Block &body() const { return op.getBody().front(); }
  mlir::BlockArgument argument(unsigned state) const {
    return op.getBody().front().getArgument(state);
  }
  /// Returns the operand of the body's terminator that is the next value of
  /// loop-carried value `state`.
  mlir::OpOperand &next(unsigned state) const {
    return op.getBody().front().getTerminator()->getOpOperand(state);
  }

  /// Whether loop-carried value `state` is an i32 that starts at zero and
  /// increases by one in each iteration.
  bool isCounter(unsigned state) const;
  /// Returns a counter of the loop, as an argument of its body.
  mlir::Value counter() const;
  /// If `index`, a value in the body, is the loop counter or trip count - 1 -
  /// counter, returns it as a ForwardOrReverseLoopIndex. Returns std::nullopt
  /// for other values.
  std::optional<ForwardOrReverseLoopIndex> placeOf(mlir::Value index) const;
  /// Whether `value` is defined outside the loop and thus is loop-invariant.
  bool isOutside(mlir::Value value) const;
  /// Whether loop-carried value `state` is used only by ops directly in the
  /// body, not in the condition nor in nested regions.
  bool isUsedInBodyOnly(unsigned state) const;
};

/// If `value` is a constant integer scalar, returns its value; otherwise
/// std::nullopt.
std::optional<int64_t> scalarConstant(mlir::Value value);

/// Returns the compile-time value of `value` if it is an integer constant or
/// the final counter of a counted loop, which equals that loop's trip count.
/// Returns std::nullopt for other values.
std::optional<int64_t> constantOrTripCount(mlir::Value value);

/// Appends a loop-carried value of type `type`, which starts as `init` and
/// which each iteration passes on unchanged. Returns the new loop; `loop` is
/// erased.
mlir::ingot::WhileOp appendLoopState(mlir::ingot::WhileOp loop,
                                     mlir::Value init, mlir::Type type);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_COUNTEDLOOPS_H
