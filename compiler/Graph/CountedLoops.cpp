//===- CountedLoops.cpp - Loops of bounded trip count ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/CountedLoops.h"

#include "dialects/Ingot/IR/MathOps.h"

#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

std::optional<int64_t> scalarConstant(Value value) {
  DenseIntElementsAttr elements;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() != 0 ||
      !matchPattern(value, m_Constant(&elements)))
    return std::nullopt;
  return (*elements.begin()).getSExtValue();
}

bool CountedLoop::isCounter(unsigned state) const {
  Value argument = this->argument(state);
  auto add = next(state).get().getDefiningOp<AddOp>();
  return add && getElementTypeOrSelf(argument).isSignlessInteger(32) &&
         scalarConstant(op.getInits()[state]) == 0 &&
         ((add.getLhs() == argument && scalarConstant(add.getRhs()) == 1) ||
          (add.getRhs() == argument && scalarConstant(add.getLhs()) == 1));
}

bool CountedLoop::isReverseCounter(unsigned state) const {
  auto first = op.getInits()[state].getDefiningOp<SubOp>();
  auto sub = next(state).get().getDefiningOp<SubOp>();
  return count && first && first.getLhs() == count &&
         scalarConstant(first.getRhs()) == 1 && sub &&
         sub.getLhs() == argument(state) && scalarConstant(sub.getRhs()) == 1;
}

Value CountedLoop::counter() const {
  for (BlockArgument argument : op.getBody().front().getArguments())
    if (isCounter(argument.getArgNumber()))
      return argument;
  return nullptr;
}

bool CountedLoop::isOutside(Value value) const {
  return !op->isAncestor(value.getParentBlock()->getParentOp());
}

bool CountedLoop::isUsedInBodyOnly(unsigned state) const {
  Block &body = this->body();
  return op.getTest().front().getArgument(state).use_empty() &&
         llvm::all_of(argument(state).getUsers(), [&](Operation *user) {
           return user->getBlock() == &body;
         });
}

bool CountedLoop::hasTripsOf(const CountedLoop &other) const {
  return isExact == other.isExact &&
         (isExact ? trips == other.trips : origin == other.origin);
}

std::optional<ForwardOrReverseLoopIndex>
CountedLoop::placeOf(Value index) const {
  auto argument = dyn_cast<BlockArgument>(index);
  if (argument && argument.getOwner() == &op.getBody().front() &&
      (isCounter(argument.getArgNumber()) ||
       isReverseCounter(argument.getArgNumber())))
    return ForwardOrReverseLoopIndex{argument};
  auto sub = index.getDefiningOp<SubOp>();
  if (!isExact || !sub || scalarConstant(sub.getLhs()) != trips - 1)
    return std::nullopt;
  std::optional<ForwardOrReverseLoopIndex> place = placeOf(sub.getRhs());
  if (place)
    place->fromEnd = !place->fromEnd;
  return place;
}

std::optional<ForwardOrReverseLoopIndex>
CountedLoop::placeOf(Value index, bool fromEnd) const {
  // An inexact loop may have fewer iterations than the tensor has rows, so that
  // the tensor's end is not the loop's.
  if (fromEnd && !isExact)
    return std::nullopt;
  std::optional<ForwardOrReverseLoopIndex> place = placeOf(index);
  if (place)
    place->fromEnd ^= fromEnd;
  return place;
}

bool CountedLoop::isReverse(const ForwardOrReverseLoopIndex &place) const {
  return place.fromEnd ||
         !isCounter(cast<BlockArgument>(place.counter).getArgNumber());
}

std::optional<ForwardOrReverseLoopIndex>
CountedLoop::index(bool isReverse) const {
  if (isExact || !isReverse)
    return ForwardOrReverseLoopIndex{counter(), isReverse};
  for (BlockArgument argument : op.getBody().front().getArguments())
    if (isReverseCounter(argument.getArgNumber()))
      return ForwardOrReverseLoopIndex{argument};
  return std::nullopt;
}

std::optional<CountedLoop> loopCountedBy(Value value) {
  auto result = dyn_cast<OpResult>(value);
  auto loop = result ? dyn_cast<WhileOp>(result.getOwner()) : WhileOp();
  std::optional<CountedLoop> counted;
  if (loop)
    counted = CountedLoop::of(loop);
  if (!counted || !counted->isCounter(result.getResultNumber()))
    return std::nullopt;
  return counted;
}

std::optional<int64_t> constantOrTripCount(Value value) {
  if (std::optional<int64_t> constant = scalarConstant(value))
    return constant;
  std::optional<CountedLoop> counted = loopCountedBy(value);
  if (!counted || !counted->isExact)
    return std::nullopt;
  return counted->trips;
}

/// Whether `bound` is known to be at least one, as that of a recurrent network:
/// the lesser of its number of steps and of the greater of one and the longest
/// length.
static bool isPositive(Value bound) {
  if (std::optional<int64_t> constant = scalarConstant(bound))
    return *constant >= 1;
  if (auto least = bound.getDefiningOp<MinimumOp>())
    return isPositive(least.getLhs()) && isPositive(least.getRhs());
  if (auto most = bound.getDefiningOp<MaximumOp>())
    return isPositive(most.getLhs()) || isPositive(most.getRhs());
  std::optional<CountedLoop> counted = loopCountedBy(bound);
  return counted && !counted->mayBeEmpty;
}

/// Notes what `condition`, a term of the loop's condition, says of the trip
/// count: a term `counter < bound` bounds it, others may only lower it.
void CountedLoop::addTerm(Value condition) {
  Block &test = op.getTest().front();
  auto less = condition.getDefiningOp<LessOp>();
  auto argument =
      less ? dyn_cast<BlockArgument>(less.getLhs()) : BlockArgument();
  if (!argument || argument.getOwner() != &test ||
      !isCounter(argument.getArgNumber())) {
    isExact = false;
    mayBeEmpty = true;
    return;
  }
  Value bound = less.getRhs();
  if (std::optional<int64_t> known = constantOrTripCount(bound)) {
    trips = std::min(trips, *known);
    return;
  }
  isExact = false;
  mayBeEmpty |= !isPositive(bound);
  std::optional<CountedLoop> earlier = loopCountedBy(bound);
  if (!earlier || !isOutside(bound))
    return;
  trips = std::min(trips, earlier->trips);
  if (condition == test.getTerminator()->getOperand(0)) {
    count = bound;
    origin = earlier->origin;
  }
}

// The condition must be a conjunction. The loop ends when its first term is
// false, so the smallest bound of a term `counter < bound` bounds the trip
// count, and is the trip count if there are no other terms. Whatever ends the
// loop, its counters then equal the trip count.
std::optional<CountedLoop> CountedLoop::of(WhileOp loop) {
  CountedLoop counted;
  counted.op = counted.origin = loop;
  counted.trips = std::numeric_limits<int64_t>::max();
  Block &test = loop.getTest().front();
  SmallVector<Value> conditions = {test.getTerminator()->getOperand(0)};
  while (!conditions.empty()) {
    Value condition = conditions.pop_back_val();
    if (auto both = condition.getDefiningOp<LogicalAndOp>())
      conditions.append({both.getLhs(), both.getRhs()});
    else
      counted.addTerm(condition);
  }
  if (counted.trips < 1 || counted.trips == std::numeric_limits<int64_t>::max())
    return std::nullopt;
  return counted;
}

WhileOp appendLoopState(WhileOp loop, Value init, Type type) {
  SmallVector<Value> inits(loop.getInits());
  inits.push_back(init);
  SmallVector<Type> types(loop->getResultTypes());
  types.push_back(type);
  loop.getTest().front().addArgument(type, init.getLoc());
  Block &body = loop.getBody().front();
  Operation *end = body.getTerminator();
  end->insertOperands(end->getNumOperands(),
                      body.addArgument(type, init.getLoc()));
  auto rebuilt = cast<WhileOp>(rebuildWithRegions(loop, inits, types));
  loop->replaceAllUsesWith(rebuilt->getResults().drop_back());
  loop.erase();
  return rebuilt;
}

} // namespace ingot::graph
