//===- TileIm2col.cpp - Tile im2col into the GEMM that reads it -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// C[M, N] = P[M, K] * W[K, N], where P is im2col: M is (image, row, column) of
// the output, K is (tap, channel). The loop nest becomes
//
//   for block of M (host.grid_loop):       some patches of one image
//     P' = patches of the block            [rows of the block, K], in cache
//     C' = P' * W                          tiled to registers by TileGEMMs
//
// and for a filter's gradient, P[K, M]^T * D[K, N], whose sum is over patches:
//
//   for block of M (host.grid_loop):       some (tap, channel) elements
//     for block of K, ascending:           some patches
//       P' = these elements of the patches
//       C' += P'^T * D'                    in the order of the unblocked sum
//
// This is legal because im2col has no side effects, so any slice of it can be
// computed again from the images, and because every element of C keeps the
// order of its sum.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/Im2colBlock.h"
#include "codegen/CPU/Im2colPlan.h"
#include "codegen/CPU/Passes.h"
#include "codegen/CPU/TileAndFuse.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "ingot-cpu-tile-im2col"

namespace ingot::cpu {
#define GEN_PASS_DEF_TILEIM2COLPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;
using namespace ::ingot::cpu;

namespace {

/// Tiles the GEMM of one kernel, and the im2col that it reads, into the blocks
/// of an Im2colPlan.
class Im2colGEMMTiler {
public:
  Im2colGEMMTiler(const Im2colGEMM &found, const Im2colPlan &plan)
      : found(found), read(plan.read), block(plan.block),
        gridRows(plan.gridRows), isTurned(plan.isTurned),
        rewriter(this->found.root.getContext()) {}

  LogicalResult run() {
    FailureOr<scf::ForOp> grid = tileResult();
    if (failed(grid))
      return failure();
    (*grid)->setAttr(::ingot::kernels::gridLoopAttrName,
                     rewriter.getUnitAttr());
    if (!found.reducesOverPatches)
      setEnd(*grid, grid->getInitArgs().front());
    eraseUnused(*(*grid)->getBlock());
    bool isPadded = !found.reducesOverPatches && found.isOfUnknownSize() &&
                    readsRowsOnlyOfPatches(*grid);
    knowSizes(*grid, isPadded);
    if (isPadded)
      cutLastBlock(*grid);
    shrinkTemporaries(rewriter, *grid);
    linalg::LinalgOp product = productIn(*grid);
    rewriter.setInsertionPoint(product);
    Value index = grid->getInductionVar();
    Value zero = arith::ConstantIndexOp::create(rewriter, product.getLoc(), 0);
    if (isTurned)
      product = turned(product);
    if (!found.reducesOverPatches)
      return makePatches(product, index, zero);
    FailureOr<scf::ForOp> parts = tileSum(product);
    if (failed(parts))
      return failure();
    Value summands = product.getDpsInputOperand(isTurned ? 0 : 1)->get();
    while (auto slice = summands.getDefiningOp<tensor::ExtractSliceOp>())
      summands = slice.getSource();
    setEnd(*parts, summands);
    rewriter.replaceOp(product, parts->getResults());
    knowSizes(*parts, false);
    return makePatches(productIn(*parts), parts->getInductionVar(), index);
  }

  /// Erases the ops that are dead after tiling, those inside regions included.
  static void eraseUnused(Block &body) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body))) {
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          eraseUnused(inner);
      if (isOpTriviallyDead(&op))
        op.erase();
    }
  }

private:
  /// Tiles the kernel's root into a loop over blocks of rows and fuses the
  /// producers into the loop. Returns the loop, which becomes the grid.
  FailureOr<scf::ForOp> tileResult() {
    scf::SCFTilingOptions tiling;
    SmallVector<OpFoldResult> sizes(found.root.getNumLoops(),
                                    rewriter.getIndexAttr(0));
    sizes[0] = rewriter.getIndexAttr(gridRows);
    tiling.setTileSizes(sizes);
    rewriter.setInsertionPoint(found.root);
    FailureOr<SmallVector<scf::ForOp>> loops =
        tileAndFuse(rewriter, found.root, tiling);
    if (failed(loops))
      return failure();
    return loops->front();
  }

  /// Replaces C = A B by C^T = B^T A^T in a temporary, followed by a transpose
  /// into C. Each element keeps its chain of multiply-adds, as multiplication
  /// is commutative.
  linalg::LinalgOp turned(linalg::LinalgOp product) {
    Location loc = product.getLoc();
    auto start = product.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
    auto type = cast<RankedTensorType>(product->getResult(0).getType());
    rewriter.setInsertionPoint(product);
    Value own = tensor::EmptyOp::create(
        rewriter, loc,
        ArrayRef<int64_t>{type.getDimSize(1), type.getDimSize(0)},
        type.getElementType());
    Value sums = linalg::FillOp::create(rewriter, loc, start.getInputs(), own)
                     .getResult(0);
    auto map = [&](ArrayRef<unsigned> dims) {
      return AffineMap::getMultiDimMapWithTargets(3, dims,
                                                  rewriter.getContext());
    };
    auto other = linalg::GenericOp::create(
        rewriter, loc, sums.getType(),
        ValueRange{product.getDpsInputOperand(1)->get(),
                   product.getDpsInputOperand(0)->get()},
        sums, ArrayRef<AffineMap>{map({2, 0}), map({2, 1}), map({0, 1})},
        product.getIteratorTypesArray());
    rewriter.cloneRegionBefore(product->getRegion(0), other.getRegion(),
                               other.getRegion().end());
    rewriter.replaceOpWithNewOp<linalg::TransposeOp>(
        product, other.getResult(0), start.getOutputs()[0],
        ArrayRef<int64_t>{1, 0});
    return cast<linalg::LinalgOp>(other.getOperation());
  }

  /// Returns the GEMM's operand that is im2col: the second one if C^T is
  /// computed.
  OpOperand &patchesOf(linalg::LinalgOp product) const {
    return *product.getDpsInputOperand(isTurned ? 1 : 0);
  }

  /// Tiles the K loop of a GEMM that reduces over patches: each block of K is a
  /// block of patches, and blocks are in ascending order. Returns the loop over
  /// blocks.
  FailureOr<scf::ForOp> tileSum(linalg::LinalgOp product) {
    scf::SCFTilingOptions tiling;
    tiling.setTileSizes({rewriter.getIndexAttr(0), rewriter.getIndexAttr(0),
                         rewriter.getIndexAttr(rowsOf(block))});
    rewriter.setInsertionPoint(product);
    FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
        rewriter, cast<TilingInterface>(product.getOperation()), tiling);
    if (failed(tiled))
      return rewriter.notifyMatchFailure(product,
                                         "the K dimension cannot be tiled");
    return cast<scf::ForOp>(tiled->loops.front().getOperation());
  }

  /// Whether the number of patches is dynamic, because the number of images, or
  /// the number of rows or columns of patches in an image, is dynamic.
  bool hasAnyNumber() const {
    return ShapedType::isDynamicShape(ArrayRef(found.shape).take_front(3));
  }

  /// Sets the loop's upper bound to the number of rows of `tensor`, if that
  /// number is dynamic. Until then, the bound is a `tensor.dim` of im2col,
  /// which would keep all of im2col alive.
  void setEnd(scf::ForOp loop, Value tensor) {
    if (!hasAnyNumber())
      return;
    rewriter.setInsertionPoint(loop);
    loop.setUpperBound(
        tensor::DimOp::create(rewriter, loop.getLoc(), tensor, 0));
  }

  /// Returns the GEMM inside of the loop.
  static linalg::LinalgOp productIn(scf::ForOp loop) {
    linalg::LinalgOp product;
    loop->walk([&](linalg::LinalgOp op) {
      if (::ingot::kernels::isProduct(op))
        product = op;
    });
    return product;
  }

  /// Builds the number of rows that one iteration of the loop computes: the
  /// loop's step, or the remaining rows in the last iteration.
  Value sizeOfBlock(scf::ForOp loop) {
    AffineExpr left =
        rewriter.getAffineSymbolExpr(0) - rewriter.getAffineDimExpr(0);
    AffineExpr step =
        rewriter.getAffineConstantExpr(*getConstantIntValue(loop.getStep()));
    return affine::AffineMinOp::create(
        rewriter, loop.getLoc(),
        AffineMap::get(1, 1, {left, step}, rewriter.getContext()),
        ValueRange{loop.getInductionVar(), loop.getUpperBound()});
  }

  /// Whether im2col is the only operand that the grid splits into blocks of
  /// rows. Then the last block may compute rows past the end of the result, for
  /// which im2colFrom repeats the last patch. Any other operand would be read
  /// out of bounds in these rows.
  static bool readsRowsOnlyOfPatches(scf::ForOp grid) {
    linalg::LinalgOp product = productIn(grid);
    WalkResult found = grid->walk([&](tensor::ExtractSliceOp slice) {
      bool isOfBlock =
          llvm::is_contained(slice.getOffsets(), grid.getInductionVar());
      return isOfBlock && slice.getSource() != grid.getRegionIterArg(0) &&
                     !slice.getSource().getDefiningOp<tensor::EmptyOp>() &&
                     slice.getResult() != product.getDpsInputOperand(0)->get()
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    return !found.wasInterrupted();
  }

  /// Makes every iteration compute a whole block in a temporary, so that all
  /// register tiles are full. Only the valid rows of the last block are copied
  /// to the result.
  void cutLastBlock(scf::ForOp grid) {
    Value result = grid.getRegionIterArg(0);
    for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
      if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user)) {
        rewriter.setInsertionPoint(slice);
        rewriter.replaceOpWithNewOp<tensor::EmptyOp>(
            slice, slice.getMixedSizes(), slice.getType().getElementType());
      }
    Operation *yield = grid.getBody()->getTerminator();
    auto insert = yield->getOperand(0).getDefiningOp<tensor::InsertSliceOp>();
    rewriter.setInsertionPoint(insert);
    Location loc = insert.getLoc();
    SmallVector<OpFoldResult> sizes = insert.getMixedSizes();
    sizes[0] = sizeOfBlock(grid);
    SmallVector<OpFoldResult> zeros(sizes.size(), rewriter.getIndexAttr(0));
    Value part =
        tensor::ExtractSliceOp::create(rewriter, loc, insert.getSource(), zeros,
                                       sizes, insert.getMixedStrides());
    rewriter.replaceOpWithNewOp<tensor::InsertSliceOp>(
        insert, part, insert.getDest(), insert.getMixedOffsets(), sizes,
        insert.getMixedStrides());
  }

  /// Replaces the `affine.min` ops that compute the sizes of blocks. All blocks
  /// have the same, constant size if only the number of images is dynamic
  /// (blocks then divide each image evenly), or if the last block is computed
  /// as a whole (`isPadded`). Otherwise the last block is shorter, and
  /// sizeOfBlock() computes the size.
  void knowSizes(scf::ForOp loop, bool isPadded) {
    if (!hasAnyNumber())
      return;
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    SmallVector<affine::AffineMinOp> sizes;
    loop->walk([&](affine::AffineMinOp op) { sizes.push_back(op); });
    bool isCut = found.isOfUnknownSize() && !isPadded;
    for (affine::AffineMinOp size : sizes) {
      if (!llvm::is_contained(size.getOperands(), loop.getInductionVar()))
        continue;
      rewriter.setInsertionPoint(size);
      if (isCut)
        rewriter.replaceOp(size, sizeOfBlock(loop));
      else
        rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(size, *step);
    }
    if (isCut)
      return;
    MLIRContext *context = loop.getContext();
    RewritePatternSet patterns(context);
    context->getLoadedDialect<linalg::LinalgDialect>()
        ->getCanonicalizationPatterns(patterns);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    linalg::FillOp::getCanonicalizationPatterns(patterns, context);
    tensor::CastOp::getCanonicalizationPatterns(patterns, context);
    tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns, context);
    tensor::InsertSliceOp::getCanonicalizationPatterns(patterns, context);
    SmallVector<Operation *> inside;
    loop.getBody()->walk([&](Operation *op) { inside.push_back(op); });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    (void)applyOpPatternsGreedily(inside, std::move(patterns), config);
  }

  /// Returns the indices [image, row, column, tap, channel] of element
  /// `element` of patch `row` (delinearization).
  SmallVector<OpFoldResult> placeOf(Location loc, Value row, Value element) {
    auto number = [&](int64_t value) {
      return arith::ConstantIndexOp::create(rewriter, loc, value);
    };
    auto quotient = [&](Value x, int64_t y) -> Value {
      return arith::DivUIOp::create(rewriter, loc, x, number(y));
    };
    auto rest = [&](Value x, int64_t y) -> Value {
      return arith::RemUIOp::create(rewriter, loc, x, number(y));
    };
    const Im2colShape &all = found.shape;
    Value inImage = rest(row, all[1] * all[2]);
    return {quotient(row, all[1] * all[2]), quotient(inImage, all[2]),
            rest(inImage, all[2]), quotient(element, all[4]),
            rest(element, all[4])};
  }

  /// Replaces the im2col that the GEMM reads by an affine copy of the images'
  /// rows. ElideIm2col later removes that copy, so that the GEMM reads the
  /// images in place.
  void readImages(linalg::LinalgOp product, Value row, Value element) {
    ImplicitLocOpBuilder b(product.getLoc(), rewriter);
    const StaticWindowDim &height = read->seen.height;
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    SmallVector<OpFoldResult> place = placeOf(b.getLoc(), row, element);
    Value first = arith::SubIOp::create(
        b,
        arith::MulIOp::create(b, cast<Value>(place[1]), number(height.stride)),
        number(height.before));
    int64_t depth = depthOf(block);
    // In a filter's gradient a block has one row of the window's taps. The next
    // row of taps reads image rows that are `dilation` rows further down.
    if (found.reducesOverPatches)
      first = arith::AddIOp::create(
          b, first,
          arith::MulIOp::create(
              b, arith::DivUIOp::create(b, element, number(depth)),
              number(height.dilation)));
    bool isAlongRows = isTurned && !found.reducesOverPatches;
    Value patches = (isAlongRows ? readTransposedPatches : readPatches)(
        b, read->seen, read->block, cast<Value>(place[0]), first,
        found.shape[1]);
    SmallVector<ReassociationIndices> groups = {{0, 1, 2}, {3, 4}};
    if (cast<RankedTensorType>(patches.getType()).getRank() == 6)
      groups[1].push_back(5);
    Value matrix = tensor::CollapseShapeOp::create(b, patches, groups);
    if (found.reducesOverPatches && gridRows != depth) {
      Value inRow = arith::RemUIOp::create(b, element, number(depth));
      matrix = tensor::ExtractSliceOp::create(
          b, matrix, SmallVector<OpFoldResult>{b.getIndexAttr(0), inRow},
          SmallVector<OpFoldResult>{b.getIndexAttr(rowsOf(block)),
                                    b.getIndexAttr(gridRows)},
          SmallVector<OpFoldResult>(2, b.getIndexAttr(1)));
    }
    patchesOf(product).set(matrix);
  }

  /// Builds, right before `product`, the block of im2col that it reads. The
  /// block begins at patch `row`, and at element `element` of each patch.
  LogicalResult makePatches(linalg::LinalgOp product, Value row,
                            Value element) {
    Location loc = product.getLoc();
    rewriter.setInsertionPoint(product);
    if (read) {
      readImages(product, row, element);
      return success();
    }
    if (found.isOfUnknownSize())
      return makeAnyPatches(product, row, element);
    SmallVector<OpFoldResult> sizes =
        getAsIndexOpFoldResult(rewriter.getContext(), block);
    FailureOr<TilingResult> tiled =
        cast<TilingInterface>(found.patches.getOperation())
            .generateResultTileValue(rewriter, 0, placeOf(loc, row, element),
                                     sizes);
    if (failed(tiled)) {
      LLVM_DEBUG(llvm::dbgs() << "im2col has no tiled implementation\n");
      return failure();
    }
    auto patches = cast<linalg::GenericOp>(tiled->tiledOps.front());
    rewriter.setInsertionPoint(patches);
    Value own = tensor::EmptyOp::create(
        rewriter, loc, block,
        getElementTypeOrSelf(patches.getResult(0).getType()));
    patches.getDpsInitOperand(0)->set(own);
    expandIndices(patches);
    rewriter.setInsertionPoint(product);
    Value matrix = tensor::CollapseShapeOp::create(
        rewriter, loc, patches.getResult(0),
        ArrayRef<ReassociationIndices>{{0, 1, 2}, {3, 4}});
    patchesOf(product).set(matrix);
    return success();
  }

  /// Like `makePatches`, for images of a dynamic size, where a block may begin
  /// in one image and end in another. If the last block extends past the last
  /// patch, a slice selects its valid rows.
  LogicalResult makeAnyPatches(linalg::LinalgOp product, Value row,
                               Value element) {
    Location loc = product.getLoc();
    auto part =
        patchesOf(product).get().getDefiningOp<tensor::ExtractSliceOp>();
    if (!part) {
      LLVM_DEBUG(llvm::dbgs() << "the GEMM's im2col is not a slice\n");
      return failure();
    }
    ImplicitLocOpBuilder b(loc, rewriter);
    Value patches = im2colFrom(b, found.patches, {block[2], block[3], block[4]},
                               row, element);
    Value matrix = tensor::CollapseShapeOp::create(
        b, patches, ArrayRef<ReassociationIndices>{{0}, {1, 2}});
    SmallVector<OpFoldResult> zeros(2, rewriter.getIndexAttr(0));
    SmallVector<OpFoldResult> ones(2, rewriter.getIndexAttr(1));
    patchesOf(product).set(tensor::ExtractSliceOp::create(
        rewriter, loc, matrix, zeros, part.getMixedSizes(), ones));
    return success();
  }

  /// Expands the affine.apply ops in the body of `patches` to arith ops. The
  /// body's other index computations are arith ops already, and can then be
  /// simplified together with the expanded ones.
  void expandIndices(linalg::GenericOp patches) {
    SmallVector<affine::AffineApplyOp> applies;
    patches->walk([&](affine::AffineApplyOp op) { applies.push_back(op); });
    for (affine::AffineApplyOp op : applies) {
      rewriter.setInsertionPoint(op);
      std::optional<SmallVector<Value, 8>> values = affine::expandAffineMap(
          rewriter, op.getLoc(), op.getAffineMap(), op.getMapOperands());
      if (values)
        rewriter.replaceOp(op, *values);
    }
  }

  Im2colGEMM found;
  std::optional<ImplicitGEMMPlan> read; // set for an implicit GEMM
  Im2colShape block;
  int64_t gridRows;
  bool isTurned;
  IRRewriter rewriter;
};

struct TileIm2col : ::ingot::cpu::impl::TileIm2colPassBase<TileIm2col> {
  using TileIm2colPassBase::TileIm2colPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(host::kernelAttrName))
        continue;
      std::optional<Im2colGEMM> found = im2colGEMMOf(kernel);
      if (!found)
        continue;
      Im2colPlan plan = planIm2col(*found, patchElements, tileRows, vectorBits);
      LLVM_DEBUG(llvm::dbgs()
                 << "tile im2col of " << kernel.getName() << ": "
                 << rowsOf(plan.block) << " patches of " << depthOf(plan.block)
                 << " elements, " << plan.gridRows << " rows a block"
                 << (plan.read ? ", implicit" : "")
                 << (plan.isTurned ? ", transposed" : "") << "\n");
      ++numTiled;
      if (plan.read)
        ++numImplicit;
      LogicalResult tiled = Im2colGEMMTiler(*found, plan).run();
      Im2colGEMMTiler::eraseUnused(kernel.getBody().front());
      if (failed(tiled)) {
        kernel.emitError("cannot tile the im2col of kernel '")
            << kernel.getName()
            << "': this is a bug in Ingot, not in the graph";
        return signalPassFailure();
      }
    }
  }
};

} // namespace
