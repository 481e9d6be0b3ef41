//===- RematerializeActivations.cpp - Recompute values to save memory -----===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/ArenaLayout.h"
#include "codegen/Host/BlockSchedule.h"
#include "codegen/Host/Passes.h"

#include "llvm/Support/Debug.h"

namespace ingot::hostgen {
#define GEN_PASS_DEF_REMATERIALIZEACTIVATIONSPASS
#include "codegen/Host/Passes.h.inc"
} // namespace ingot::hostgen

#define DEBUG_TYPE "ingot-host-rematerialize-activations"

using namespace mlir;
using namespace ::ingot::hostgen;

namespace {

/// Lowers the bytes that are live at the same time in a block to `limit`, or as
/// far as possible. Returns the number of launches that were added.
unsigned lowerPeak(Block &block, const SymbolTable &symbols, int64_t limit) {
  // First lower the peaks of blocks in the regions of ops during which too many
  // bytes are live.
  SmallVector<std::pair<Operation *, int64_t>> around;
  {
    BlockSchedule schedule(block, symbols);
    for (Operation &op : block)
      if (int64_t inside = schedule.temporaryBytesOf(&op)) {
        int64_t excess = schedule.liveBytesAt(&op) - limit;
        if (excess > 0)
          around.emplace_back(&op, inside - excess);
      }
  }
  unsigned numLaunches = 0;
  for (auto [op, limitInside] : around)
    for (Region &region : op->getRegions())
      for (Block &inner : region)
        numLaunches += lowerPeak(inner, symbols, limitInside);
  BlockSchedule schedule(block, symbols);
  return numLaunches + schedule.apply(rematerialize(schedule.get(), limit));
}

/// Returns the size of the arena that the function needs.
int64_t arenaSizeOf(func::FuncOp function) {
  std::vector<ArenaBuffer> buffers = arenaBuffersOf(function);
  return layOutArena(buffers, /*bytesApart=*/0) +
         argumentTableBytesOf(function);
}

struct RematerializeActivations
    : ::ingot::hostgen::impl::RematerializeActivationsPassBase<
          RematerializeActivations> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (auto limit =
              function->getAttrOfType<IntegerAttr>(host::arenaLimitAttrName);
          limit && !function.isExternal())
        reduceArena(function, symbols, limit.getInt());
  }

private:
  /// Repeats launches of `function` so that its arena has at most `limit`
  /// bytes, or as few as possible.
  void reduceArena(func::FuncOp function, const SymbolTable &symbols,
                   int64_t limit) {
    // Buffers leave gaps in an arena, and repetitions have argument tables in
    // it. If it is too large because of them, try again with fewer live bytes,
    // at last with as few as possible, each time from the function as it was.
    constexpr int mostTrials = 4;
    int64_t least = arenaSizeOf(function);
    int64_t liveLimit = limit - argumentTableBytesOf(function);
    OwningOpRef<func::FuncOp> best;
    unsigned bestLaunches = 0;
    for (int trial = 0; trial < mostTrials && least > limit; ++trial) {
      if (trial == mostTrials - 1)
        liveLimit = 0;
      OwningOpRef<func::FuncOp> copy = cast<func::FuncOp>(function->clone());
      unsigned launches =
          lowerPeak(copy->getBody().front(), symbols, liveLimit);
      int64_t size = arenaSizeOf(*copy);
      LLVM_DEBUG(llvm::dbgs()
                 << function.getName() << ": " << least << " bytes before, "
                 << size << " bytes with " << launches << " more launches, for "
                 << liveLimit << " live bytes\n");
      if (size < least) {
        least = size;
        best = std::move(copy);
        bestLaunches = launches;
      }
      if (liveLimit <= 0)
        break;
      liveLimit = std::max<int64_t>(0, liveLimit - (size - limit));
    }
    if (!best)
      return;
    function.getBody().takeBody(best->getBody());
    numRepeated += bestLaunches;
  }
};

} // namespace
