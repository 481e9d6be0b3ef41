//===- SpecializeStepsForFullBatches.cpp - Clones steps for full batches --===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/IteratorBatches.h"
#include "compiler/Graph/Passes.h"

#include "dialects/Host/HostAttributes.h"
#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"

#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_SPECIALIZESTEPSFORFULLBATCHESPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-specialize-steps-for-full-batches"

using namespace mlir;
using namespace mlir::ingot;

/// Returns the only iterator_next of the entry; null if there are several, or
/// if it is in a branch or loop.
static IteratorNextOp requestOf(EntryOp entry) {
  IteratorNextOp found;
  unsigned count = 0;
  entry.walk([&](IteratorNextOp next) {
    found = next;
    ++count;
  });
  return count == 1 && found->getParentOp() == entry ? found : IteratorNextOp();
}

/// Returns the types of the components of a batch of `size` elements;
/// std::nullopt unless the batch size is dynamic and all other sizes are
/// static.
static std::optional<SmallVector<Type>> typesOfFull(TypeRange components,
                                                    int64_t size) {
  SmallVector<Type> types;
  bool isOpen = false;
  for (Type component : components) {
    auto type = dyn_cast<RankedTensorType>(component);
    if (!type || type.getRank() == 0 ||
        ShapedType::isDynamicShape(type.getShape().drop_front()))
      return std::nullopt;
    isOpen |= type.isDynamicDim(0);
    SmallVector<int64_t> shape(type.getShape());
    if (!type.isDynamicDim(0) && shape[0] != size)
      return std::nullopt;
    shape[0] = size;
    types.push_back(type.clone(shape));
  }
  return isOpen ? std::optional(types) : std::nullopt;
}

namespace {
struct SpecializeStepsForFullBatches
    : ::ingot::graph::impl::SpecializeStepsForFullBatchesPassBase<
          SpecializeStepsForFullBatches> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<EntryOp> steps;
    for (auto entry : getOperation().getOps<EntryOp>())
      if (entry.getRole() == Role::step)
        steps.push_back(entry);
    for (EntryOp step : steps) {
      IteratorNextOp next = requestOf(step);
      auto iterator =
          next ? symbols.lookup<IteratorOp>(next.getIterator()) : IteratorOp();
      std::optional<int64_t> size =
          iterator ? ::ingot::graph::batchSizeOf(iterator) : std::nullopt;
      if (!size)
        continue;
      std::optional<SmallVector<Type>> types =
          typesOfFull(next->getResultTypes(), *size);
      if (!types) {
        LLVM_DEBUG(llvm::dbgs() << "no clone of " << step.getSymName()
                                << ": its batches are static, or have other "
                                   "dynamic sizes\n");
        continue;
      }
      LLVM_DEBUG(llvm::dbgs() << "clone " << step.getSymName()
                              << " for batches of " << *size << '\n');
      copy(step, *types, symbols);
      ++numCloned;
    }
  }

  /// Inserts a clone of `step` for full batches: the clone's iterator_next has
  /// results of the static types `types`.
  static void copy(EntryOp step, ArrayRef<Type> types, SymbolTable &symbols) {
    EntryOp full = step.clone();
    full.setSymName((step.getSymName() + ".full").str());
    full->setAttr(host::fullBatchOfAttrName,
                  FlatSymbolRefAttr::get(step.getSymNameAttr()));
    IteratorNextOp next = requestOf(full);
    for (auto [result, type] : llvm::zip(next->getResults(), types))
      result.setType(type);
    symbols.insert(full, std::next(step->getIterator()));
  }
};
} // namespace
