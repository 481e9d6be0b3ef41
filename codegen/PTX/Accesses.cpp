//===- Accesses.cpp - What threads may still be at ------------------------===//

#include "codegen/PTX/Accesses.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace ingot::ptx {

/// Places in one block of bytes are told apart.
static Value rootOf(Value view) {
  while (auto op = view.getDefiningOp<ViewLikeOpInterface>()) {
    if (isa<memref::ViewOp>(op))
      break;
    view = op.getViewSource();
  }
  return view;
}

void Accesses::add(Operation *op) {
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
      Value root = rootOf(value);
      if (root.getDefiningOp<memref::AllocaOp>())
        continue;
      if (isa<MemoryEffects::Read>(effect.getEffect()))
        reads.insert(root);
      else if (isa<MemoryEffects::Write>(effect.getEffect()))
        writes.insert(root);
    }
  });
}

void Accesses::add(const Accesses &other) {
  reads.insert_range(other.reads);
  writes.insert_range(other.writes);
}

bool Accesses::conflictsWith(const Accesses &later) const {
  auto shares = [](const DenseSet<Value> &a, const DenseSet<Value> &b) {
    return llvm::any_of(a, [&](Value value) { return b.contains(value); });
  };
  return shares(writes, later.reads) || shares(writes, later.writes) ||
         shares(reads, later.writes);
}

void Accesses::clear() {
  reads.clear();
  writes.clear();
}

} // namespace ingot::ptx
