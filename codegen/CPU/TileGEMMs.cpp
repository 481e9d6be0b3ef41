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
#include "codegen/CPU/GEMMPlan.h"
#include "codegen/CPU/Passes.h"
#include "codegen/CPU/TileAndFuse.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/Support/Debug.h"

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
    std::optional<FusedGEMMPlan> plan = planOf(product, root);
    if (!plan) {
      LLVM_DEBUG(llvm::dbgs() << "no register tile for " << kernel.getName()
                              << ": an epilogue of other loops, or dynamic or "
                                 "empty dimensions\n");
      return success();
    }
    LLVM_DEBUG(llvm::dbgs() << "tile " << kernel.getName() << " to "
                            << plan->tile.rows << " x " << plan->tile.columns
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
  void packWhole(RewriterBase &rewriter, linalg::LinalgOp product) const {
    auto type =
        cast<RankedTensorType>(product.getDpsInputOperand(1)->get().getType());
    if (!isSecondTransposed(product) || !type.hasStaticShape() ||
        type.getNumElements() * elementBits(product) > 8 * caches.wholeBytes())
      return;
    rewriter.setInsertionPoint(product);
    setSecond(product, packSecond(rewriter, product));
  }

  /// How a GEMM is tiled, and the op whose tiles the GEMM is fused into: the
  /// GEMM itself, or the last op of its epilogue.
  struct FusedGEMMPlan : GEMMPlan {
    linalg::LinalgOp product, root;
  };

  TileLimits limitsFor(linalg::LinalgOp product) const {
    TileLimits limits =
        TileLimits::of({vectorBits, numRegisters, halvesVectors},
                       elementBits(product), tileRows, tileVectors, caches.l1);
    limits.strideOfA = strideOfFirst(product, elementBits(product) / 8);
    return limits;
  }

  static unsigned elementBits(linalg::LinalgOp product) {
    return getElementTypeOrSelf(product->getResult(0).getType())
        .getIntOrFloatBitWidth();
  }

  /// Returns the sizes of the GEMM, with assumed ones in place of dynamic ones.
  /// Returns std::nullopt if a size is 0, if N is dynamic, if K is dynamic
  /// outside of a grid or with a transposed B, or if the epilogue has other
  /// loops than M and N.
  std::optional<GEMMProblem> problemOf(linalg::LinalgOp product,
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
    GEMMProblem gemm = {ranges[0], ranges[1], productRanges[2],
                        elementBits(product)};
    gemm.hasDynamicRows = ShapedType::isDynamic(ranges[0]) ||
                          ShapedType::isDynamic(productRanges[0]);
    gemm.hasDynamicDepth = ShapedType::isDynamic(gemm.depth);
    gemm.isSecondTransposed = isSecondTransposed(product);
    gemm.mayPairFactors = pairFactors && mayPairFactors(product);
    gemm.isInGrid = root->getParentOfType<scf::ForOp>() != nullptr;
    if (gemm.hasDynamicDepth && (!gemm.isInGrid || gemm.isSecondTransposed))
      return std::nullopt;
    if (gemm.hasDynamicDepth)
      gemm.depth = assumedDepth;
    if (gemm.hasDynamicRows)
      gemm.rows = gemm.isInGrid ? assumedBlock : assumedRows;
    return gemm;
  }

  /// Returns how to tile the GEMM, or std::nullopt if it is not tiled.
  std::optional<FusedGEMMPlan> planOf(linalg::LinalgOp product,
                                      linalg::LinalgOp root) const {
    std::optional<GEMMProblem> gemm = problemOf(product, root);
    if (!gemm)
      return std::nullopt;
    TileLimits limits = limitsFor(product);
    // What remains of a dynamic M is computed by few rows at a time.
    if (gemm->hasDynamicRows)
      limits.mostRows = std::min<int64_t>(limits.mostRows, 8);
    auto planIn = [&](TileShape sides) {
      return planTiles(*gemm, findDividingTile(sides, limits), caches,
                       rowsOfBlock);
    };
    // The tiles of an implicit GEMM lie in a row of the image.
    if (int64_t row = columnsOfLine(product))
      return FusedGEMMPlan{
          planIn({gemm->rows, ::ingot::cpu::widthOfLine(row, limits.lanes)}),
          product, root};
    if (int64_t line = rowsOfLine(product))
      return FusedGEMMPlan{planIn({line, gemm->columns}), product, root};
    return FusedGEMMPlan{planGEMM(*gemm, limits, caches, rowsOfBlock), product,
                         root};
  }

  /// Tiles `plan.root`, the GEMM's last elementwise consumer or the GEMM
  /// itself, and fuses the GEMM into the tiles. Returns the outer and the inner
  /// loop; the loop over panels is the outer one if panels are packed.
  static FailureOr<std::pair<scf::ForOp, scf::ForOp>>
  tileAndFuse(RewriterBase &rewriter, const FusedGEMMPlan &plan) {
    scf::SCFTilingOptions tiling;
    SmallVector<OpFoldResult> sizes = {
        rewriter.getIndexAttr(plan.tile.rows),
        rewriter.getIndexAttr(plan.tile.columns)};
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
      // A panel of B stays in L1 while the tiles of few rows read it. Of many
      // rows, those of one tile do.
      constexpr int64_t fewRows = 4;
      if (fewRows * ranges[0] <= ranges[1])
        tiling.setInterchange({1, 0, 2});
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
