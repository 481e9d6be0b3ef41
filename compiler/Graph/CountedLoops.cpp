//===- CountedLoops.cpp - Loops of known trip count -----------------------===//
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

std::optional<ForwardOrReverseLoopIndex>
CountedLoop::placeOf(Value index) const {
  auto argument = dyn_cast<BlockArgument>(index);
  if (argument && argument.getOwner() == &op.getBody().front() &&
      isCounter(argument.getArgNumber()))
    return ForwardOrReverseLoopIndex{argument};
  auto sub = index.getDefiningOp<SubOp>();
  if (!sub || scalarConstant(sub.getLhs()) != trips - 1)
    return std::nullopt;
  std::optional<ForwardOrReverseLoopIndex> place = placeOf(sub.getRhs());
  if (place)
    place->fromEnd = !place->fromEnd;
  return place;
}

std::optional<int64_t> constantOrTripCount(Value value) {
  if (std::optional<int64_t> constant = scalarConstant(value))
    return constant;
  auto result = dyn_cast<OpResult>(value);
  auto before = result ? dyn_cast<WhileOp>(result.getOwner()) : WhileOp();
  std::optional<CountedLoop> counted;
  if (before)
    counted = CountedLoop::of(before);
  if (!counted || !counted->isCounter(result.getResultNumber()))
    return std::nullopt;
  return counted->trips;
}

// The condition must be a conjunction of terms `counter < bound`. The loop ends
// when the first term is false, so its trip count is the smallest bound.
std::optional<CountedLoop> CountedLoop::of(WhileOp loop) {
  CountedLoop counted;
  counted.op = loop;
  counted.trips = std::numeric_limits<int64_t>::max();
  Block &test = loop.getTest().front();
  SmallVector<Value> conditions = {test.getTerminator()->getOperand(0)};
  while (!conditions.empty()) {
    Value condition = conditions.pop_back_val();
    if (auto both = condition.getDefiningOp<LogicalAndOp>()) {
      conditions.append({both.getLhs(), both.getRhs()});
      continue;
    }
    auto less = condition.getDefiningOp<LessOp>();
    auto argument =
        less ? dyn_cast<BlockArgument>(less.getLhs()) : BlockArgument();
    if (!argument || argument.getOwner() != &test ||
        !counted.isCounter(argument.getArgNumber()))
      return std::nullopt;
    std::optional<int64_t> bound = constantOrTripCount(less.getRhs());
    if (!bound)
      return std::nullopt;
    counted.trips = std::min(counted.trips, *bound);
  }
  if (counted.trips < 1)
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
