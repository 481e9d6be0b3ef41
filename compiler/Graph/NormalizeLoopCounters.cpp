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
using ::ingot::graph::appendLoopState;
using ::ingot::graph::constantOrTripCount;
using ::ingot::graph::CountedLoop;
using ::ingot::graph::loopCountedBy;
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

static Value constant(OpBuilder &builder, Location loc, Type type,
                      int32_t value) {
  return createConstant(
      builder, loc, DenseIntElementsAttr::get(cast<ShapedType>(type), value));
}

namespace {

/// Makes a loop that counts down from its trip count to zero count up instead.
class CounterReverser {
public:
  /// `state`: the index of the loop-carried value that counts, from `trips` on.
  CounterReverser(WhileOp loop, unsigned state, Value trips)
      : loop(loop), state(state), before(loop),
        type(cast<RankedTensorType>(trips.getType())), trips(trips) {}

  void run();

private:
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
                           constant(before, loop.getLoc(), type, 1)));
  Value zero = constant(before, loop.getLoc(), type, 0);
  loop->setOperand(state, zero);
  // In the end no iterations remain.
  loop->getResult(state).replaceAllUsesWith(zero);
}

/// Makes the loop count up if it counts down from its trip count, which is
/// either known at compile time or the trip count of an earlier counted loop.
/// Returns whether it did.
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
  if (!next || next.getLhs() != body.getArgument(state) ||
      scalarConstant(next.getRhs()) != 1)
    return false;
  Value trips = loop.getInits()[state];
  std::optional<int64_t> known = constantOrTripCount(trips);
  if (known ? *known < 1 : !loopCountedBy(trips))
    return false;
  OpBuilder before(loop);
  if (known)
    trips = constant(before, loop.getLoc(), type, static_cast<int32_t>(*known));
  LLVM_DEBUG(llvm::dbgs() << "loop at " << loop.getLoc() << " counts up to "
                          << trips << '\n');
  CounterReverser(loop, state, trips).run();
  return true;
}

/// Adds a reverse counter to a loop whose trip count is known only at run time,
/// as that of an earlier loop. The host reads a loop-carried index once an
/// iteration; it would have to wait for a kernel that computes one.
static void addReverseCounter(WhileOp loop) {
  std::optional<CountedLoop> counted = CountedLoop::of(loop);
  if (!counted || !counted->count || counted->index(/*isReverse=*/true))
    return;
  Location loc = loop.getLoc();
  Type type = counted->count.getType();
  OpBuilder before(loop);
  Value one = constant(before, loc, type, 1);
  loop = appendLoopState(
      loop, SubOp::create(before, loc, type, counted->count, one), type);
  Operation *end = loop.getBody().front().getTerminator();
  OpOperand &next = end->getOpOperands().back();
  OpBuilder builder(end);
  next.set(SubOp::create(builder, loc, type, next.get(), one));
}

namespace {
struct NormalizeLoopCounters
    : ::ingot::graph::impl::NormalizeLoopCountersPassBase<
          NormalizeLoopCounters> {
  void runOnOperation() override {
    SmallVector<WhileOp> loops;
    for (auto entry : getOperation().getOps<EntryOp>())
      entry.walk([&](WhileOp loop) { loops.push_back(loop); });
    for (WhileOp loop : loops) {
      numNormalized += normalize(loop);
      addReverseCounter(loop);
    }
  }
};
} // namespace
