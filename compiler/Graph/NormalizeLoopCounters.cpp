//===- NormalizeLoopCounters.cpp - Loops that count down -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/CountedLoops.h"
#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_NORMALIZELOOPCOUNTERSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-normalize-loop-counters"

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::graph::constantOrTripCount;
using ::ingot::graph::scalarConstant;

/// Returns the argument of the loop's test that is compared if the loop goes on
/// while this is at least one; null for other conditions.
static BlockArgument comparedWithOne(WhileOp loop) {
  Block &test = loop.getTest().front();
  Value condition = test.getTerminator()->getOperand(0);
  Value compared;
  if (auto atLeast = condition.getDefiningOp<GreaterEqualOp>())
    compared =
        scalarConstant(atLeast.getRhs()) == 1 ? atLeast.getLhs() : Value();
  else if (auto above = condition.getDefiningOp<GreaterOp>())
    compared = scalarConstant(above.getRhs()) == 0 ? above.getLhs() : Value();
  auto argument = dyn_cast_or_null<BlockArgument>(compared);
  return argument && argument.getOwner() == &test ? argument : BlockArgument();
}

namespace {

/// Makes a loop that counts down from its trip count to zero count up instead.
class CounterReverser {
public:
  /// `state`: the index of the loop-carried value that counts.
  CounterReverser(WhileOp loop, unsigned state, int32_t trips)
      : loop(loop), state(state), before(loop),
        type(cast<RankedTensorType>(loop->getResult(state).getType())),
        trips(constant(trips)) {}

  void run();

private:
  Value constant(int32_t value) {
    return createConstant(before, loop.getLoc(),
                          DenseIntElementsAttr::get(type, value));
  }

  void countRemaining(Block &block);

  WhileOp loop;
  unsigned state;
  OpBuilder before;
  RankedTensorType type;
  Value trips;
};

} // namespace

/// Replaces the counter in `block` by the number of iterations that remain, of
/// which the counter, counting up, is what the trip count lacks.
void CounterReverser::countRemaining(Block &block) {
  BlockArgument counter = block.getArgument(state);
  auto builder = OpBuilder::atBlockBegin(&block);
  auto remaining = SubOp::create(builder, loop.getLoc(), type, trips, counter);
  counter.replaceAllUsesExcept(remaining, remaining);
}

void CounterReverser::run() {
  Block &test = loop.getTest().front(), &body = loop.getBody().front();
  countRemaining(test);
  countRemaining(body);
  Operation *end = test.getTerminator();
  OpBuilder atTest(end), atBody(body.getTerminator());
  Value condition = end->getOperand(0);
  end->setOperand(0, LessOp::create(atTest, loop.getLoc(), condition.getType(),
                                    test.getArgument(state), trips));
  body.getTerminator()->setOperand(
      state, AddOp::create(atBody, loop.getLoc(), type, body.getArgument(state),
                           constant(1)));
  Value zero = constant(0);
  loop->setOperand(state, zero);
  // In the end no iterations remain.
  loop->getResult(state).replaceAllUsesWith(zero);
}

/// Makes the loop count up if it counts down from a known trip count. Returns
/// whether it did.
static bool normalize(WhileOp loop) {
  BlockArgument compared = comparedWithOne(loop);
  auto type = compared ? dyn_cast<RankedTensorType>(compared.getType())
                       : RankedTensorType();
  if (!type || type.getRank() != 0 ||
      !type.getElementType().isSignlessInteger(32))
    return false;
  unsigned state = compared.getArgNumber();
  Block &body = loop.getBody().front();
  auto next = body.getTerminator()->getOperand(state).getDefiningOp<SubOp>();
  std::optional<int64_t> trips = constantOrTripCount(loop.getInits()[state]);
  if (!next || next.getLhs() != body.getArgument(state) ||
      scalarConstant(next.getRhs()) != 1 || !trips || *trips < 1)
    return false;
  LLVM_DEBUG(llvm::dbgs() << "loop at " << loop.getLoc() << " of " << *trips
                          << " iterations counts up\n");
  CounterReverser(loop, state, static_cast<int32_t>(*trips)).run();
  return true;
}

namespace {
struct NormalizeLoopCounters
    : ::ingot::graph::impl::NormalizeLoopCountersPassBase<
          NormalizeLoopCounters> {
  void runOnOperation() override {
    for (auto entry : getOperation().getOps<EntryOp>())
      entry.walk([&](WhileOp loop) { numNormalized += normalize(loop); });
  }
};
} // namespace
