//===- KernelComputeOpCollector.cpp - Collect the ops of a kernel's grid --===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Kernels/KernelComputeOpCollector.h"
#include "runtime/ABI/Mutants.h"

#include "codegen/Kernels/KernelAccess.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace ingot::kernels {

static bool isPlain(AffineMap map) {
  return llvm::all_of(map.getResults(), [](AffineExpr result) {
    return isa<AffineDimExpr, AffineConstantExpr>(result);
  });
}

/// Whether the kernel itself allocates the buffer of `view`.
static bool isOwn(Value view) {
  return rootOf(view).getDefiningOp<memref::AllocOp>() != nullptr;
}

static bool isPure(Operation &op) {
  return op.getNumRegions() == 0 && isMemoryEffectFree(&op);
}

/// Adds to `buffers` all buffers that are operands of `op` or of an op nested
/// in it, directly or through views.
static void addBuffers(Operation &op, DenseSet<Value> &buffers) {
  op.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (isa<MemRefType>(operand.getType()))
        buffers.insert(rootOf(operand));
  });
}

static bool touches(Operation &op, const DenseSet<Value> &buffers) {
  DenseSet<Value> own;
  addBuffers(op, own);
  return llvm::any_of(own, [&](Value root) { return buffers.contains(root); });
}

/// Whether `op` is a store, a copy or a linalg op that writes one of `buffers`.
static bool overwrites(Operation &op, const DenseSet<Value> &buffers) {
  if (INGOT_MUTANT("shared_buffer"))
    return false;
  auto isOne = [&](Value view) {
    return isa<MemRefType>(view.getType()) && buffers.contains(rootOf(view));
  };
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return isOne(store.getMemRef());
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return isOne(copy.getTarget());
  auto loops = dyn_cast<linalg::LinalgOp>(op);
  return loops && llvm::any_of(loops.getDpsInits(), isOne);
}

/// Whether `op` may stay before the loop over blocks, because it has no effect
/// outside of the kernel's own buffers. Each thread then runs it once, before
/// its range of blocks.
static bool isBesideLoop(Operation &op) {
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return isOwn(store.getMemRef());
  return isa<memref::AllocOp>(op) || isPure(op);
}

/// Whether all tables of a row-sparse update provably have the same number of
/// rows.
static bool haveOneSize(ArrayRef<Value> tables) {
  auto rowsOf = [](Value table) {
    auto type = cast<MemRefType>(table.getType());
    return type.getRank() ? type.getDimSize(0) : -1;
  };
  int64_t rows = rowsOf(tables.front());
  return llvm::all_of(tables, [&](Value t) { return rowsOf(t) == rows; }) &&
         rows != -1 && (tables.size() == 1 || !ShapedType::isDynamic(rows));
}

bool KernelComputeOpCollector::collect(Block &body) {
  for (Operation &op : body.without_terminator())
    if (!collect(op))
      return false;
  for (ComputeOpWithLoopRanges &member : members)
    for (unsigned operand = 0; operand < member.maps.size(); ++operand)
      if (member.isBuffer(operand) && member.writes(operand) &&
          !isPlain(member.maps[operand]))
        return false;
  separatePrelude(body);
  // The loads at the top level of the kernel stay before the loop over blocks,
  // and each thread reads all indices of row-sparse updates. So the loop must
  // not write the buffers that these loads read, nor the buffers of the
  // indices.
  return keepsOrder(body) &&
         llvm::none_of(loads,
                       [&](memref::LoadOp load) {
                         return written.contains(rootOf(load.getMemRef()));
                       }) &&
         llvm::none_of(members, [&](const ComputeOpWithLoopRanges &member) {
           return member.rows && readsWritten(member);
         });
}

/// Records `op` in `loads` if it is a load, or in `members` if it computes (a
/// linalg op or a copy). Returns whether `op` was recorded. Callers handle all
/// other ops themselves: collect() those outside of sequential loops,
/// collectNested() those inside.
bool KernelComputeOpCollector::take(Operation &op) {
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    loads.push_back(load);
    return true;
  }
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    members.push_back(ComputeOpWithLoopRanges(linalgOp));
  else if (auto copy = dyn_cast<memref::CopyOp>(op))
    members.push_back(ComputeOpWithLoopRanges(copy));
  else
    return false;
  for (int64_t trips : outer)
    members.back().times *= trips;
  return true;
}

bool KernelComputeOpCollector::collect(Operation &op) {
  if (take(op))
    return true;
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return isBesideLoop(op);
  std::optional<RowSparseUpdate> rows = rowUpdatesOf(loop);
  if (!rows || !haveOneSize(rows->tables))
    return collectNested(op);
  members.push_back(ComputeOpWithLoopRanges(loop, std::move(*rows)));
  return true;
}

/// Collects the ops in a sequential loop, such as that of a scan. Each block
/// runs all iterations of the loop, but computes only its own part of each op
/// inside.
bool KernelComputeOpCollector::collectNested(Operation &op) {
  if (take(op))
    return true;
  if (!isa<scf::ForOp, scf::IfOp>(op) || op.getNumResults() != 0)
    return isPure(op);
  auto loop = dyn_cast<scf::ForOp>(op);
  if (loop) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    outer.push_back(trips ? trips->getSExtValue() : assumedSize);
  }
  bool isKnown = true;
  for (Region &region : op.getRegions())
    for (Operation &inner : region.getOps())
      isKnown = isKnown && (inner.hasTrait<OpTrait::IsTerminator>() ||
                            collectNested(inner));
  if (loop)
    outer.pop_back();
  return isKnown;
}

/// Chooses the small ops on local buffers that run before the loop over blocks
/// (the prelude), instead of in it. An op must stay in the loop if it accesses
/// a buffer that the loop writes (RAW, WAW), or overwrites a buffer that an
/// earlier op of the loop reads (WAR). An op that stays makes the loop access
/// more buffers, so the check is repeated until no further op has to stay.
void KernelComputeOpCollector::separatePrelude(Block &body) {
  for (ComputeOpWithLoopRanges &member : members) {
    member.isPrelude =
        !member.rows && member.op->getBlock() == &body &&
        !llvm::is_contained(member.ranges, ShapedType::kDynamic) &&
        member.iterations() <= maxPreludeIterations;
    for (unsigned operand = 0; operand < member.maps.size(); ++operand)
      member.isPrelude &= !member.isBuffer(operand) ||
                          !member.writes(operand) ||
                          isOwn(member.operand(operand));
  }
  for (bool changes = true; changes;) {
    changes = false;
    for (ComputeOpWithLoopRanges &member : members)
      for (unsigned operand = 0; operand < member.maps.size(); ++operand)
        if (!member.isPrelude && member.isBuffer(operand) &&
            member.writes(operand))
          changes |= written.insert(rootOf(member.operand(operand))).second;
    DenseSet<Value> pending; // buffers that earlier ops of the loop use
    for (Operation &op : body.without_terminator()) {
      ComputeOpWithLoopRanges *prelude = preludeOf(op);
      if (prelude && (touches(op, written) || overwrites(op, pending))) {
        prelude->isPrelude = false;
        prelude = nullptr;
        changes = true;
      }
      if (!prelude && !isa<memref::LoadOp>(op) && !isBesideLoop(op))
        addBuffers(op, pending);
    }
  }
}

/// Returns the element of `members` for `op` if `op` is in the prelude, which
/// runs before the loop over blocks; otherwise null.
ComputeOpWithLoopRanges *KernelComputeOpCollector::preludeOf(Operation &op) {
  auto *found =
      llvm::find_if(members, [&](const ComputeOpWithLoopRanges &member) {
        return member.op == &op && member.isPrelude;
      });
  return found == members.end() ? nullptr : found;
}

/// Whether all loads and stores at the top level of the kernel can move above
/// the ops that will form the loop over blocks: none of them accesses a buffer
/// that such an op writes, and no store overwrites a buffer that such an op
/// uses before the store.
bool KernelComputeOpCollector::keepsOrder(Block &body) {
  DenseSet<Value> pending;
  for (Operation &op : body.without_terminator()) {
    if (isa<memref::LoadOp, memref::StoreOp>(op)) {
      if (touches(op, written) || overwrites(op, pending))
        return false;
    } else if (!isBesideLoop(op) && !preludeOf(op)) {
      addBuffers(op, pending);
    }
  }
  return true;
}

/// Whether the row-sparse updates of `loops` read a buffer that the kernel
/// writes, other than the tables that they update. If so, a block could read
/// what another block has yet to write.
bool KernelComputeOpCollector::readsWritten(
    const ComputeOpWithLoopRanges &loops) const {
  auto reads = [&](Value operand) {
    if (!isa<MemRefType>(operand.getType()))
      return false;
    Value root = rootOf(operand);
    return written.contains(root) &&
           !llvm::is_contained(loops.rows->tables, root);
  };
  return loops.op
      ->walk([&](Operation *op) {
        return llvm::any_of(op->getOperands(), reads) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace ingot::kernels
