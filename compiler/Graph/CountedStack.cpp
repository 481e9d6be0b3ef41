//===- CountedStack.cpp - A stack between two counted loops ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/CountedStack.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

std::optional<CountedLoop> countedLoopAround(Operation *op, Block *block) {
  auto loop = dyn_cast<WhileOp>(op->getParentOp());
  if (!loop || loop->getBlock() != block ||
      op->getBlock() != &loop.getBody().front())
    return std::nullopt;
  return CountedLoop::of(loop);
}

std::optional<CountedStack> CountedStack::of(StackOp stack) {
  StackPushOp push;
  StackPopOp pop;
  for (Operation *user : stack->getUsers()) {
    auto pushes = dyn_cast<StackPushOp>(user);
    auto pops = dyn_cast<StackPopOp>(user);
    if ((pushes && push) || (pops && pop) || (!pushes && !pops))
      return std::nullopt;
    push = pushes ? pushes : push;
    pop = pops ? pops : pop;
  }
  if (!push || !pop)
    return std::nullopt;
  std::optional<CountedLoop> writer =
      countedLoopAround(push, stack->getBlock());
  std::optional<CountedLoop> reader = countedLoopAround(pop, stack->getBlock());
  if (!writer || !reader || !reader->hasTripsOf(*writer) ||
      !writer->op->isBeforeInBlock(reader->op))
    return std::nullopt;
  // Values of other types fail at run time.
  for (Value value : {Value(push.getValue()), Value(pop.getValue())})
    if (getElementTypeOrSelf(value) != stack.getElementType())
      return std::nullopt;
  return CountedStack{stack, push, pop, *writer, *reader};
}

} // namespace ingot::graph
