//===- MapGridToBlocks.cpp - A kernel's grid as blocks of threads ---------===//
// SPDX-License-Identifier: Apache-2.0
//
// Replaces the grid loop by its body for one iteration, which one block runs.
// Every block also runs the ops outside of the loop, so the pass must prove
// that repeating them is harmless. If it cannot, the kernel runs as one block.
//
//===----------------------------------------------------------------------===//

#include "codegen/KernelGrid.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"
#include "codegen/PTX/Passes.h"

#include "llvm/Support/Debug.h"

namespace ingot::ptx {
#define GEN_PASS_DEF_MAPGRIDTOBLOCKSPASS
#include "codegen/PTX/Passes.h.inc"
} // namespace ingot::ptx

#define DEBUG_TYPE "ingot-ptx-map-grid-to-blocks"

using namespace mlir;

namespace {

/// The roots of the buffers that a kernel writes inside of its grid loop
/// (`inside`), and outside of it (`beside`). `isKnown` is false if an op may
/// write any memory.
struct WrittenBuffers {
  DenseSet<Value> inside, beside;
  bool isKnown = true;

  void collect(func::FuncOp kernel, scf::ForOp grid) {
    kernel.walk([&](Operation *op) {
      auto effects = dyn_cast<MemoryEffectOpInterface>(op);
      if (!effects)
        return;
      SmallVector<MemoryEffects::EffectInstance> instances;
      effects.getEffects(instances);
      for (MemoryEffects::EffectInstance &effect : instances) {
        if (!isa<MemoryEffects::Write>(effect.getEffect()))
          continue;
        if (!effect.getValue()) {
          isKnown = false;
          continue;
        }
        Value root = ::ingot::kernels::rootOf(effect.getValue());
        (grid->isAncestor(op) ? inside : beside).insert(root);
      }
    });
  }
};

} // namespace

static bool isAllocation(Value buffer) {
  return isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(
      buffer.getDefiningOp());
}

/// Whether every block may run the ops outside of the grid loop. This is legal
/// if these ops write only temporaries, to which all blocks then store the same
/// values, and the grid loop writes none of these temporaries. Otherwise a
/// block that starts late would overwrite results of the loop in other blocks.
static bool mayRepeat(const WrittenBuffers &writes) {
  return writes.isKnown && llvm::all_of(writes.beside, [&](Value root) {
           return isAllocation(root) && !writes.inside.contains(root);
         });
}

/// Replaces the kernel's grid loop by the code of one block, if there is a grid
/// loop and its iterations are independent. Returns whether it was replaced.
static bool mapGrid(func::FuncOp kernel) {
  scf::ForOp grid = ::ingot::kernels::gridLoopOf(kernel);
  if (!grid)
    return false;
  grid->removeAttr(::ingot::kernels::gridLoopAttrName);
  WrittenBuffers writes;
  writes.collect(kernel, grid);
  // If the loop carries values, its iterations depend on each other, and cannot
  // be blocks.
  std::optional<::ingot::codegen::Grid> size = ::ingot::codegen::gridOf(grid);
  if (!size || grid.getNumResults() != 0 || !mayRepeat(writes)) {
    LLVM_DEBUG(llvm::dbgs()
               << "one block for " << kernel.getName() << ": "
               << (!size ? "unknown bounds of the grid"
                   : grid.getNumResults() != 0
                       ? "iterations carry values"
                       : "ops outside of the grid write more than its "
                         "temporaries, so blocks must not repeat them")
               << '\n');
    return false;
  }
  ::ingot::codegen::setGrid(kernel, *size);
  OpBuilder builder(grid);
  for (auto allocation : kernel.getOps<memref::AllocOp>())
    if (writes.inside.contains(allocation.getResult()))
      allocation->setAttr(::ingot::ptx::allBlocksAttrName,
                          builder.getUnitAttr());
  Location loc = grid.getLoc();
  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value distance = arith::MulIOp::create(builder, loc, block, grid.getStep());
  Value index =
      arith::AddIOp::create(builder, loc, grid.getLowerBound(), distance);
  grid.getInductionVar().replaceAllUsesWith(index);
  grid.getBody()->getTerminator()->erase();
  grid->getBlock()->getOperations().splice(grid->getIterator(),
                                           grid.getBody()->getOperations());
  grid.erase();
  return true;
}

namespace {
struct MapGridToBlocks
    : ::ingot::ptx::impl::MapGridToBlocksPassBase<MapGridToBlocks> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (::ingot::ptx::isDeviceKernel(kernel) && mapGrid(kernel))
        ++numMapped;
  }
};
} // namespace
