//===- MergeRowUpdates.cpp - Merge row-sparse updates at equal indices ----===//
// SPDX-License-Identifier: Apache-2.0
//
// Sparse Adam adds gradients to the rows of two moving averages, at the same
// indices. A kernel looks at all indices of an update for each of its ranges of
// rows, so one update of both tables looks at them half as often as two. Only
// updates that share a kernel anyway are merged, so those of different networks
// can still run side by side.
//
//===----------------------------------------------------------------------===//

#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/ScatterOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_MERGEROWUPDATESPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-merge-row-updates"

using namespace mlir;
using namespace mlir::ingot;

namespace {

/// Whether the updates select rows by the same indices, from different tables
/// that provably have the same shape. The results of one op must not take the
/// memory of one table.
bool selectAlike(UpdateRowsOp first, UpdateRowsOp second) {
  auto table = [](UpdateRowsOp update) {
    return dyn_cast<RankedTensorType>(update.getTables().front().getType());
  };
  return first.getIndices() == second.getIndices() &&
         first.getNd() == second.getNd() && table(first) && table(second) &&
         table(first).hasStaticShape() &&
         table(first).getShape() == table(second).getShape() &&
         llvm::none_of(second.getTables(), [&](Value other) {
           return llvm::is_contained(first.getTables(), other);
         });
}

/// Whether `first`, an earlier op of the same block, can move to the place of
/// `second`. Then `second` does not depend on it either.
bool canMoveTo(UpdateRowsOp first, UpdateRowsOp second) {
  return llvm::all_of(first->getUsers(), [&](Operation *user) {
    Operation *here = second->getBlock()->findAncestorOpInBlock(*user);
    return here && second->isBeforeInBlock(here);
  });
}

/// Returns the operands of a kind of both updates, those of `first` first.
template <typename RangeT>
SmallVector<Value> joined(RangeT first, RangeT second) {
  SmallVector<Value> values(first.begin(), first.end());
  values.append(second.begin(), second.end());
  return values;
}

/// Clones the body of `update`, one of the two merged into the op with body
/// `merged`. `begins` are the numbers of the arguments of `merged` at which its
/// tables, rows and shared values begin. Returns the new rows.
SmallVector<Value> cloneBody(OpBuilder &builder, UpdateRowsOp update,
                             Block &merged, ArrayRef<unsigned> begins) {
  Block &body = update.getBody().front();
  IRMapping mapping;
  auto argument = body.args_begin();
  size_t counts[] = {update.getTables().size(), update.getRows().size(),
                     update.getShared().size()};
  for (auto [begin, count] : llvm::zip(begins, counts))
    for (size_t i = 0; i < count; ++i)
      mapping.map(*argument++, merged.getArgument(begin + i));
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(
      body.getTerminator()->getOperands(),
      [&](Value row) { return mapping.lookupOrDefault(row); });
}

/// Replaces both updates by one at the place of `second`.
UpdateRowsOp merge(UpdateRowsOp first, UpdateRowsOp second) {
  OpBuilder builder(second);
  SmallVector<Type> types(first->getResultTypes());
  llvm::append_range(types, second->getResultTypes());
  auto op = UpdateRowsOp::create(
      builder, builder.getFusedLoc({first.getLoc(), second.getLoc()}), types,
      joined(first.getTables(), second.getTables()), first.getIndices(),
      joined(first.getRows(), second.getRows()),
      joined(first.getShared(), second.getShared()), first.getNdAttr());
  Block *body = builder.createBlock(&op.getBody());
  unsigned tables = first.getTables().size(), rows = first.getRows().size(),
           shared = first.getShared().size();
  auto addArguments = [&](UpdateRowsOp update, unsigned begin, unsigned count) {
    for (BlockArgument argument :
         update.getBody().front().getArguments().slice(begin, count))
      body->addArgument(argument.getType(), argument.getLoc());
  };
  unsigned otherTables = second.getTables().size(),
           otherRows = second.getRows().size(),
           otherShared = second.getShared().size();
  addArguments(first, 0, tables);
  addArguments(second, 0, otherTables);
  addArguments(first, tables, rows);
  addArguments(second, otherTables, otherRows);
  addArguments(first, tables + rows, shared);
  addArguments(second, otherTables + otherRows, otherShared);
  unsigned firstRow = tables + otherTables,
           firstShared = firstRow + rows + otherRows;
  SmallVector<Value> updated =
      cloneBody(builder, first, *body, {0, firstRow, firstShared});
  llvm::append_range(
      updated, cloneBody(builder, second, *body,
                         {tables, firstRow + rows, firstShared + shared}));
  YieldRowsOp::create(builder, op.getLoc(), updated);
  first->replaceAllUsesWith(op->getResults().take_front(tables));
  second->replaceAllUsesWith(op->getResults().drop_front(tables));
  first->erase();
  second->erase();
  return op;
}

struct MergeRowUpdates
    : ::ingot::graph::impl::MergeRowUpdatesPassBase<MergeRowUpdates> {
  void runOnOperation() override {
    getOperation().walk([&](FusionOp fusion) {
      mergeAll(
          llvm::to_vector(fusion.getBody().front().getOps<UpdateRowsOp>()));
    });
  }

private:
  void mergeAll(SmallVector<UpdateRowsOp> updates) {
    for (size_t later = 0; later < updates.size(); ++later)
      for (size_t earlier = 0; earlier < later; ++earlier) {
        UpdateRowsOp first = updates[earlier], second = updates[later];
        if (!first || !selectAlike(first, second) || !canMoveTo(first, second))
          continue;
        LLVM_DEBUG(llvm::dbgs() << "merge the updates at " << first.getLoc()
                                << " and " << second.getLoc() << '\n');
        updates[later] = merge(first, second);
        updates[earlier] = nullptr; // part of the other one now
        ++numMerged;
      }
  }
};

} // namespace
