//===- SplitBatchIntoSlices.cpp - Splits steps over slices of the batch ---===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/BatchSliceRegionBuilder.h"
#include "compiler/Graph/BatchSplitPlan.h"
#include "compiler/Graph/OneRankStep.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Graph/SymbolicShapes.h"

#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/ParallelOps.h"
#include "dialects/Ingot/IR/ProgramAttrFields.h"
#include "dialects/Ingot/IR/QueueOps.h"
#include "dialects/Ingot/IR/RequireOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_SPLITBATCHINTOSLICESPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-split-batch-into-slices"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::graph;

/// Returns the values that may have the batch as their first dimension: the
/// components of elements that the step reads from iterators or dequeues, and
/// its feeds.
static SmallVector<Value> inputsOf(EntryOp step) {
  SmallVector<Value> inputs;
  Block &body = step.getBody().front();
  for (auto next : body.getOps<IteratorNextOp>())
    llvm::append_range(inputs, next.getComponents());
  for (auto dequeue : body.getOps<QueueDequeueOp>())
    llvm::append_range(inputs, dequeue.getComponents());
  llvm::append_range(
      inputs, body.getArguments().drop_front(step.getVariables().size()));
  llvm::erase_if(inputs, [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return !type || type.getRank() == 0;
  });
  return inputs;
}

/// If `size` is the size of a tensor's dimension, returns the number that
/// SymbolicShapes has for this size; equal numbers mean equal sizes. Returns
/// std::nullopt for other values.
static std::optional<int64_t> symbolOf(Value size,
                                       const SymbolicShapes &shapes) {
  auto dim = size.getDefiningOp<tensor::DimOp>();
  std::optional<int64_t> index =
      dim ? dim.getConstantIndex() : std::optional<int64_t>();
  ArrayRef<int64_t> sizes =
      index ? shapes[dim.getSource()] : ArrayRef<int64_t>();
  return index && *index < static_cast<int64_t>(sizes.size())
             ? std::optional(sizes[*index])
             : std::nullopt;
}

/// Returns the feeds of dynamic batch size whose rows the step combines with
/// each other: a shape check of the step requires that they have the same
/// number of rows, or that one of them has a single row, which is broadcast.
/// Such a check may also compare sizes of values that are computed from the
/// feeds, such as logits and labels.
static SmallVector<Value> feedsOfSameRows(EntryOp step, ArrayRef<Value> inputs,
                                          const SymbolicShapes &shapes) {
  llvm::EquivalenceClasses<int64_t> classes;
  step.walk([&](RequireOp require) {
    SmallVector<Value> conditions = {require.getCondition()};
    while (!conditions.empty()) {
      Operation *op = conditions.pop_back_val().getDefiningOp();
      if (isa_and_nonnull<arith::OrIOp, arith::AndIOp>(op))
        llvm::append_range(conditions, op->getOperands());
      auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
      if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
        continue;
      auto lhs = symbolOf(compare.getLhs(), shapes);
      auto rhs = symbolOf(compare.getRhs(), shapes);
      if (lhs && rhs)
        classes.unionSets(*lhs, *rhs);
    }
  });
  SmallVector<Value> feeds, most;
  llvm::copy_if(inputs, std::back_inserter(feeds), [](Value input) {
    return isa<BlockArgument>(input) &&
           cast<RankedTensorType>(input.getType()).isDynamicDim(0);
  });
  for (Value feed : feeds) {
    SmallVector<Value> same;
    llvm::copy_if(feeds, std::back_inserter(same), [&](Value other) {
      return other == feed ||
             classes.isEquivalent(shapes[feed][0], shapes[other][0]);
    });
    if (same.size() > 1 && same.size() > most.size())
      most = same;
  }
  return most;
}

/// Inserts a check that all feeds have the same number of rows. A feed with one
/// row, which would be broadcast, cannot be divided among slices.
static void requireSameRows(ArrayRef<Value> feeds) {
  if (feeds.empty())
    return;
  auto first = cast<BlockArgument>(feeds.front());
  OpBuilder builder = OpBuilder::atBlockBegin(first.getOwner());
  Location loc = first.getOwner()->getParentOp()->getLoc();
  Value rows = tensor::DimOp::create(builder, loc, first, 0);
  for (Value feed : feeds.drop_front()) {
    Value other = tensor::DimOp::create(builder, loc, feed, 0);
    Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        rows, other);
    RequireOp::create(
        builder, loc, holds,
        "feeds of a batch that processes divide must have equally "
        "many rows, got {} and {}",
        ValueRange{rows, other});
  }
}

/// Returns the size of the batch: the most frequent size of the first
/// dimensions of `inputs`. A dynamic size is returned as its number in
/// SymbolicShapes, where equal numbers mean equal sizes. Any choice gives the
/// same results, but this one splits most of the work.
static int64_t commonSizeOf(ArrayRef<Value> inputs,
                            const SymbolicShapes *shapes) {
  llvm::MapVector<int64_t, unsigned> counts;
  for (Value input : inputs)
    ++counts[OperandSplitDims({}, shapes).sizeOf(input, 0)];
  return llvm::max_element(
             counts,
             [](const auto &a, const auto &b) { return a.second < b.second; })
      ->first;
}

/// Warns that a step is not split, because no sum over the batch can be
/// computed slice by slice. Also warns at the nodes that cause this: those that
/// read rows of the batch but cannot be computed slice by slice. Of an
/// evaluation nothing is said: rank 0 computes it alone.
static void reportUndivided(EntryOp step, const BatchSplitPlan &split) {
  if (step.getRole() != Role::step)
    return;
  for (Operation *op : split.undividedReaders())
    op->emitWarning("this op cannot be computed slice by slice: every process "
                    "computes it for all rows of the batch");
  step.emitWarning("this training step cannot be divided among processes, "
                   "because it has no sum over the batch that can be computed "
                   "slice by slice: every process computes the whole step");
}

static std::string inUnits(int64_t bytes) {
  if (bytes < 10'000)
    return std::to_string(bytes) + " bytes";
  return bytes < 10'000'000 ? std::to_string(bytes / 1000) + " kB"
                            : std::to_string(bytes / 1'000'000) + " MB";
}

/// Emits remarks about the values that slices combine (such as sums) or gather,
/// and their sizes. Emits a warning if large values are gathered, because all
/// processes then repeat work that they could share.
static void report(EntryOp step, const BatchSliceRegionBuilder &regions,
                   const BatchSplitParameters &batch) {
  const BatchSliceRegionBuilder::ValuesExchangedBetweenSlices &exchanged =
      regions.getExchangedValues();
  std::string rows = batch.isOpen() ? "any number of"
                                    : std::to_string(batch.size / batch.slices);
  if (!batch.isOpen() && !batch.hasEqualSlices())
    rows += " to " + std::to_string(batch.size / batch.slices + 1);
  step.emitRemark() << batch.slices << " slices of " << rows << " rows in "
                    << regions.count() << " loops over the slices: all-reduces "
                    << exchanged.combined.size() << " values, of "
                    << inUnits(exchanged.bytesOf(exchanged.combined))
                    << " together, and all-gathers "
                    << exchanged.gathered.size() << " values, of "
                    << inUnits(exchanged.bytesOf(exchanged.gathered))
                    << (batch.isOpen() ? " together for each row"
                                       : " together");
  for (auto [loc, bytes] : exchanged.gathered)
    emitRemark(loc) << "this value is gathered from all slices of the batch: "
                    << inUnits(bytes) << (batch.isOpen() ? " a row" : "");
  int64_t wasted = exchanged.bytesOf(exchanged.replicated);
  if (step.getRole() == Role::step && !batch.isOpen() &&
      10 * wasted > exchanged.bytesOf(exchanged.combined))
    emitWarning(exchanged.replicated.front().first)
        << "every process gathers this value and "
        << exchanged.replicated.size() - 1
        << " others from all slices of the batch, and repeats all ops that "
           "depend on them: each step gathers "
        << inUnits(wasted) << ", and exchanges "
        << inUnits(exchanged.bytesOf(exchanged.combined)) << " of sums";
}

/// Whether ranks divide the batches of the evaluation `entry`. Rank 0 alone
/// evaluates ensembles, whose members have entries of their own.
static bool isDividedEvaluation(EntryOp entry) {
  if (entry.getRole() != Role::evaluate &&
      entry.getRole() != Role::fed_evaluation)
    return false;
  return llvm::none_of(entry->getParentOfType<ModuleOp>().getOps<EntryOp>(),
                       [](EntryOp other) {
                         return other.getRole() == Role::partial_step ||
                                other.getRole() == Role::member_step ||
                                other.getRole() == Role::grow;
                       });
}

namespace {
struct SplitBatchIntoSlices
    : ::ingot::graph::impl::SplitBatchIntoSlicesPassBase<SplitBatchIntoSlices> {
  using SplitBatchIntoSlicesPassBase::SplitBatchIntoSlicesPassBase;

  void runOnOperation() override {
    int64_t count =
        slices ? int64_t(slices) : getProgramFacts(getOperation()).slices;
    if (count < 2)
      return;
    BatchSplitRules rules;
    bool failed = false;
    for (auto entry :
         llvm::make_early_inc_range(getOperation().getOps<EntryOp>()))
      if (entry.getRole() == Role::step || isDividedEvaluation(entry))
        failed |= mlir::failed(split(entry, count, rules));
    if (failed)
      signalPassFailure();
  }

  LogicalResult split(EntryOp step, int64_t count,
                      const BatchSplitRules &rules) {
    SymbolTable symbols(getOperation());
    SmallVector<Value> inputs = inputsOf(step);
    if (inputs.empty() && step.getRole() != Role::step)
      return success();
    if (inputs.empty())
      return step.emitError("this training step has no batch to split: it "
                            "reads no input and has no feeds");
    BatchSplitParameters batch;
    batch.slices = count;
    batch.size = commonSizeOf(inputs, nullptr);
    bool isOpen = ShapedType::isDynamic(batch.size);
    Block &body = step.getBody().front();
    SmallVector<Value> sameRows;
    if (isOpen) {
      // Feeds that are known to have equally many rows tell more of what is
      // computed from them, and so more of other feeds.
      size_t known;
      do {
        known = sameRows.size();
        sameRows = feedsOfSameRows(step, inputs,
                                   SymbolicShapes(step, symbols, sameRows));
      } while (sameRows.size() > known);
      requireSameRows(sameRows);
    }
    std::optional<SymbolicShapes> shapes;
    std::optional<BatchSplitPlan> split;
    BatchSplitPlan::Ops undivided;
    bool isDecided = false;
    while (!isDecided) {
      if (isOpen) {
        shapes.emplace(step, symbols, sameRows);
        batch.shapes = &*shapes;
        batch.size = commonSizeOf(inputs, batch.shapes);
      }
      batch.roots.clear();
      llvm::copy_if(inputs, std::back_inserter(batch.roots), [&](Value value) {
        return OperandSplitDims({}, batch.shapes).sizeOf(value, 0) ==
               batch.size;
      });
      split.emplace(body, batch, rules, undivided);
      if (split->isOutdated())
        continue;
      SmallVector<Operation *> more = findBetterUndivided(body, *split);
      undivided.insert_range(more);
      isDecided = more.empty();
    }
    if (!split->combines()) {
      reportUndivided(step, *split);
      return success();
    }
    if (EntryOp clone = step.getRole() == Role::step
                            ? cloneForOneRank(step, *split, policy)
                            : EntryOp()) {
      symbols.insert(clone, std::next(step->getIterator()));
      ++numForOneRank;
    }
    BatchSliceRegionBuilder regions(body, *split);
    regions.build();
    report(step, regions, batch);
    numPhases += regions.count();
    numExchanges += regions.getExchangedValues().combined.size();
    numGathers += regions.getExchangedValues().gathered.size();
    return success();
  }
};
} // namespace
