//===- DropDeadLoopState.cpp - Drops dead loop-carried state --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/IR/ControlOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_DROPDEADLOOPSTATEPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-drop-dead-loop-state"

using namespace mlir;
using namespace mlir::ingot;

namespace {

/// Finds which loop-carried values of one loop are live, and removes the dead
/// ones.
class DeadLoopStateRemover {
public:
  explicit DeadLoopStateRemover(WhileOp loop)
      : loop(loop), test(loop.getTest().front()), body(loop.getBody().front()),
        isNeeded(loop->getNumResults()) {}

  void find();
  bool isAllNeeded() const { return isNeeded.all(); }
  unsigned countDead() const { return isNeeded.size() - isNeeded.count(); }
  void dropRest();

private:
  void need(Value value);
  void need(Operation *op);
  void needState(unsigned index);
  void drop(Block &block);

  WhileOp loop;
  Block &test, &body;
  BitVector isNeeded;
  DenseSet<Operation *> needed; // live ops of `test` and `body`
};

} // namespace

void DeadLoopStateRemover::needState(unsigned index) {
  if (isNeeded[index])
    return;
  isNeeded.set(index);
  need(body.getTerminator()->getOperand(index));
}

void DeadLoopStateRemover::need(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() == &test || argument.getOwner() == &body)
      needState(argument.getArgNumber());
    return;
  }
  for (Block *block : {&test, &body})
    if (Operation *op = block->findAncestorOpInBlock(*value.getDefiningOp()))
      need(op);
}

void DeadLoopStateRemover::need(Operation *op) {
  if (!needed.insert(op).second)
    return;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      need(operand);
  });
}

// Computes liveness from its roots: used results, the condition, and side
// effects. A live loop-carried value makes the op that computes its next value
// live. So a value that only its own next value depends on stays dead.
void DeadLoopStateRemover::find() {
  for (OpResult result : loop->getResults())
    if (!result.use_empty())
      needState(result.getResultNumber());
  need(test.getTerminator());
  for (Block *block : {&test, &body})
    for (Operation &op : block->without_terminator())
      if (!isMemoryEffectFree(&op))
        need(&op);
}

void DeadLoopStateRemover::drop(Block &block) {
  SmallVector<Operation *> unused;
  for (Operation &op : block.without_terminator())
    if (!needed.contains(&op))
      unused.push_back(&op);
  for (Operation *op : llvm::reverse(unused))
    op->erase();
  BitVector rest = isNeeded;
  block.eraseArguments(rest.flip());
}

void DeadLoopStateRemover::dropRest() {
  SmallVector<Value> inits;
  SmallVector<Type> types;
  SmallVector<OpResult> results;
  for (unsigned index : isNeeded.set_bits()) {
    inits.push_back(loop.getInits()[index]);
    results.push_back(loop->getResult(index));
    types.push_back(results.back().getType());
  }
  BitVector rest = isNeeded;
  body.getTerminator()->eraseOperands(rest.flip());
  drop(test);
  drop(body);
  Operation *rebuilt = rebuildWithRegions(loop, inits, types);
  for (auto [from, to] : llvm::zip(results, rebuilt->getResults()))
    from.replaceAllUsesWith(to);
  loop.erase();
}

namespace {

struct DropDeadLoopState
    : ::ingot::graph::impl::DropDeadLoopStatePassBase<DropDeadLoopState> {
  void runOnOperation() override {
    // Visit later loops first: a result of an earlier loop may be used only by
    // dead state of a later loop. Once that state has been dropped, the result
    // is dead, too.
    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>(
        [this](Operation *op) {
          if (isOpTriviallyDead(op))
            return op->erase();
          auto loop = dyn_cast<WhileOp>(op);
          if (!loop)
            return;
          DeadLoopStateRemover state(loop);
          state.find();
          if (state.isAllNeeded())
            return;
          LLVM_DEBUG(llvm::dbgs()
                     << "drop " << state.countDead() << " of "
                     << loop->getNumResults() << " values of the loop at "
                     << loop.getLoc() << '\n');
          numDropped += state.countDead();
          state.dropRest();
        });
  }
};

} // namespace
