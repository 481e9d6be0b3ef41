//===- FusionGroups.cpp - The ops of a block, grouped into kernels --------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/FusionGroups.h"

#include "compiler/Graph/Passes.h"
#include "dialects/Ingot/IR/ParallelOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/RequireOps.h"

#include "mlir/Transforms/RegionUtils.h"

#include <queue>
#include <tuple>

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

SmallVector<Value> valuesUsedBy(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  if (op->getNumRegions() != 0) {
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    values.append(captured.begin(), captured.end());
  }
  return values;
}

/// Whether `op` is or contains a shape check, which ends the run if it fails.
static bool checks(Operation *op) {
  return op->walk([](RequireOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// The least number of elements of a variable that an elementwise op updates in
/// place. The value of a smaller one is copied after the last op that may end
/// the run, so that its kernel need not wait for that op.
static constexpr int64_t minElementsInPlace = 1024;

/// Whether `use` is a variable's final value in the entry.
static bool isUpdate(EntryOp entry, OpOperand &use) {
  return use.getOwner() == entry.getBody().front().getTerminator() &&
         use.getOperandNumber() >= entry.getFetches().size();
}

/// Whether elementwise ops lead from `op` to final values of variables, and to
/// nothing else, so that `op` may run after all ops that may end the run. Gives
/// up after `maxOps` ops.
static bool computesUpdatesOnly(EntryOp entry, Operation *op) {
  // The formulas of optimizers take fewer ops from a slot to a parameter.
  constexpr size_t maxOps = 32;
  llvm::SmallSetVector<Operation *, 8> seen;
  seen.insert(op);
  for (size_t i = 0; i < seen.size(); ++i) {
    if (!isElementwise(seen[i]) || seen[i]->getParentOp() != entry ||
        i == maxOps)
      return false;
    for (OpOperand &use : seen[i]->getUses())
      if (!isUpdate(entry, use))
        seen.insert(use.getOwner());
  }
  return true;
}

bool computesFinalValue(Operation *op) {
  auto entry = dyn_cast_or_null<EntryOp>(op->getParentOp());
  if (!entry || !isElementwise(op) ||
      op->hasTrait<trait::MayReuseOperandMemory>())
    return false;
  bool isFinal = llvm::any_of(op->getResults(), [&](Value result) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    return type && type.hasStaticShape() &&
           type.getNumElements() >= minElementsInPlace &&
           llvm::any_of(result.getUses(),
                        [&](OpOperand &use) { return isUpdate(entry, use); });
  });
  return isFinal && computesUpdatesOnly(entry, op);
}

static int64_t numElementsOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type.getNumElements()
                                       : ShapedType::kDynamic;
}

bool feedsSeveralUpdates(const FusionGroup *group) {
  llvm::SmallPtrSet<Operation *, 2> updates;
  for (Operation *op : group->ops) {
    auto entry = dyn_cast_or_null<EntryOp>(op->getParentOp());
    if (!entry || llvm::any_of(op->getResults(), [](Value result) {
          return numElementsOf(result) != 1;
        }))
      return false;
    for (Operation *user : op->getUsers())
      if (updates.size() < 2 && user->getNumResults() == 1 &&
          numElementsOf(user->getResult(0)) >= minElementsInPlace &&
          computesUpdatesOnly(entry, user))
        updates.insert(user);
  }
  return updates.size() > 1;
}

bool updatesVariables(Operation *op) {
  if (computesFinalValue(op))
    return true;
  return op
      ->walk([](Operation *inner) {
        return inner->hasTrait<trait::MayReuseOperandMemory>()
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

bool mayEndRun(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<RequireOp, SliceRegionOp>(inner) ||
                       inner->hasTrait<trait::ComputedByRuntime>()
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

void FusionGroups::add(FusionGroup::Kind kind, ArrayRef<Operation *> ops) {
  auto order = static_cast<unsigned>(endOfBegun.size());
  groups.push_back(std::make_unique<FusionGroup>(
      FusionGroup{kind, SmallVector<Operation *>(ops), order, order}));
  endOfBegun.push_back(order);
  FusionGroup *group = groups.back().get();
  bool computes = kind != FusionGroup::Kind::Effect;
  for (Operation *op : ops) {
    groupOf[op] = group;
    guard(op, computes);
  }
  Operation *op = ops.back();
  if (checks(op))
    lastCheck = group;
  else if (mayEndRun(op))
    failing.push_back(group);
  if (isa<RequireOp>(op))
    op->getLoc()->walk([&](Location location) {
      checkOf[location] = group;
      return WalkResult::advance();
    });
  // Ops with side effects keep their order among each other. A shape check
  // (ingot.require) is not part of this order: it runs as soon as the sizes
  // that it compares are known.
  if (computes || isa<RequireOp>(op))
    return;
  if (lastEffect)
    previousEffect[group] = lastEffect;
  lastEffect = group;
}

/// Makes `op` depend on the earlier shape checks and runtime ops that must
/// succeed before it runs. An op without side effects depends on the checks of
/// its own node and of the nodes in its regions. A check or an op with side
/// effects depends on all earlier checks. An in-place update of a variable
/// depends on all earlier checks and runtime ops: if one fails, the run ends
/// with the variable unchanged.
void FusionGroups::guard(Operation *op, bool computes) {
  SmallVector<FusionGroup *, 1> &before = checksBefore[op];
  if (updatesVariables(op))
    llvm::append_range(before, failing);
  if (lastCheck && (!computes || updatesVariables(op)))
    before.push_back(lastCheck);
  else if (lastCheck)
    op->walk([&](Operation *inner) {
      if (FusionGroup *check = checkOf.lookup(inner->getLoc());
          check && !llvm::is_contained(before, check))
        before.push_back(check);
    });
}

SetVector<FusionGroup *> FusionGroups::producersOf(FusionGroup *group) const {
  SetVector<FusionGroup *> producers;
  for (Operation *op : group->ops)
    for (Value value : valuesUsedBy(op))
      if (Operation *producer = value.getDefiningOp())
        if (FusionGroup *other = groupOf.lookup(producer);
            other && other != group)
          producers.insert(other);
  if (FusionGroup *effect = previousEffect.lookup(group))
    producers.insert(effect);
  for (Operation *op : group->ops)
    for (FusionGroup *check : checksBefore.lookup(op))
      if (check != group)
        producers.insert(check);
  return producers;
}

/// Returns an upper bound of the index of the last op (`order`) in `group` and
/// in all groups that it depends on, directly or transitively. The bound may
/// exceed `group->order`, because a group that `group` depends on may have been
/// merged with later ops.
unsigned FusionGroups::endOfProducers(const FusionGroup *group) const {
  unsigned end = group->order;
  while (endOfBegun[end] != end)
    end = endOfBegun[end];
  return end;
}

/// Whether a path of dependences leads from `from` to `target`. `seen` has the
/// groups that were visited already.
bool FusionGroups::reaches(FusionGroup *from, FusionGroup *target,
                           DenseSet<FusionGroup *> &seen) const {
  if (from == target)
    return true;
  // If the last op of all groups that `from` depends on precedes the first op
  // of `target`, `from` cannot depend on `target`. This check keeps the search
  // local in graphs of many thousand ops.
  if (endOfProducers(from) < target->first || !seen.insert(from).second)
    return false;
  return llvm::any_of(producersOf(from), [&](FusionGroup *producer) {
    return reaches(producer, target, seen);
  });
}

// Merging two nodes of an acyclic graph creates a cycle if and only if a path
// of two or more edges leads from one node to the other. So the search for a
// path from `later` to `earlier` ignores the direct edge: it starts at the
// producers of `later` except `earlier`.
bool FusionGroups::canMerge(FusionGroup *a, FusionGroup *b) const {
  auto between = [&](FusionGroup *later, FusionGroup *earlier) {
    DenseSet<FusionGroup *> seen{later};
    return llvm::any_of(producersOf(later), [&](FusionGroup *producer) {
      return producer != earlier && reaches(producer, earlier, seen);
    });
  };
  return !between(a, b) && !between(b, a);
}

void FusionGroups::merge(FusionGroup *into, FusionGroup *from) {
  for (Operation *op : from->ops)
    groupOf[op] = into;
  llvm::append_range(into->ops, from->ops);
  llvm::sort(into->ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  into->order = std::max(into->order, from->order);
  into->first = std::min(into->first, from->first);
  from->ops.clear();
  for (unsigned i = into->first; endOfBegun[i] < into->order; ++i)
    endOfBegun[i] = into->order;
}

void FusionGroups::join(FusionGroup *group, Operation *op) {
  if (!llvm::is_contained(group->ops, op))
    group->ops.push_back(op);
  groupOf[op] = group;
  llvm::sort(group->ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
}

void FusionGroups::drop(Operation *op) {
  llvm::erase(groupOf[op]->ops, op);
  groupOf.erase(op);
  checksBefore.erase(op);
}

/// Whether the group ends a launch table, a sequence of kernel launches that
/// the runtime executes in one call. This holds for runtime calls and side
/// effects, which cannot be part of a launch table.
static bool endsRun(const FusionGroup *group) {
  return group->kind == FusionGroup::Kind::Call ||
         group->kind == FusionGroup::Kind::Effect;
}

/// Whether the group computes few elements, and nothing that ends a launch
/// table, so that it may run early at no cost.
static bool isSmall(const FusionGroup *group) {
  return !endsRun(group) && llvm::all_of(group->ops, [](Operation *op) {
    return llvm::all_of(op->getResultTypes(), [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.hasStaticShape() &&
             tensor.getNumElements() < minElementsInPlace;
    });
  });
}

/// Returns the variables of an entry that are as large as those that kernels
/// overwrite, and that `group` reads.
static SmallVector<BlockArgument> largeVariablesOf(const FusionGroup *group) {
  SmallVector<BlockArgument> variables;
  for (Operation *op : group->ops)
    for (Value value : valuesUsedBy(op)) {
      auto argument = dyn_cast<BlockArgument>(value);
      auto type = argument ? dyn_cast<RankedTensorType>(argument.getType())
                           : RankedTensorType();
      auto entry =
          argument
              ? dyn_cast_or_null<EntryOp>(argument.getOwner()->getParentOp())
              : EntryOp();
      if (entry && argument.getArgNumber() < entry.getVariables().size() &&
          type && type.hasStaticShape() &&
          type.getNumElements() >= minElementsInPlace)
        variables.push_back(argument);
    }
  return variables;
}

/// Returns the place of a small group: right after its producers. Other groups
/// keep their place. `places` has the places that are known.
unsigned
FusionGroups::earliestPlace(FusionGroup *group,
                            DenseMap<FusionGroup *, unsigned> &places) const {
  if (auto known = places.find(group); known != places.end())
    return known->second;
  unsigned place = isSmall(group) ? 0 : group->order;
  if (isSmall(group))
    for (FusionGroup *producer : producersOf(group))
      place = std::max(place, earliestPlace(producer, places));
  return places[group] = place;
}

DenseMap<FusionGroup *, unsigned> FusionGroups::updatePlaces() const {
  DenseMap<FusionGroup *, unsigned> places;
  DenseMap<Value, SmallVector<FusionGroup *, 4>> readers;
  SmallVector<FusionGroup *> updates;
  for (const std::unique_ptr<FusionGroup> &group : groups) {
    for (BlockArgument variable : largeVariablesOf(group.get()))
      readers[variable].push_back(group.get());
    if (llvm::any_of(group->ops, computesFinalValue))
      updates.push_back(group.get());
  }
  for (FusionGroup *group : updates) {
    unsigned place = 0;
    for (FusionGroup *producer : producersOf(group))
      place = std::max(place, earliestPlace(producer, places));
    for (BlockArgument variable : largeVariablesOf(group))
      for (FusionGroup *reader : readers[variable])
        if (reader != group)
          place = std::max(place, reader->order);
    // Whatever else the group computes does not wait for readers.
    bool onlyUpdates = llvm::all_of(group->ops, [](Operation *op) {
      auto entry = dyn_cast_or_null<EntryOp>(op->getParentOp());
      return entry && computesUpdatesOnly(entry, op);
    });
    places[group] = onlyUpdates ? place : std::min(place, group->order);
  }
  return places;
}

SmallVector<FusionGroup *> FusionGroups::schedule(bool gathersRuns) const {
  DenseMap<FusionGroup *, unsigned> places = updatePlaces();
  DenseMap<FusionGroup *, unsigned> missing; // number of unscheduled producers
  DenseMap<FusionGroup *, SmallVector<FusionGroup *>> consumers;
  auto placeOf = [&](FusionGroup *group) {
    auto place = places.find(group);
    bool isMoved = place != places.end();
    return std::tuple(isMoved ? place->second : group->order, isMoved,
                      group->order);
  };
  auto runsLater = [&](FusionGroup *a, FusionGroup *b) {
    return placeOf(a) > placeOf(b);
  };
  using Queue = std::priority_queue<FusionGroup *, std::vector<FusionGroup *>,
                                    decltype(runsLater)>;
  // Two queues of ready groups: one of kernels, and one of groups that end a
  // launch table. Without `gathersRuns`, all groups use the first queue.
  Queue queues[2] = {Queue(runsLater), Queue(runsLater)};
  auto queueOf = [&](const FusionGroup *group) -> Queue & {
    return queues[gathersRuns && endsRun(group) ? 1 : 0];
  };
  for (const std::unique_ptr<FusionGroup> &group : groups) {
    if (group->ops.empty())
      continue;
    SetVector<FusionGroup *> producers = producersOf(group.get());
    missing[group.get()] = producers.size();
    for (FusionGroup *producer : producers)
      consumers[producer].push_back(group.get());
    if (producers.empty())
      queueOf(group.get()).push(group.get());
  }
  // Sort the groups topologically (Kahn's algorithm); merges never made a
  // cycle, so this visits every group. It takes groups from one queue until
  // that queue is empty, and then from the other one.
  SmallVector<FusionGroup *> done;
  for (Queue *ready = &queues[1]; !queues[0].empty() || !queues[1].empty();) {
    if (ready->empty())
      ready = ready == &queues[0] ? &queues[1] : &queues[0];
    FusionGroup *next = ready->top();
    ready->pop();
    done.push_back(next);
    for (FusionGroup *consumer : consumers.lookup(next))
      if (--missing[consumer] == 0)
        queueOf(consumer).push(consumer);
  }
  return done;
}

} // namespace ingot::graph
