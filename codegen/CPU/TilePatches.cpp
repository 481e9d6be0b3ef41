//===- TilePatches.cpp - Products make the patches that they read ---------===//

#include "codegen/CPU/Passes.h"
#include "codegen/CPU/TileLoops.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_TILEPATCHESPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;
using namespace ::ingot::cpu;

namespace {

/// More rows at a time gain nothing, and leave fewer blocks to share.
constexpr int64_t maxBlockRows = 256;

/// Channels of a block, where a product sums over all patches, and the fewest
/// elements of a patch that fill a register tile.
constexpr int64_t maxBlockChannels = 64, minBlockElements = 8;

/// Sizes of patches: [images, rows, columns, taps, channels].
using PatchShape = SmallVector<int64_t, 5>;

/// A product of patches with another matrix, and what the kernel returns of it.
struct PatchProduct {
  linalg::LinalgOp product, root;
  linalg::GenericOp patches;
  tensor::CollapseShapeOp matrix; // [images * rows * columns, taps * channels]
  bool sumsPatches;               // over all of them, or over one's elements
  PatchShape shape;
};

std::optional<PatchProduct> patchProductOf(func::FuncOp kernel) {
  PatchProduct found;
  found.product = productOf(kernel);
  found.root = rootOf(kernel);
  if (!found.product || !found.root)
    return std::nullopt;
  OpOperand *first = found.product.getDpsInputOperand(0);
  found.matrix = first->get().getDefiningOp<tensor::CollapseShapeOp>();
  if (!found.matrix)
    return std::nullopt;
  found.patches = found.matrix.getSrc().getDefiningOp<linalg::GenericOp>();
  if (!found.patches || found.patches.getNumDpsInputs() != 0 ||
      found.patches.getNumLoops() != 5 ||
      found.patches.getNumParallelLoops() != 5 || !found.patches->hasOneUse() ||
      !found.matrix->hasOneUse() ||
      found.matrix.getReassociationIndices() !=
          SmallVector<ReassociationIndices>{{0, 1, 2}, {3, 4}})
    return std::nullopt;
  found.shape.assign(found.patches.getStaticLoopRanges());
  if (ShapedType::isDynamicShape(found.shape) ||
      llvm::is_contained(found.shape, 0) ||
      ShapedType::isDynamicShape(found.product.getStaticLoopRanges()))
    return std::nullopt;
  AffineMap map = found.product.getMatchingIndexingMap(first);
  found.sumsPatches = map.getDimPosition(0) != 0;
  // A sum over blocks of patches is complete behind the last one.
  if (found.sumsPatches && found.root != found.product)
    return std::nullopt;
  return found;
}

int64_t largestDivisor(int64_t size, int64_t limit) {
  limit = std::clamp<int64_t>(limit, 1, size);
  while (size % limit != 0)
    --limit;
  return limit;
}

/// As many whole images, or rows of one, or columns of a row, as make at most
/// `limit` patches: they are neighbours among all patches.
PatchShape neighbours(const PatchShape &shape, int64_t limit) {
  PatchShape block = {1, 1, 1, shape[3], shape[4]};
  for (int64_t dim = 2; dim >= 0; --dim) {
    block[dim] = largestDivisor(shape[dim], limit);
    if (block[dim] != shape[dim])
      break;
    limit /= shape[dim];
  }
  return block;
}

/// What a block's patches show of their windows, where all are summed up: some
/// taps, or of many channels a part.
void narrow(PatchShape &block) {
  int64_t taps = block[3], channels = block[4];
  block[3] = 1;
  for (int64_t part = 8;
       part <= maxBlockChannels && channels > maxBlockChannels; part += 8)
    if (channels % part == 0)
      block[4] = part;
  while (taps % block[3] != 0 ||
         (block[3] < taps && block[3] * block[4] < minBlockElements))
    ++block[3];
}

int64_t rowsOf(const PatchShape &shape) {
  return shape[0] * shape[1] * shape[2];
}
int64_t depthOf(const PatchShape &shape) { return shape[3] * shape[4]; }

class PatchTiling {
public:
  PatchTiling(const PatchProduct &found, int64_t maxElements)
      : found(found), block(found.shape),
        rewriter(this->found.root.getContext()) {
    if (found.sumsPatches)
      narrow(block);
    block = neighboursOf(block, maxElements);
  }

  LogicalResult run() {
    FailureOr<scf::ForOp> grid = tileResult();
    if (failed(grid))
      return failure();
    (*grid)->setAttr(::ingot::kernels::gridLoopAttrName,
                     rewriter.getUnitAttr());
    shrinkTemporaries(rewriter, *grid);
    linalg::LinalgOp product;
    (*grid)->walk([&](linalg::LinalgOp op) {
      if (::ingot::kernels::isProduct(op))
        product = op;
    });
    eraseUnused(*(*grid)->getBlock());
    rewriter.setInsertionPoint(product);
    Value index = grid->getInductionVar();
    Value zero = arith::ConstantIndexOp::create(rewriter, product.getLoc(), 0);
    if (!found.sumsPatches)
      return makePatches(product, index, zero);
    FailureOr<std::pair<linalg::LinalgOp, Value>> part = tileSum(product);
    return failed(part) ? failure()
                        : makePatches(part->first, part->second, index);
  }

private:
  static PatchShape neighboursOf(const PatchShape &block, int64_t maxElements) {
    return neighbours(block,
                      std::min(maxBlockRows, maxElements / depthOf(block)));
  }

  /// The grid: blocks of rows of what the kernel returns.
  FailureOr<scf::ForOp> tileResult() {
    scf::SCFTilingOptions tiling;
    SmallVector<OpFoldResult> sizes(found.root.getNumLoops(),
                                    rewriter.getIndexAttr(0));
    sizes[0] = rewriter.getIndexAttr(found.sumsPatches ? depthOf(block)
                                                       : rowsOf(block));
    tiling.setTileSizes(sizes);
    scf::SCFTileAndFuseOptions options;
    options.setTilingOptions(tiling);
    options.setFusionControlFn(
        [](tensor::ExtractSliceOp, OpResult producer,
           bool) -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
          // What has no loops is computed once, before them.
          auto op = dyn_cast<linalg::LinalgOp>(producer.getOwner());
          if (op && op.getNumLoops() == 0)
            return std::nullopt;
          return scf::SCFTileAndFuseOptions::ControlFnResult{};
        });
    linalg::LinalgOp root = found.root;
    rewriter.setInsertionPoint(root);
    FailureOr<scf::SCFTileAndFuseResult> tiled =
        scf::tileConsumerAndFuseProducersUsingSCF(
            rewriter, cast<TilingInterface>(root.getOperation()), options);
    if (failed(tiled))
      return failure();
    for (OpResult result : root->getResults())
      if (Value replacement = tiled->replacements.lookup(result))
        rewriter.replaceAllUsesWith(result, replacement);
    return cast<scf::ForOp>(tiled->loops.front().getOperation());
  }

  /// The sum over blocks of patches, one behind the other: the product of one,
  /// and which it is the first of.
  FailureOr<std::pair<linalg::LinalgOp, Value>>
  tileSum(linalg::LinalgOp product) {
    scf::SCFTilingOptions tiling;
    tiling.setTileSizes({rewriter.getIndexAttr(0), rewriter.getIndexAttr(0),
                         rewriter.getIndexAttr(rowsOf(block))});
    rewriter.setInsertionPoint(product);
    FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
        rewriter, cast<TilingInterface>(product.getOperation()), tiling);
    if (failed(tiled))
      return failure();
    rewriter.replaceOp(product, tiled->replacements);
    auto loop = cast<scf::ForOp>(tiled->loops.front().getOperation());
    return std::pair(cast<linalg::LinalgOp>(tiled->tiledOps.front()),
                     loop.getInductionVar());
  }

  /// Where patch number `row`, and its element number `element`, lies.
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
    const PatchShape &all = found.shape;
    Value inImage = rest(row, all[1] * all[2]);
    return {quotient(row, all[1] * all[2]), quotient(inImage, all[2]),
            rest(inImage, all[2]), quotient(element, all[4]),
            rest(element, all[4])};
  }

  /// Has `product` read patches that are made in front of it, from number
  /// `row` on and of each from `element` on.
  LogicalResult makePatches(linalg::LinalgOp product, Value row,
                            Value element) {
    Location loc = product.getLoc();
    rewriter.setInsertionPoint(product);
    SmallVector<OpFoldResult> sizes =
        getAsIndexOpFoldResult(rewriter.getContext(), block);
    FailureOr<TilingResult> tiled =
        cast<TilingInterface>(found.patches.getOperation())
            .generateResultTileValue(rewriter, 0, placeOf(loc, row, element),
                                     sizes);
    if (failed(tiled))
      return failure();
    auto patches = cast<linalg::GenericOp>(tiled->tiledOps.front());
    rewriter.setInsertionPoint(patches);
    Value own = tensor::EmptyOp::create(
        rewriter, loc, block,
        getElementTypeOrSelf(patches.getResult(0).getType()));
    patches.getDpsInitOperand(0)->set(own);
    expandIndices(patches);
    rewriter.setInsertionPoint(product);
    Value matrix =
        tensor::CollapseShapeOp::create(rewriter, loc, patches.getResult(0),
                                        found.matrix.getReassociationIndices());
    product.getDpsInputOperand(0)->set(matrix);
    return success();
  }

  /// The ops that tiles were made of.
  static void eraseUnused(Block &body) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body))) {
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          eraseUnused(inner);
      if (isOpTriviallyDead(&op))
        op.erase();
    }
  }

  /// What the body adds to its indices is arithmetic, as all else there.
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

  PatchProduct found;
  PatchShape block;
  IRRewriter rewriter;
};

struct TilePatches : ::ingot::cpu::impl::TilePatchesPassBase<TilePatches> {
  using TilePatchesPassBase::TilePatchesPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(host::kernelAttrName))
        continue;
      std::optional<PatchProduct> found = patchProductOf(kernel);
      if (found && failed(PatchTiling(*found, patchElements).run())) {
        kernel.emitError("its patches cannot be made block by block");
        return signalPassFailure();
      }
    }
  }
};

} // namespace
