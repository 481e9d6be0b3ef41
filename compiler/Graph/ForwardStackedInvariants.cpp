//===- ForwardStackedInvariants.cpp - Forwards invariants past stacks -----===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/IR/TensorArrayOps.h"

#include "mlir/IR/Dominance.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_FORWARDSTACKEDINVARIANTSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-forward-stacked-invariants"

using namespace mlir;
using namespace mlir::ingot;

namespace {

/// A stack with one push and one pop.
struct SinglePushStack {
  StackOp stack;
  StackPushOp push;
  StackPopOp pop;
  bool isInvariant; // each pop returns the same value
};

} // namespace

/// Returns the push and the pop of a stack that has one of each and no other
/// uses.
static std::optional<SinglePushStack>
findPushAndPop(StackOp stack, const DominanceInfo &dominance) {
  SinglePushStack found = {stack, {}, {}, false};
  for (Operation *user : stack->getUsers()) {
    auto push = dyn_cast<StackPushOp>(user);
    auto pop = dyn_cast<StackPopOp>(user);
    if ((push && found.push) || (pop && found.pop) || (!push && !pop))
      return std::nullopt;
    if (push)
      found.push = push;
    else
      found.pop = pop;
  }
  if (!found.push || !found.pop)
    return std::nullopt;
  // The value has to be the same for as long as the stack lives: a loop around
  // both the push and the pop may define another value in each iteration, while
  // the stack keeps those of earlier ones.
  Value value = found.push.getValue();
  found.isInvariant =
      value.getType() == found.pop.getValue().getType() &&
      value.getParentRegion()->isAncestor(stack->getParentRegion()) &&
      found.push->getBlock() != found.pop->getBlock() &&
      dominance.properlyDominates(value, found.pop);
  return found;
}

static int64_t sizeOfItem(StackPushOp push) {
  auto type = cast<ShapedType>(push.getValue().getType());
  return type.hasStaticShape() ? type.getNumElements() : INT64_MAX;
}

namespace {
struct ForwardStackedInvariants
    : ::ingot::graph::impl::ForwardStackedInvariantsPassBase<
          ForwardStackedInvariants> {
  void runOnOperation() override {
    DominanceInfo dominance(getOperation());
    // Stacks that are created, pushed and popped in the same blocks always have
    // equally many items: one fails if the other fails.
    llvm::MapVector<std::tuple<Block *, Block *, Block *>,
                    SmallVector<SinglePushStack>>
        groups;
    getOperation().walk([&](StackOp stack) {
      if (auto found = findPushAndPop(stack, dominance))
        groups[{stack->getBlock(), found->push->getBlock(),
                found->pop->getBlock()}]
            .push_back(*found);
    });
    for (auto &[blocks, stacks] : groups)
      forward(stacks);
  }

  /// Replaces the pops of stacks whose items are all the same, and erases these
  /// stacks. One stack remains, so that a pop of an empty stack is an error as
  /// before.
  void forward(MutableArrayRef<SinglePushStack> stacks) {
    bool keepsOther = llvm::any_of(
        stacks, [](const SinglePushStack &one) { return !one.isInvariant; });
    SinglePushStack *smallest =
        llvm::min_element(stacks, [](const auto &left, const auto &right) {
          return sizeOfItem(left.push) < sizeOfItem(right.push);
        });
    for (SinglePushStack &one : stacks) {
      if (!one.isInvariant || (!keepsOther && &one == smallest))
        continue;
      LLVM_DEBUG(llvm::dbgs() << "forwards " << one.push.getValue() << '\n');
      one.pop.getValue().replaceAllUsesWith(one.push.getValue());
      one.pop->erase();
      one.push->erase();
      one.stack->erase();
      ++numForwarded;
    }
  }
};
} // namespace
