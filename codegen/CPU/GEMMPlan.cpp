//===- GEMMPlan.cpp - How a GEMM is tiled, packed and blocked -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/GEMMPlan.h"

#include "codegen/CPU/Target.h"
#include "codegen/CPU/TileAndFuse.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace ingot::cpu {

/// Whether tiles whose rows have `bytes` bytes read more of C than they use.
/// With few steps of K, a large C takes most of the time, and CPUs fetch its
/// cache lines in pairs.
static bool wastesLines(const GEMMProblem &gemm, TileShape tile,
                        const CacheHierarchy &caches) {
  constexpr int64_t fewSteps = 128, bytesOfPair = 128;
  return gemm.depth <= fewSteps &&
         tile.columns * gemm.elementBytes() % bytesOfPair != 0 &&
         gemm.rows * gemm.columns * gemm.elementBytes() > caches.sharedBytes();
}

/// Whether panels of B should be packed for tiles of `tileRows` rows, if B is
/// stored as [K, N]. Otherwise the GEMM reads B in place, and threads share its
/// tiles of rows.
static bool isWorthPacking(const GEMMProblem &gemm, int64_t tileRows,
                           const CacheHierarchy &caches) {
  constexpr int64_t minTiles = 8, minRows = 4;
  int64_t stride = gemm.columns * gemm.elementBytes();
  // If the matrix exceeds the caches, a panel of columns is made of short rows
  // that are far apart in memory: each row is a cache miss and often a TLB
  // miss. Packing reads every row only once, with prefetches.
  if (stride * gemm.depth > caches.sharedBytes())
    return gemm.rows >= minRows;
  if (stride * gemm.depth <= caches.inPlaceBytes())
    return false;
  return gemm.rows > minTiles * tileRows ||
         (gemm.rows > tileRows && caches.l2.evicts(gemm.depth, stride));
}

GEMMPlan planTiles(const GEMMProblem &gemm, TileShape tile,
                   const CacheHierarchy &caches, int64_t rowsOfBlock) {
  GEMMPlan plan = {tile};
  int64_t panelBytes = gemm.depth * tile.columns * gemm.elementBytes();
  bool pairs = gemm.mayPairFactors && gemm.rows >= 2 * tile.rows &&
               panelBytes <= maxPanelBytes;
  plan.packs =
      gemm.isSecondTransposed || pairs ||
      (!gemm.hasDynamicDepth && gemm.columns > tile.columns &&
       isWorthPacking(gemm, tile.rows, caches) && panelBytes <= maxPanelBytes);
  int64_t panels = llvm::divideCeilSigned(gemm.columns, tile.columns);
  int64_t rows = tile.rows * std::max<int64_t>(1, rowsOfBlock / tile.rows);
  constexpr int64_t manyPanels = 8;
  bool isWorthBlocks = gemm.hasDynamicRows
                           ? panels < manyPanels
                           : llvm::divideCeilSigned(gemm.rows, rows) > panels;
  if (plan.packs && isWorthBlocks)
    plan.rowsOfBlock = rows;
  return plan;
}

GEMMPlan planGEMM(const GEMMProblem &gemm, const TileLimits &limits,
                  const CacheHierarchy &caches, int64_t rowsOfBlock) {
  auto penalty = [&](TileShape tile) {
    if (wastesLines(gemm, tile, caches))
      return 4. / 3;
    // The grid is the loop over panels, or over tiles of rows.
    GEMMPlan plan = planTiles(gemm, tile, caches, rowsOfBlock);
    return gemm.isInGrid || gemm.hasDynamicRows || plan.rowsOfBlock != 0 ? 1.
           : plan.packs ? imbalanceOf(gemm.columns, tile.columns)
                        : imbalanceOf(gemm.rows, tile.rows);
  };
  TileShape tile = findFastestTile({gemm.rows, gemm.columns}, limits, penalty);
  return planTiles(gemm, tile, caches, rowsOfBlock);
}

/// Whether blocking a K of this size saves time. If K is the row dimension of
/// both operands, so that a block of K is contiguous in memory and is read in
/// place, it does for smaller K, too.
static bool isLong(const GEMMProblem &gemm, const CacheHierarchy &caches) {
  if (gemm.isFirstTransposed && !gemm.isSecondTransposed &&
      CPUTargetLimits::kBlocking.include(gemm.rows, gemm.columns, gemm.depth))
    return true;
  return gemm.depth > caches.maxPanelDepth() &&
         gemm.depth * (gemm.rows + gemm.columns) * gemm.elementBytes() >
             caches.sharedBytes();
}

/// A thin GEMM has at most `maxThinRows` rows, or maxEvictedRows() where the
/// rows of a block of its second operand evict each other from L1. It uses an
/// element of that operand so few times that reading it from memory takes most
/// of the time, and packing would write and read it once more. A block of K has
/// `thinDepth` steps or a few more: few enough pages for the TLB, and enough
/// time to prefetch the block below. Each step reads `minThinColumns` to
/// `maxThinColumns` neighbours, so that few blocks read the same page.
static constexpr int64_t maxThinRows = 48;
static constexpr int64_t thinDepth = 64, minThinColumns = 192,
                         maxThinColumns = 480;

/// Each row of register tiles reads the evicted lines from L2 again. Cores
/// whose L1 has 48 KiB (Ice Lake, Zen 5 and later) read 64 bytes a cycle from
/// L2, others 32.
static int64_t maxEvictedRows(const CacheHierarchy &caches) {
  constexpr int64_t bytesOfWideL1 = 48 * 1024;
  return caches.l1.bytes >= bytesOfWideL1 ? maxThinRows : 24;
}

/// Whether the GEMM has few rows, and a second operand whose rows are the steps
/// of K and that exceeds the last cache. L2 must hold a row's line of each step
/// of two blocks, the current one and the one that is being prefetched, as
/// every row of register tiles reads them again.
static bool isThin(const GEMMProblem &gemm, const CacheHierarchy &caches) {
  if (gemm.isSecondTransposed || gemm.mayPairFactors)
    return false;
  int64_t stride = gemm.columns * gemm.elementBytes();
  int64_t most = caches.l1.evicts(thinDepth, stride) ? maxEvictedRows(caches)
                                                     : maxThinRows;
  return gemm.rows <= most && gemm.depth >= 2 * thinDepth &&
         gemm.columns >= 2 * minThinColumns &&
         gemm.depth * stride > caches.sharedBytes() &&
         !caches.l2.evicts(2 * thinDepth, stride);
}

/// Returns the blocks of a thin GEMM.
static KBlocks findThinBlocks(const GEMMProblem &gemm,
                              const TileLimits &limits) {
  constexpr int64_t parts = 4;
  int64_t width = findFastestTile({gemm.rows, gemm.columns}, limits).columns;
  KBlocks blocks;
  blocks.columns =
      std::clamp(gemm.columns / parts, minThinColumns, maxThinColumns) / width *
      width;
  blocks.depth = thinDepth;
  for (int64_t depth = thinDepth; depth < 2 * thinDepth; ++depth)
    if (gemm.depth % depth == 0) {
      blocks.depth = depth;
      break;
    }
  return blocks;
}

/// Finds the rows or columns of C that one iteration of the grid computes. They
/// divide C, and are the ones whose register tiles take the least time: 45 rows
/// are five tiles of eight and a slow one of five. Each iteration reads all of
/// the operand that lacks the split dimension, so the longer side is split if
/// the estimates are equal.
static KBlocks findPart(const GEMMProblem &gemm, const TileLimits &limits) {
  // Each iteration reads one operand as a whole, so more and smaller parts
  // would read more memory.
  constexpr int64_t minGridRows = 32, maxParts = 8;
  KBlocks blocks;
  double fewest = 0;
  int64_t sides[] = {gemm.rows, gemm.columns};
  unsigned longer = sides[0] >= sides[1] ? 0 : 1;
  for (unsigned side : {longer, 1 - longer})
    for (int64_t parts = maxParts; parts >= 2; --parts) {
      int64_t part = sides[side] / parts;
      if (sides[side] % parts != 0 || part < minGridRows)
        continue;
      TileShape shape = {side == 0 ? part : sides[0],
                         side == 1 ? part : sides[1]};
      double cycles = static_cast<double>(parts) *
                      imbalanceOf(sides[side], part) *
                      cyclesOfGEMM(shape, limits);
      // A shorter side, whose parts read more, has to be clearly better.
      constexpr double minGain = 1.1;
      bool isBetter =
          side == longer ? cycles < fewest : cycles * minGain < fewest;
      if (fewest != 0 && !isBetter)
        continue;
      fewest = cycles;
      blocks = {side == 0 ? part : 0, side == 1 ? part : 0};
    }
  return blocks;
}

std::optional<KBlocks> planKBlocks(const GEMMProblem &gemm,
                                   const TileLimits &limits,
                                   const CacheHierarchy &caches) {
  if (isThin(gemm, caches))
    return findThinBlocks(gemm, limits);
  if (!isLong(gemm, caches))
    return std::nullopt;
  KBlocks blocks = findPart(gemm, limits);
  if (blocks.rows == 0 && blocks.columns == 0)
    return std::nullopt;
  int64_t rows = blocks.rows != 0 ? blocks.rows : gemm.rows;
  int64_t columns = blocks.columns != 0 ? blocks.columns : gemm.columns;
  constexpr int64_t minDepth = 128;
  blocks.depth = std::max(minDepth, caches.blockBytes() / gemm.elementBytes() /
                                        (rows + columns));
  if (int64_t even = largestDivisor(gemm.depth, blocks.depth);
      2 * even > blocks.depth)
    blocks.depth = even;
  return blocks;
}

} // namespace ingot::cpu
