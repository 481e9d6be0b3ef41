//===- BufferAccesses.cpp - Accesses that need a barrier ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/PTX/BufferAccesses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace ingot::ptx {

/// Adds to `roots` the roots of all buffers that `view` may be a view of. The
/// result of a branch, select or loop may be any of the values from which the
/// op chooses. Two `memref.view`s of one buffer of bytes are different roots:
/// the pass AssignMemorySpaces makes a view in place of each allocation, and
/// gives different allocations different bytes.
static void addRoots(Value view, DenseSet<Value> &roots,
                     DenseSet<Value> &visited) {
  while (auto op = view.getDefiningOp<ViewLikeOpInterface>()) {
    if (isa<memref::ViewOp>(op))
      break;
    view = op.getViewSource();
  }
  if (!visited.insert(view).second)
    return;
  auto addAll = [&](ValueRange sources) {
    for (Value source : sources)
      addRoots(source, roots, visited);
  };
  auto addCarried = [&](scf::ForOp loop, unsigned index) {
    addAll({loop.getInitArgs()[index], loop.getYieldedValues()[index]});
  };
  Operation *definition = view.getDefiningOp();
  if (auto argument = dyn_cast<BlockArgument>(view))
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
        loop && argument.getArgNumber() > 0)
      return addCarried(loop, argument.getArgNumber() - 1);
  if (auto choice = dyn_cast_or_null<arith::SelectOp>(definition))
    return addAll({choice.getTrueValue(), choice.getFalseValue()});
  if (auto loop = dyn_cast_or_null<scf::ForOp>(definition))
    return addCarried(loop, cast<OpResult>(view).getResultNumber());
  if (auto branch = dyn_cast_or_null<scf::IfOp>(definition)) {
    unsigned index = cast<OpResult>(view).getResultNumber();
    return addAll({branch.thenYield()->getOperand(index),
                   branch.elseYield()->getOperand(index)});
  }
  // Memory of an alloca is private to a thread, so accesses to it need no
  // barrier: the alloca is not recorded as a root.
  if (!view.getDefiningOp<memref::AllocaOp>())
    roots.insert(view);
}

void BufferAccesses::add(Operation *op) {
  op->walk([&](Operation *inner) {
    auto interface = dyn_cast<MemoryEffectOpInterface>(inner);
    if (!interface)
      return;
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    for (MemoryEffects::EffectInstance &effect : effects) {
      Value value = effect.getValue();
      if (!value || !isa<MemRefType>(value.getType()))
        continue;
      DenseSet<Value> visited;
      if (isa<MemoryEffects::Read>(effect.getEffect()))
        addRoots(value, reads, visited);
      else if (isa<MemoryEffects::Write>(effect.getEffect()))
        addRoots(value, writes, visited);
    }
  });
}

void BufferAccesses::add(const BufferAccesses &other) {
  reads.insert_range(other.reads);
  writes.insert_range(other.writes);
}

bool BufferAccesses::conflictsWith(const BufferAccesses &later) const {
  auto shares = [](const DenseSet<Value> &a, const DenseSet<Value> &b) {
    return llvm::any_of(a, [&](Value value) { return b.contains(value); });
  };
  return shares(writes, later.reads) || shares(writes, later.writes) ||
         shares(reads, later.writes);
}

void BufferAccesses::clear() {
  reads.clear();
  writes.clear();
}

} // namespace ingot::ptx
