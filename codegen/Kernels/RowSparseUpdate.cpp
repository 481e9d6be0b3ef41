//===- RowSparseUpdate.cpp - Row-sparse updates of tables -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Kernels/RowSparseUpdate.h"

#include "codegen/Kernels/KernelAccess.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace ingot::kernels {

/// Returns the views that an op writes, or std::nullopt if its effects are
/// unknown.
static std::optional<SmallVector<Value>> writtenBy(Operation &op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return SmallVector<Value>(linalgOp.getDpsInits());
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return SmallVector<Value>{copy.getTarget()};
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return SmallVector<Value>{store.getMemRef()};
  if (auto loop = dyn_cast<scf::ForOp>(op); loop && loop.getNumResults() == 0)
    return SmallVector<Value>();
  if (auto branch = dyn_cast<scf::IfOp>(op);
      branch && branch.getNumResults() == 0)
    return SmallVector<Value>();
  if (isa<memref::LoadOp, memref::AllocOp>(op) ||
      (op.getNumRegions() == 0 && isMemoryEffectFree(&op)))
    return SmallVector<Value>();
  return std::nullopt;
}

/// Returns the index of the row of `table` that `user` accesses, or null if
/// `user` may access other rows, too.
static Value rowIndexOf(Operation *user, Value table) {
  if (auto slice = dyn_cast<memref::SubViewOp>(user))
    return slice.getStaticSize(0) == 1
               ? dyn_cast<Value>(slice.getMixedOffsets()[0])
               : Value();
  if (auto load = dyn_cast<memref::LoadOp>(user))
    return load.getIndices().front();
  if (auto store = dyn_cast<memref::StoreOp>(user))
    return store.getMemRef() == table ? store.getIndices().front() : Value();
  return Value();
}

/// Whether `condition` implies `index` < limit for some limit, as an unsigned
/// comparison.
static bool limits(Value condition, Value index) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return limits(both.getLhs(), index) || limits(both.getRhs(), index);
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::ult &&
         compare.getLhs() == index;
}

/// Returns the scf.if around `user` whose branch is taken only if `index` is
/// below some limit, or null if there is no such op.
static scf::IfOp branchOf(Operation *user, Value index, scf::ForOp loops) {
  for (Operation *op = user; op != loops; op = op->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
        branch && op->getParentRegion() == &branch.getThenRegion() &&
        limits(branch.getCondition(), index))
      return branch;
  return scf::IfOp();
}

// First collects the buffers that the loops write: `tables`. Then checks each
// access to a table. It must be to a single row, and in a branch that is taken
// only if the row's index is below a limit. All accesses in one branch must be
// to the row with the same index.
std::optional<RowSparseUpdate> rowUpdatesOf(scf::ForOp loops) {
  if (loops.getNumResults() != 0)
    return std::nullopt;
  SetVector<Value> tables;
  WalkResult found = loops.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == loops || op->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::advance();
    std::optional<SmallVector<Value>> written = writtenBy(*op);
    if (!written)
      return WalkResult::interrupt();
    for (Value view : *written) {
      Value root = rootOf(view);
      Operation *definition = root.getDefiningOp();
      if (!definition || !loops->isAncestor(definition))
        tables.insert(root);
    }
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip()
                                     : WalkResult::advance();
  });
  if (found.wasInterrupted() || tables.empty())
    return std::nullopt;

  RowSparseUpdate updates;
  updates.tables = tables.takeVector();
  for (Value table : updates.tables)
    for (Operation *user : table.getUsers()) {
      if (!loops->isProperAncestor(user) || isa<memref::DimOp>(user))
        continue;
      Value index = rowIndexOf(user, table);
      scf::IfOp branch = index ? branchOf(user, index, loops) : scf::IfOp();
      if (!branch ||
          updates.indices.try_emplace(branch, index).first->second != index)
        return std::nullopt;
    }
  // The branches must not be nested: if the outer branch is skipped because of
  // its row, the inner one, which updates another row, would be skipped, too.
  for (auto [branch, index] : updates.indices)
    for (Operation *outer = branch->getParentOp(); outer != loops;
         outer = outer->getParentOp())
      if (updates.indices.contains(outer))
        return std::nullopt;
  return updates;
}

void restrictRows(const RowSparseUpdate &updates, Value begin, Value size) {
  for (auto [op, index] : updates.indices) {
    auto branch = cast<scf::IfOp>(op);
    OpBuilder b(branch);
    Location loc = branch.getLoc();
    Value distance = arith::SubIOp::create(b, loc, index, begin);
    // The comparison is unsigned: for a row before `begin`, `distance` wraps
    // around to a large number, which is not below `size`.
    Value isHere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         distance, size);
    branch.getConditionMutable().assign(
        arith::AndIOp::create(b, loc, branch.getCondition(), isHere));
  }
}

} // namespace ingot::kernels
