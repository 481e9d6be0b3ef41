//===- BatchSplitPlan.cpp - Decides which ops run slice by slice ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/BatchSplitPlan.h"

#include "compiler/Graph/BatchSizes.h"
#include "compiler/Graph/ExpandMeansToSums.h"

#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/RequireValuesOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "ingot-split-batch-into-slices"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

std::optional<int64_t> BatchSplitParameters::multipleOf(Value value,
                                                        int64_t dim) const {
  int64_t number = OperandSplitDims({}, shapes).sizeOf(value, dim);
  if (number <= 0) // the size is unknown or 0
    return std::nullopt;
  if (number % (hasEqualSlices() ? slices : size) != 0)
    return std::nullopt;
  return hasEqualSlices() ? 1 : number / size;
}

BatchSplitPlan::BatchSplitPlan(Block &body, const BatchSplitParameters &batch,
                               const BatchSplitRules &rules,
                               const Ops &undivided)
    : batch(batch), rules(rules), undivided(undivided) {
  for (Value root : batch.roots)
    cuts[root] = 0;
  auto replaces = [&](Operation *op) {
    return expandMeansToSums(op, [&](Value value) { return cutOf(value); }) ||
           (batch.isOpen() && isCutSizes(op, *this) && replaceSizes(op, batch));
  };
  // The ops that replace an op are inserted before it, and the walk continues
  // with the first of them.
  for (auto next = body.begin(); !next->hasTrait<OpTrait::IsTerminator>();) {
    Operation *op = &*next;
    Operation *before = op->getPrevNode();
    if (replaces(op)) {
      ++numReplaced;
      next = before ? std::next(before->getIterator()) : body.begin();
      continue;
    }
    visit(op);
    ++next;
  }
}

const OpBatchSplit *BatchSplitPlan::find(Operation *op) const {
  auto found = splits.find(op);
  return found == splits.end() ? nullptr : &found->second;
}

int64_t BatchSplitPlan::cutOf(Value value) const {
  auto found = cuts.find(value);
  return found == cuts.end() ? whole : found->second;
}

/// Whether the runtime can sum values of this element type over slices, or take
/// their maximum or minimum.
static bool isCombinable(Type element) {
  return isa<FloatType>(element) || element.isSignlessInteger(32) ||
         element.isSignlessInteger(64);
}

bool BatchSplitPlan::fits(Operation *op, const OpBatchSplit &made) const {
  auto divides = [&](auto pair) {
    auto [value, cut] = pair;
    return cut == whole || batch.multipleOf(value, cut);
  };
  auto isCombined = [&](auto pair) {
    auto [value, cut] = pair;
    auto type = cast<RankedTensorType>(value.getType());
    return cut != whole ||
           (isCombinable(type.getElementType()) && type.hasStaticShape());
  };
  auto isCut = [](int64_t cut) { return cut != whole; };
  return llvm::all_of(llvm::zip(op->getOperands(), made.cuts), divides) &&
         llvm::all_of(llvm::zip(op->getResults(), made.results), divides) &&
         llvm::all_of(llvm::zip(op->getResults(), made.results), isCombined) &&
         llvm::any_of(made.cuts, isCut);
}

std::optional<OpBatchSplit> BatchSplitPlan::apply(Operation *op) const {
  SmallVector<int64_t> dims = llvm::map_to_vector(
      op->getOperands(), [&](Value value) { return cutOf(value); });
  bool isCut = llvm::any_of(dims, [](int64_t cut) { return cut != whole; });
  if (!isCut || op->getNumRegions() > 0 || undivided.contains(op))
    return std::nullopt;
  // A check of indices is not split if slices do not compute the indices. Each
  // process then has the indices of the whole batch and checks all of them, so
  // an error message states the position of an index in the whole batch.
  if (auto check = dyn_cast<RequireIndicesOp>(op);
      check && !isOfSlices(check.getIndices()))
    return std::nullopt;
  std::optional<OpBatchSplit> made =
      rules.apply(op, OperandSplitDims(dims, batch.shapes));
  if (made && fits(op, *made))
    return made;
  LLVM_DEBUG(llvm::dbgs() << (made ? "not split, unfit sizes or types: "
                                   : "not split, no rule: ")
                          << op->getName() << " at " << op->getLoc() << '\n');
  return std::nullopt;
}

/// Handles an op that is not computed slice by slice, such as a parser, a sort
/// or a loop over time steps. If it depends on the step's input, records for
/// each result the dimension whose size is the batch size. Ops that read the
/// result can then be computed slice by slice along this dimension.
void BatchSplitPlan::cutResults(Operation *op) {
  if (isa<ShapeOp, tensor::DimOp>(op))
    return;
  bool readsInput = isa<IteratorNextOp>(op), readsRows = false;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      readsRows |= cutOf(operand) != whole;
      readsInput |= ofInput.contains(operand);
    }
  });
  if (readsRows && op->getNumResults() > 0)
    readers.insert(op);
  if (!readsInput && !readsRows)
    return;
  for (Value value : op->getResults()) {
    ofInput.insert(value);
    auto type = dyn_cast<RankedTensorType>(value.getType());
    for (int64_t dim = 0, e = type ? type.getRank() : 0; dim < e; ++dim)
      if (OperandSplitDims({}, batch.shapes).sizeOf(value, dim) == batch.size) {
        cuts.try_emplace(value, dim);
        break;
      }
  }
}

void BatchSplitPlan::visit(Operation *op) {
  if (isa<ConstantOp>(op))
    return;
  std::optional<OpBatchSplit> made = apply(op);
  if (!made) {
    cutResults(op);
    return;
  }
  for (auto [value, cut] : llvm::zip(op->getResults(), made->results))
    if (cut != whole)
      cuts[value] = cut;
  splits[op] = std::move(*made);
}

bool BatchSplitPlan::readsPart(OpOperand &use) const {
  const OpBatchSplit *user = find(use.getOwner());
  if (!user)
    return false;
  int64_t cut = user->cuts[use.getOperandNumber()];
  return cut != whole && cut == cutOf(use.get()) && isOfSlices(use.get());
}

bool BatchSplitPlan::isGathered(Value value) const {
  return isOfSlices(value) && cutOf(value) != whole &&
         llvm::any_of(value.getUses(),
                      [&](OpOperand &use) { return !readsPart(use); });
}

bool BatchSplitPlan::combines() const {
  return llvm::any_of(splits, [](const auto &entry) {
    return llvm::is_contained(entry.second.results, whole);
  });
}

unsigned CollectivePhaseAssignment::earliest(Operation *op) const {
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

unsigned CollectivePhaseAssignment::latest(Operation *op) const {
  unsigned last = numPhases;
  for (OpOperand &use : op->getUses()) {
    Operation *user = body.findAncestorOpInBlock(*use.getOwner());
    bool waits = split.find(op) && !split.readsPart(use);
    last = std::min(last, places.lookup(user) - waits);
  }
  return last;
}

// Phases are separated by exchanges between the slices. First assigns each op
// to the earliest possible phase, so that it waits only for the exchanges that
// it depends on. Then moves ops without side effects to the latest phase that
// their users allow, so that few values must be stored from one phase to a
// later one.
CollectivePhaseAssignment::CollectivePhaseAssignment(
    Block &body, const BatchSplitPlan &split)
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
