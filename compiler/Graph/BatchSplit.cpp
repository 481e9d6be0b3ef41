//===- BatchSplit.cpp - What a step computes slice by slice ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/BatchSplit.h"

#include "compiler/Graph/ExpandForSlices.h"

#include "dialects/Ingot/ConstantOps.h"

#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "ingot-split-batch"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

BatchSplit::BatchSplit(Block &body, ArrayRef<Value> roots, int64_t slices,
                       const SplitRules &rules)
    : slices(slices), rules(rules) {
  for (Value root : roots)
    cuts[root] = 0;
  // An expansion inserts ops before the op that it replaces, and then the walk
  // goes on with the first of them.
  for (Block::iterator next = body.begin();
       !next->hasTrait<OpTrait::IsTerminator>();) {
    Operation *op = &*next;
    Operation *before = op->getPrevNode();
    if (expandForSlices(op, [&](Value value) { return cutOf(value); })) {
      next = before ? std::next(before->getIterator()) : body.begin();
      continue;
    }
    visit(op);
    ++next;
  }
}

const OpSplit *BatchSplit::find(Operation *op) const {
  auto found = splits.find(op);
  return found == splits.end() ? nullptr : &found->second;
}

int64_t BatchSplit::cutOf(Value value) const {
  auto found = cuts.find(value);
  return found == cuts.end() ? whole : found->second;
}

bool BatchSplit::divides(Value value, int64_t cut) const {
  if (cut == whole)
    return true;
  int64_t size = cast<RankedTensorType>(value.getType()).getDimSize(cut);
  return !ShapedType::isDynamic(size) && size > 0 && size % slices == 0;
}

/// Whether the runtime combines values of this element type over slices.
static bool isCombinable(Type element) {
  return isa<FloatType>(element) || element.isSignlessInteger(32) ||
         element.isSignlessInteger(64);
}

void BatchSplit::visit(Operation *op) {
  SmallVector<int64_t> dims = llvm::map_to_vector(
      op->getOperands(), [&](Value value) { return cutOf(value); });
  bool isCut = llvm::any_of(dims, [](int64_t cut) { return cut != whole; });
  if (!isCut || isa<ConstantOp>(op) || op->getNumRegions() > 0)
    return;
  std::optional<OpSplit> made = rules.apply(op, Cuts(dims, nullptr));
  bool fits = made.has_value();
  if (fits) {
    for (auto [value, cut] : llvm::zip(op->getOperands(), made->cuts))
      fits &= divides(value, cut);
    for (auto [value, cut] : llvm::zip(op->getResults(), made->results))
      fits &= divides(value, cut);
    for (auto [value, cut] : llvm::zip(op->getResults(), made->results))
      fits &= cut != whole || isCombinable(getElementTypeOrSelf(value));
    fits &= llvm::any_of(made->cuts, [](int64_t cut) { return cut != whole; });
  }
  LLVM_DEBUG(if (!fits) llvm::dbgs()
             << "whole: " << op->getName() << " at " << op->getLoc() << '\n');
  if (!fits)
    return;
  for (auto [value, cut] : llvm::zip(op->getResults(), made->results))
    if (cut != whole)
      cuts[value] = cut;
  splits[op] = std::move(*made);
}

bool BatchSplit::readsPart(OpOperand &use) const {
  const OpSplit *user = find(use.getOwner());
  if (!user)
    return false;
  int64_t cut = user->cuts[use.getOperandNumber()];
  return cut != whole && cut == cutOf(use.get()) && isOfSlices(use.get());
}

bool BatchSplit::isGathered(Value value) const {
  return isOfSlices(value) && cutOf(value) != whole &&
         llvm::any_of(value.getUses(),
                      [&](OpOperand &use) { return !readsPart(use); });
}

unsigned SlicePhases::earliest(Operation *op) const {
  unsigned first = 0;
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands()) {
      Operation *source = operand.get().getDefiningOp();
      if (!source || source->getBlock() != &body)
        continue;
      bool waits = split.find(source) && !split.readsPart(operand);
      first = std::max(first, places.lookup(source) + waits);
    }
  });
  return first;
}

unsigned SlicePhases::latest(Operation *op) const {
  unsigned last = numPhases;
  for (OpOperand &use : op->getUses()) {
    Operation *user = body.findAncestorOpInBlock(*use.getOwner());
    bool waits = split.find(op) && !split.readsPart(use);
    last = std::min(last, places.lookup(user) - waits);
  }
  return last;
}

// Each op is placed as early as it can be, and then as late as its users allow:
// an exchange is waited for only by what needs it, and few parts of values have
// to be kept from one phase to a later one.
SlicePhases::SlicePhases(Block &body, const BatchSplit &split)
    : body(body), split(split) {
  unsigned lastEffect = 0;
  for (Operation &op : body.without_terminator()) {
    unsigned place = earliest(&op);
    if (split.find(&op)) {
      numPhases = std::max(numPhases, place + 1);
    } else if (!isMemoryEffectFree(&op)) {
      // Ops with side effects keep their order.
      place = lastEffect = std::max(lastEffect, place);
      numPhases = std::max(numPhases, place);
    }
    places[&op] = place;
  }
  places[body.getTerminator()] = numPhases;
  for (Operation &op : llvm::reverse(body.without_terminator()))
    if (isMemoryEffectFree(&op) && !op.use_empty())
      places[&op] = latest(&op);
}

} // namespace ingot::graph
