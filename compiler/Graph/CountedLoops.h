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
  /// A counter or a reverse counter of the loop, an argument of its body.
  mlir::Value counter;
  /// If true, the index is trip count - 1 - `counter` instead of `counter`.
  /// Only loops whose trip count is exact have such indices: there, this is
  /// also what `from_end` means of a tensor with one row per iteration.
  bool fromEnd = false;

  bool operator==(const ForwardOrReverseLoopIndex &) const = default;
};

/// An `ingot.while` with a counter that starts at zero and increases by one,
/// whose trip count is known at compile time, or at least an upper bound of it.
class CountedLoop {
public:
  /// Returns `loop` as a counted loop; std::nullopt if nothing bounds its trip
  /// count, or if it has no iterations.
  static std::optional<CountedLoop> of(mlir::ingot::WhileOp loop);

  // Mutable because the getters of MLIR's op handles are not const.
  mutable mlir::ingot::WhileOp op;
  /// The trip count or, unless it `isExact`, an upper bound of it.
  int64_t trips = 0;
  /// Whether each run of the loop has `trips` iterations. Other loops have at
  /// most as many.
  bool isExact = true;
  /// Whether a run of the loop may have no iterations.
  bool mayBeEmpty = false;
  /// The trip count of an inexact loop, where it is known before the loop: as
  /// the final counter of an earlier one. Null otherwise.
  mlir::Value count;

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
  /// Whether loop-carried value `state` is an i32 that starts at `count` - 1
  /// and decreases by one in each iteration. ingot-normalize-loop-counters adds
  /// it.
  bool isReverseCounter(unsigned state) const;
  /// Returns a counter of the loop, as an argument of its body.
  mlir::Value counter() const;
  /// Whether each run of the loop has as many iterations as one of `other`.
  bool hasTripsOf(const CountedLoop &other) const;
  /// If `index`, a value in the body, is the loop counter or trip count - 1 -
  /// counter, returns it as a ForwardOrReverseLoopIndex. Returns std::nullopt
  /// for other values.
  std::optional<ForwardOrReverseLoopIndex> placeOf(mlir::Value index) const;
  /// Likewise for the row that an op accesses at `index`, or, if `fromEnd`,
  /// that many rows before the last one of a tensor with `trips` rows.
  std::optional<ForwardOrReverseLoopIndex> placeOf(mlir::Value index,
                                                   bool fromEnd) const;
  /// Whether `place` runs from the last iteration to the first one.
  bool isReverse(const ForwardOrReverseLoopIndex &place) const;
  /// Returns the index that is zero in the first iteration or, if `isReverse`,
  /// in the last one; std::nullopt if the loop has no such index.
  std::optional<ForwardOrReverseLoopIndex> index(bool isReverse) const;
  /// Whether `value` is defined outside the loop and thus is loop-invariant.
  bool isOutside(mlir::Value value) const;
  /// Whether loop-carried value `state` is used only by ops directly in the
  /// body, not in the condition nor in nested regions.
  bool isUsedInBodyOnly(unsigned state) const;

private:
  void addTerm(mlir::Value condition);

  /// The loop whose counters decide how many iterations this loop has: itself
  /// or an earlier one.
  mutable mlir::ingot::WhileOp origin;
};

/// If `value` is the final counter of a counted loop, which equals that loop's
/// trip count, returns this loop; otherwise std::nullopt.
std::optional<CountedLoop> loopCountedBy(mlir::Value value);

/// If `value` is a constant integer scalar, returns its value; otherwise
/// std::nullopt.
std::optional<int64_t> scalarConstant(mlir::Value value);

/// Returns the compile-time value of `value` if it is an integer constant or
/// the final counter of a counted loop whose trip count is exact. Returns
/// std::nullopt for other values.
std::optional<int64_t> constantOrTripCount(mlir::Value value);

/// Appends a loop-carried value of type `type`, which starts as `init` and
/// which each iteration passes on unchanged. Returns the new loop; `loop` is
/// erased.
mlir::ingot::WhileOp appendLoopState(mlir::ingot::WhileOp loop,
                                     mlir::Value init, mlir::Type type);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_COUNTEDLOOPS_H
