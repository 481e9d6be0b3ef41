//===- TileGEMMs.cpp - Register tiles, packing and epilogue fusion --------===//
// SPDX-License-Identifier: Apache-2.0
//
// The loop nest of a GEMM [M, N] x K with an epilogue, where B is packed:
//
//   for block of M, `block-rows` rows (host.grid_loop):   A' stays in L2
//     for panel of N, `tile-vectors` vectors:
//       pack B[K, panel] -> contiguous [K, width]          stays in L1 and L2
//       for tile of M, `tile-rows` rows:
//         C' = A'[rows, K] * panel[K, width]               in registers
//         epilogue of C'
//
// This is the loop order of Goto and van de Geijn (2008) without two parts: the
// loop over K, which BlockK adds if K is large, and the packing of A, whose
// elements are broadcast from A's rows in place. If B is not packed, the tiles
// of M or N are the grid. Tile sizes differ between targets and plans, but an
// element's chain of multiply-adds does not, and so neither do its bits.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/BF16Pairs.h"
#include "codegen/CPU/Passes.h"
#include "codegen/CPU/RegisterTile.h"
#include "codegen/CPU/TileAndFuse.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/Support/Debug.h"

#include <numeric>

#define DEBUG_TYPE "ingot-cpu-tile-gemms"

namespace ingot::cpu {
#define GEN_PASS_DEF_TILEGEMMSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;
using namespace ::ingot::cpu;

namespace {

/// The sizes that are assumed for dynamic dimensions when tiles are chosen:
/// `assumedRows` for M, `assumedBlock` for M in a block of an existing grid,
/// `assumedDepth` for K.
constexpr int64_t assumedRows = 64, assumedBlock = 128, assumedDepth = 128;

/// The maximum size, in bytes, of a packed panel of B, which is on the stack of
/// each thread that uses it.
constexpr int64_t maxPanelBytes = 1024 * 1024;

/// Whether the rows of a panel of B, which is read in place, evict each other
/// from L2, as their distance is a multiple of a large power of two. `depth` is
/// the number of rows (K), `stride` their distance in bytes.
bool evictsItself(int64_t depth, int64_t stride) {
  // An L2 cache of 1 MiB (Zen 4 and 5): 8 ways of 128 KiB.
  constexpr int64_t bytesOfWay = 128 * 1024, ways = 8;
  return depth > ways * (bytesOfWay / std::gcd(stride, bytesOfWay));
}

/// Whether tiles whose rows have `bytes` bytes read more of C than they use.
/// With few steps of K, a large C takes most of the time, and CPUs fetch its
/// cache lines in pairs.
bool wastesLines(ArrayRef<int64_t> ranges, int64_t bytes) {
  constexpr int64_t fewSteps = 128, bytesOfPair = 128;
  return ranges[2] <= fewSteps && bytes % bytesOfPair != 0 &&
         ranges[0] * ranges[1] >
             ::ingot::cpu::CPUTargetLimits::maxCachedElements;
}

/// Whether a GEMM with the ranges [M, N, K], in tiles of `tileRows` rows,
/// should pack the panels of its second operand, whose elements have `bytes`
/// bytes. Otherwise the GEMM reads the operand in place, and threads share its
/// tiles of rows.
bool isWorthPacking(ArrayRef<int64_t> ranges, int64_t tileRows, int64_t bytes) {
  using ::ingot::cpu::CPUTargetLimits;
  constexpr int64_t minTiles = 8, minRows = 4;
  auto [rows, columns, depth] = std::tuple(ranges[0], ranges[1], ranges[2]);
  // If the matrix exceeds the caches, a panel of columns is made of short rows
  // that are far apart in memory: each row is a cache miss and often a TLB
  // miss. Packing reads every row only once, with prefetches.
  if (columns * depth > CPUTargetLimits::maxCachedElements)
    return rows >= minRows;
  if (columns * depth <= CPUTargetLimits::maxInPlaceElements)
    return false;
  return rows > minTiles * tileRows ||
         (rows > tileRows && evictsItself(depth, columns * bytes));
}

/// Whether a GEMM with `rows` rows should pack panels of pairs of bfloat16,
/// which halve the steps of K.
bool isWorthPairing(linalg::LinalgOp product, int64_t rows, int64_t tileRows) {
  return mayPairFactors(product) && rows >= 2 * tileRows;
}

/// For an implicit GEMM, returns the number of patches in a row of the image,
/// which must be a multiple of the number of rows of a register tile. Returns 0
/// for any other GEMM.
int64_t rowsOfLine(linalg::LinalgOp product) {
  OpOperand *first = product.getDpsInputOperand(0);
  auto matrix = first->get().getDefiningOp<tensor::CollapseShapeOp>();
  auto patches =
      matrix ? matrix.getSrc().getDefiningOp<linalg::GenericOp>() : nullptr;
  if (!patches || patches.getNumDpsInputs() != 1 ||
      matrix.getReassociationIndices().front().size() != 3)
    return 0;
  return matrix.getSrcType().getDimSize(2);
}

/// For an implicit GEMM that computes C^T, returns the number of neighbouring
/// outputs in a row of the image, which must be a multiple of the number of
/// columns of a register tile. Returns 0 for any other GEMM.
int64_t columnsOfLine(linalg::LinalgOp product) {
  auto matrix = product.getDpsInputOperand(1)
                    ->get()
                    .getDefiningOp<tensor::CollapseShapeOp>();
  // The rank of the result of readTransposedPatches: [tap rows, taps, channels,
  // images, rows, columns].
  constexpr int64_t dims = 6;
  return matrix && matrix.getSrcType().getRank() == dims &&
                 matrix.getSrc().getDefiningOp<linalg::GenericOp>()
             ? matrix.getSrcType().getShape().back()
             : 0;
}

/// Returns the distance in bytes of the rows of A, or 0 if A is transposed or
/// the distance is not known.
int64_t strideOfFirst(linalg::LinalgOp product, int64_t bytes) {
  OpOperand *first = product.getDpsInputOperand(0);
  if (product.getMatchingIndexingMap(first).getDimPosition(0) != 0)
    return 0;
  Value whole = first->get();
  while (auto slice = whole.getDefiningOp<tensor::ExtractSliceOp>())
    whole = slice.getSource();
  int64_t columns = cast<RankedTensorType>(whole.getType()).getShape().back();
  return ShapedType::isDynamic(columns) ? 0 : columns * bytes;
}

/// Whether the GEMM computes C^T instead of C (TileIm2col.cpp): then the only
/// user of its result is a transpose.
bool isTurned(linalg::LinalgOp product) {
  return product->hasOneUse() &&
         isa<linalg::TransposeOp>(*product->user_begin());
}

/// Whether B is stored as [N, K].
bool isSecondTransposed(linalg::LinalgOp product) {
  AffineMap map = product.getMatchingIndexingMap(product.getDpsInputOperand(1));
  return map ==
         AffineMap::getMultiDimMapWithTargets(3, {1, 2}, product.getContext());
}

/// Sets the GEMM's second operand to `second`, stored as [K, N].
void setSecond(linalg::LinalgOp product, Value second) {
  MLIRContext *context = product.getContext();
  SmallVector<AffineMap> maps = product.getIndexingMapsArray();
  maps[1] = AffineMap::getMultiDimMapWithTargets(3, {2, 1}, context);
  auto generic = cast<linalg::GenericOp>(product.getOperation());
  generic.setIndexingMapsAttr(Builder(context).getAffineMapArrayAttr(maps));
  product.getDpsInputOperand(1)->set(second);
}

/// Builds a packed copy of the GEMM's second operand, [K, N] with contiguous
/// rows: a linalg.copy, or a linalg.transpose if the operand is stored as [N,
/// K].
Value packSecond(RewriterBase &rewriter, linalg::LinalgOp product) {
  Location loc = product.getLoc();
  Value second = product.getDpsInputOperand(1)->get();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, second);
  bool isTransposed = isSecondTransposed(product);
  if (isTransposed)
    std::swap(sizes[0], sizes[1]);
  Value packed = tensor::EmptyOp::create(
      rewriter, loc, sizes, getElementTypeOrSelf(second.getType()));
  if (isTransposed)
    return linalg::TransposeOp::create(rewriter, loc, second, packed,
                                       ArrayRef<int64_t>{1, 0})
        ->getResult(0);
  return linalg::CopyOp::create(rewriter, loc, second, packed).getResult(0);
}

/// Packs the panel of B before the loop `inner`, instead of once per tile.
/// `inner` is the loop over the tiles of C in one column of tiles, which all
/// read the same panel. Hoists the slice of B out of the loop, and copies the
/// slice before it.
void packColumns(RewriterBase &rewriter, scf::ForOp inner) {
  // Do not hoist a fill of the tile of C: in the loop, VectorizeGEMMs turns it
  // into constant accumulators; before the loop, it would write a buffer in
  // memory.
  moveLoopInvariantCode(
      {&inner.getRegion()},
      [&](Value value, Region *) {
        return inner.isDefinedOutsideOfLoop(value);
      },
      [&](Operation *op, Region *) {
        return !isa<linalg::FillOp>(op) && isMemoryEffectFree(op) &&
               isSpeculatable(op);
      },
      [&](Operation *op, Region *) { inner.moveOutOfLoop(op); });
  inner.walk([&](linalg::LinalgOp op) {
    if (!::ingot::kernels::isProduct(op))
      return;
    Operation *slice = op.getDpsInputOperand(1)->get().getDefiningOp();
    if (slice ? inner->isProperAncestor(slice) : !isSecondTransposed(op))
      return;
    rewriter.setInsertionPoint(inner);
    setSecond(op, packSecond(rewriter, op));
  });
}

/// Clones the body of `loop` at the insertion point, for the iteration with the
/// index `index` and the loop-carried values `state`. Emits a yield of the
/// values that this iteration yields.
void repeatBody(RewriterBase &rewriter, scf::ForOp loop, Value index,
                ValueRange state) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), index);
  mapping.map(loop.getRegionIterArgs(), state);
  for (Operation &op : loop.getBody()->without_terminator())
    rewriter.clone(op, mapping);
  SmallVector<Value> yielded;
  for (Value value : loop.getYieldedValues())
    yielded.push_back(mapping.lookupOrDefault(value));
  scf::YieldOp::create(rewriter, loop.getLoc(), yielded);
}

/// Peels the last, shorter iteration of `loop`, so that every tile has a static
/// shape. As a grid must be a single loop, the peeled code becomes the `else`
/// branch of an scf.if in the loop.
scf::ForOp foldRemainder(RewriterBase &rewriter, scf::ForOp loop) {
  scf::ForOp remainder;
  if (failed(scf::peelForLoopAndSimplifyBounds(rewriter, loop, remainder)))
    return loop;
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(remainder);
  Value split = loop.getUpperBound();
  auto whole = scf::ForOp::create(rewriter, loc, loop.getLowerBound(),
                                  remainder.getUpperBound(), loop.getStep(),
                                  loop.getInitArgs());
  Value index = whole.getInductionVar();
  rewriter.setInsertionPointToEnd(whole.getBody());
  Value isWhole = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::ult, index, split);
  auto branch = scf::IfOp::create(rewriter, loc, loop.getResultTypes(), isWhole,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  scf::YieldOp::create(rewriter, loc, branch.getResults());
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  repeatBody(rewriter, loop, index, whole.getRegionIterArgs());
  rewriter.setInsertionPointToEnd(branch.elseBlock());
  repeatBody(rewriter, remainder, split, whole.getRegionIterArgs());
  rewriter.replaceOp(remainder, whole.getResults());
  rewriter.eraseOp(loop);
  return whole;
}

/// Strip-mines `inner`, the loop over tiles of rows, into blocks of `rows`
/// rows, and moves the loop over blocks outside of `columns`, the loop over
/// panels. Returns the loop over blocks, or null if the upper bound of `inner`
/// is not available before `columns`.
scf::ForOp blockRows(RewriterBase &rewriter, scf::ForOp columns,
                     scf::ForOp inner, int64_t rows) {
  Location loc = columns.getLoc();
  rewriter.setInsertionPoint(columns);
  Value end = inner.getUpperBound();
  if (std::optional<int64_t> known = getConstantIntValue(end))
    end = arith::ConstantIndexOp::create(rewriter, loc, *known);
  else if (columns->isAncestor(end.getParentBlock()->getParentOp()))
    return {};
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value step = arith::ConstantIndexOp::create(rewriter, loc, rows);
  auto blocks =
      scf::ForOp::create(rewriter, loc, zero, end, step, columns.getInitArgs());
  rewriter.replaceAllUsesWith(columns.getResults(), blocks.getResults());
  rewriter.moveOpBefore(columns, blocks.getBody(), blocks.getBody()->end());
  columns.getInitArgsMutable().assign(blocks.getRegionIterArgs());
  rewriter.setInsertionPointToEnd(blocks.getBody());
  scf::YieldOp::create(rewriter, loc, columns.getResults());
  inner = foldRemainder(rewriter, inner);
  rewriter.setInsertionPoint(inner);
  AffineExpr row = rewriter.getAffineDimExpr(0);
  auto last =
      AffineMap::get(1, 1, {row + rows, rewriter.getAffineSymbolExpr(0)},
                     rewriter.getContext());
  inner.setLowerBound(blocks.getInductionVar());
  inner.setUpperBound(affine::AffineMinOp::create(
      rewriter, loc, last, ValueRange{blocks.getInductionVar(), end}));
  return blocks;
}

struct TileGEMMs : ::ingot::cpu::impl::TileGEMMsPassBase<TileGEMMs> {
  using TileGEMMsPassBase::TileGEMMsPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(host::kernelAttrName))
        continue;
      if (failed(tile(kernel)))
        return signalPassFailure();
      packRest(kernel);
    }
  }

  /// Packs the second operand of each GEMM whose second operand is still stored
  /// as [N, K], because the GEMM is not tiled or is not the kernel's only one.
  /// The micro-kernel reads second operands as [K, N].
  static void packRest(func::FuncOp kernel) {
    IRRewriter rewriter(kernel.getContext());
    kernel.walk([&](linalg::LinalgOp op) {
      if (!::ingot::kernels::isProduct(op) || !isSecondTransposed(op))
        return;
      rewriter.setInsertionPoint(op);
      setSecond(op, packSecond(rewriter, op));
    });
  }

  LogicalResult tile(func::FuncOp kernel) {
    linalg::LinalgOp product = productOf(kernel);
    linalg::LinalgOp root = rootOf(kernel);
    // If the root is in a loop, the loop is the kernel's grid, which an earlier
    // pass (tiled im2col, K-blocking or unbatching) has made.
    bool isInGrid = root && root->getParentOp() != kernel;
    if (auto transpose = dyn_cast_or_null<linalg::TransposeOp>(
            root ? root.getOperation() : nullptr);
        transpose && isa<BlockArgument>(transpose.getInput()))
      return tileTranspose(transpose);
    if (!product || !root)
      return tileEach(kernel);
    // After K-blocking, the epilogue runs after the loop over blocks of K. If
    // C^T is computed, a transpose into C runs after the GEMM. In both cases
    // only the GEMM itself is tiled.
    if (isInGrid &&
        (product->getParentOp() != root->getParentOp() || isTurned(product)))
      root = product;
    IRRewriter rewriter(&getContext());
    if (!isInGrid)
      packWhole(rewriter, product);
    std::optional<TilingPlan> plan = planOf(product, root);
    if (!plan) {
      LLVM_DEBUG(llvm::dbgs() << "no register tile for " << kernel.getName()
                              << ": an epilogue of other loops, or dynamic or "
                                 "empty dimensions\n");
      return success();
    }
    LLVM_DEBUG(llvm::dbgs() << "tile " << kernel.getName() << " to "
                            << plan->shape.rows << " x " << plan->shape.columns
                            << (plan->packs ? ", packed" : "") << "\n");
    ++numTiled;
    if (plan->packs)
      ++numPacked;
    if (isInGrid)
      plan->rowsOfBlock = 0;
    rewriter.setInsertionPoint(root);
    auto loops = tileAndFuse(rewriter, *plan);
    if (failed(loops))
      return root->emitError("cannot divide this GEMM into register tiles: "
                             "this is a bug in Ingot, not in the graph");
    auto [outer, inner] = *loops;
    shrinkTemporaries(rewriter, outer);
    if (plan->packs)
      packColumns(rewriter, inner);
    if (isInGrid) {
      peel(rewriter, inner);
      peel(rewriter, outer);
    } else if (scf::ForOp blocks =
                   plan->rowsOfBlock != 0
                       ? blockRows(rewriter, outer, inner, plan->rowsOfBlock)
                       : scf::ForOp()) {
      peel(rewriter, outer);
      blocks->setAttr(::ingot::kernels::gridLoopAttrName,
                      rewriter.getUnitAttr());
    } else {
      makeGrid(rewriter, outer, inner);
    }
    return success();
  }

  /// Packs a small second operand that is stored as [N, K] as a whole, not
  /// panel by panel. The grid is then the loop over rows. The kernels before
  /// and after such a GEMM have the same grid, so that a thread continues with
  /// rows that are in its core's caches.
  static void packWhole(RewriterBase &rewriter, linalg::LinalgOp product) {
    auto type =
        cast<RankedTensorType>(product.getDpsInputOperand(1)->get().getType());
    if (!isSecondTransposed(product) || !type.hasStaticShape() ||
        type.getNumElements() > ::ingot::cpu::CPUTargetLimits::maxWholeElements)
      return;
    rewriter.setInsertionPoint(product);
    setSecond(product, packSecond(rewriter, product));
  }

  /// How a GEMM is tiled: the tile's shape, and the op whose tiles the GEMM is
  /// fused into (the GEMM itself, or the last op of its epilogue).
  struct TilingPlan {
    linalg::LinalgOp product, root;
    TileShape shape;
    bool packs = false; // whether panels of B are packed
    /// The number of rows in a block of the grid, or 0 if the grid's iterations
    /// are single tiles or panels.
    int64_t rowsOfBlock = 0;
  };

  TileLimits limitsFor(linalg::LinalgOp product) const {
    TileLimits limits = TileLimits::of(vectorBits, elementBits(product),
                                       numRegisters, tileRows, tileVectors);
    limits.strideOfA = strideOfFirst(product, elementBits(product) / 8);
    return limits;
  }

  static unsigned elementBits(linalg::LinalgOp product) {
    return getElementTypeOrSelf(product->getResult(0).getType())
        .getIntOrFloatBitWidth();
  }

  /// Returns how to tile the GEMM. Returns std::nullopt if a size is 0, if N is
  /// dynamic, if K is dynamic outside of a grid or with a transposed B, or if
  /// the epilogue has other loops than M and N.
  std::optional<TilingPlan> planOf(linalg::LinalgOp product,
                                   linalg::LinalgOp root) const {
    SmallVector<int64_t> ranges = root.getStaticLoopRanges();
    SmallVector<int64_t> productRanges = product.getStaticLoopRanges();
    if (root.getNumParallelLoops() != 2 ||
        (root != product && root.getNumLoops() != 2) ||
        llvm::is_contained(ranges, 0) || llvm::is_contained(productRanges, 0))
      return std::nullopt;
    // M may be dynamic. N must be static, as it determines the width of the
    // tile and the size of packed panels.
    if (ShapedType::isDynamic(ranges[1]) ||
        ShapedType::isDynamic(productRanges[1]))
      return std::nullopt;
    bool isInGrid = root->getParentOfType<scf::ForOp>() != nullptr;
    bool hasDynamicDepth = ShapedType::isDynamic(productRanges[2]);
    if (hasDynamicDepth && (!isInGrid || isSecondTransposed(product)))
      return std::nullopt;
    if (hasDynamicDepth)
      productRanges[2] = assumedDepth;
    bool hasDynamicRows = ShapedType::isDynamic(ranges[0]) ||
                          ShapedType::isDynamic(productRanges[0]);
    if (hasDynamicRows)
      ranges[0] = isInGrid ? assumedBlock : assumedRows;
    int64_t line = rowsOfLine(product);
    TileLimits limits = limitsFor(product);
    // What remains of a dynamic M is computed by few rows at a time.
    if (hasDynamicRows)
      limits.mostRows = std::min<int64_t>(limits.mostRows, 8);
    TilingPlan plan = {product, root, {}};
    if (int64_t row = columnsOfLine(product))
      plan.shape = findDividingTile(
          {ranges[0], ::ingot::cpu::widthOfLine(row, limits.lanes)}, limits);
    else if (line != 0)
      plan.shape = findDividingTile({line, ranges[1]}, limits);
    else
      plan.shape =
          findFastestTile({ranges[0], ranges[1]}, limits, [&](TileShape shape) {
            TilingPlan other = {product, root, shape};
            planPacking(other, ranges, productRanges);
            if (wastesLines({ranges[0], ranges[1], productRanges[2]},
                            shape.columns * elementBits(product) / 8))
              return 4. / 3;
            // The grid is the loop over panels, or over tiles of rows.
            return isInGrid || hasDynamicRows || other.rowsOfBlock != 0 ? 1.
                   : other.packs ? imbalanceOf(ranges[1], shape.columns)
                                 : imbalanceOf(ranges[0], shape.rows);
          });
    planPacking(plan, ranges, productRanges);
    return plan;
  }

  /// Decides whether panels of B are packed for tiles of the shape
  /// `plan.shape`, and whether blocks of rows are the grid. `ranges` are those
  /// of the root, with assumed sizes in place of dynamic ones.
  void planPacking(TilingPlan &plan, ArrayRef<int64_t> ranges,
                   ArrayRef<int64_t> productRanges) const {
    linalg::LinalgOp product = plan.product;
    bool hasDynamicDepth =
        ShapedType::isDynamic(product.getStaticLoopRanges()[2]);
    bool hasDynamicRows =
        ShapedType::isDynamic(product.getStaticLoopRanges()[0]) ||
        ShapedType::isDynamic(plan.root.getStaticLoopRanges()[0]);
    // B is read in place if it stays in L1 and L2. Otherwise it is packed, a
    // panel of columns at a time, and all rows of the block use the panel.
    int64_t bytes = llvm::divideCeil(elementBits(product), 8);
    int64_t panelBytes = productRanges[2] * plan.shape.columns * bytes;
    bool pairs = pairFactors &&
                 isWorthPairing(product, ranges[0], plan.shape.rows) &&
                 panelBytes <= maxPanelBytes;
    plan.packs =
        isSecondTransposed(product) || pairs ||
        (!hasDynamicDepth && ranges[1] > plan.shape.columns &&
         isWorthPacking({ranges[0], productRanges[1], productRanges[2]},
                        plan.shape.rows, bytes) &&
         panelBytes <= maxPanelBytes);
    int64_t panels = llvm::divideCeilSigned(ranges[1], plan.shape.columns);
    int64_t rows =
        plan.shape.rows * std::max<int64_t>(1, rowsOfBlock / plan.shape.rows);
    bool isWorthBlocks = hasDynamicRows
                             ? panels < assumedRows / 8
                             : llvm::divideCeilSigned(ranges[0], rows) > panels;
    if (plan.packs && isWorthBlocks)
      plan.rowsOfBlock = rows;
  }

  /// Tiles `plan.root`, the GEMM's last elementwise consumer or the GEMM
  /// itself, and fuses the GEMM into the tiles. Returns the outer and the inner
  /// loop; the loop over panels is the outer one if panels are packed.
  static FailureOr<std::pair<scf::ForOp, scf::ForOp>>
  tileAndFuse(RewriterBase &rewriter, const TilingPlan &plan) {
    scf::SCFTilingOptions tiling;
    SmallVector<OpFoldResult> sizes = {
        rewriter.getIndexAttr(plan.shape.rows),
        rewriter.getIndexAttr(plan.shape.columns)};
    if (plan.root == plan.product)
      sizes.push_back(rewriter.getIndexAttr(0));
    tiling.setTileSizes(sizes);
    if (plan.packs)
      tiling.setInterchange(plan.root == plan.product
                                ? ArrayRef<int64_t>{1, 0, 2}
                                : ArrayRef<int64_t>{1, 0});
    FailureOr<SmallVector<scf::ForOp>> loops =
        ::ingot::cpu::tileAndFuse(rewriter, plan.root, tiling);
    if (failed(loops))
      return failure();
    return std::pair(loops->front(), loops->back());
  }

  /// Tiles the GEMMs of a kernel with several GEMMs or several results. Each
  /// GEMM has loops over its own tiles. None of them is the kernel's grid,
  /// which would have to be one loop around all GEMMs.
  LogicalResult tileEach(func::FuncOp kernel) {
    SmallVector<linalg::LinalgOp> products;
    kernel.walk([&](linalg::LinalgOp op) {
      if (::ingot::kernels::isProduct(op) &&
          op.getIteratorTypesArray().back() == utils::IteratorType::reduction)
        products.push_back(op);
    });
    for (linalg::LinalgOp product : products) {
      SmallVector<int64_t> ranges = product.getStaticLoopRanges();
      // In a loop over blocks of K, the last block may be shorter, so K is
      // dynamic there. This is allowed unless B is transposed.
      bool mayBeAnyDepth = product->getParentOfType<scf::ForOp>() &&
                           !isSecondTransposed(product);
      if (ShapedType::isDynamicShape(
              ArrayRef(ranges).drop_back(mayBeAnyDepth ? 1 : 0)) ||
          llvm::is_contained(ranges, 0))
        continue;
      TileShape shape =
          findFastestTile({ranges[0], ranges[1]}, limitsFor(product));
      IRRewriter rewriter(&getContext());
      rewriter.setInsertionPoint(product);
      scf::SCFTilingOptions tiling;
      tiling.setTileSizes({rewriter.getIndexAttr(shape.rows),
                           rewriter.getIndexAttr(shape.columns),
                           rewriter.getIndexAttr(0)});
      FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
          rewriter, cast<TilingInterface>(product.getOperation()), tiling);
      if (failed(tiled))
        return product->emitError(
            "cannot divide this GEMM into register tiles: this is a bug in "
            "Ingot, not in the graph");
      rewriter.replaceOp(product, tiled->replacements);
      peel(rewriter, cast<scf::ForOp>(tiled->loops.back().getOperation()));
      peel(rewriter, cast<scf::ForOp>(tiled->loops.front().getOperation()));
    }
    return success();
  }

  /// Peels the remainders of both loops and marks the outer loop as the grid.
  /// The inner loop is peeled first, so that the outer loop's remainder
  /// contains a peeled inner loop, too.
  static void makeGrid(RewriterBase &rewriter, scf::ForOp outer,
                       scf::ForOp inner) {
    peel(rewriter, inner);
    scf::ForOp grid = foldRemainder(rewriter, outer);
    grid->setAttr(::ingot::kernels::gridLoopAttrName, rewriter.getUnitAttr());
  }

  /// Tiles a two-dimensional transpose into blocks of 16 x 16, whose rows and
  /// columns together fit into the L1 cache. Small and dynamic transposes stay
  /// as they are.
  LogicalResult tileTranspose(linalg::TransposeOp transpose) {
    auto type = cast<RankedTensorType>(transpose.getInit().getType());
    if (type.getRank() != 2 || !type.hasStaticShape() ||
        type.getNumElements() <= 1024)
      return success();
    Builder builder(&getContext());
    IRRewriter rewriter(&getContext());
    rewriter.setInsertionPoint(transpose);
    scf::SCFTilingOptions tiling;
    OpFoldResult block = builder.getIndexAttr(16);
    tiling.setTileSizes({block, block});
    FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
        rewriter, cast<TilingInterface>(transpose.getOperation()), tiling);
    if (failed(tiled))
      return transpose->emitError("cannot tile this transpose: this is a bug "
                                  "in Ingot, not in the graph");
    rewriter.replaceOp(transpose, tiled->replacements);
    makeGrid(rewriter, cast<scf::ForOp>(tiled->loops.front().getOperation()),
             cast<scf::ForOp>(tiled->loops.back().getOperation()));
    return success();
  }
};

} // namespace
