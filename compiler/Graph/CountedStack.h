//===- CountedStack.h - A stack between two counted loops -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_GRAPH_COUNTEDSTACK_H
#define INGOT_COMPILER_GRAPH_COUNTEDSTACK_H

#include "compiler/Graph/CountedLoops.h"

#include "dialects/Ingot/IR/TensorArrayOps.h"

namespace ingot::graph {

/// A stack of TensorFlow 1 onto which each iteration of a counted loop pushes
/// one value, and from which each iteration of a later loop, with as many
/// iterations, pops one. So no pop fails, and the stack is empty in the end.
struct CountedStack {
  mlir::ingot::StackOp stack;
  mlir::ingot::StackPushOp push;
  mlir::ingot::StackPopOp pop;
  CountedLoop writer; // whose body has the push
  CountedLoop reader; // whose body has the pop

  /// Returns `stack` as one of this kind; std::nullopt if it is not.
  static std::optional<CountedStack> of(mlir::ingot::StackOp stack);
};

/// If `op` is directly in the body of a counted loop that lies directly in
/// `block`, returns this loop; otherwise std::nullopt.
std::optional<CountedLoop> countedLoopAround(mlir::Operation *op,
                                             mlir::Block *block);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_COUNTEDSTACK_H
