//===- BlockK.cpp - Block the K dimension of GEMMs ------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The loop nest of a GEMM whose K dimension is divided into blocks:
//
//   for block of M or N (host.grid_loop):  a part of C, in this core's cache
//     for block of K, ascending:           the kc loop of Goto and BLIS
//       C' += A' * B'                      tiled to registers by TileGEMMs
//     epilogue of C'
//
// This is for two kinds of GEMMs: those with a long K, and those with few rows
// and a large second operand, which is then read in place, in the order of
// memory, instead of being packed.
//
// Without the loop over blocks of K, panels of A and B would be evicted from
// the caches between one register tile and the next. Accumulators are stored
// and loaded between blocks of K, which is exact, so every element is the same
// chain of multiply-adds as without blocks. Nothing runs in parallel along K:
// split-K would add partial sums in another order, and so change bits.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/BF16Pairs.h"
#include "codegen/CPU/BlockSumTree.h"
#include "codegen/CPU/GEMMPlan.h"
#include "codegen/CPU/Passes.h"
#include "codegen/CPU/TileAndFuse.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "ingot-cpu-block-k"

namespace ingot::cpu {
#define GEN_PASS_DEF_BLOCKKPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;
using namespace ::ingot::cpu;

namespace {

/// Blocks the K dimension of a kernel's GEMM `product`; `root` is the last op
/// of its epilogue, or the GEMM itself.
class GEMMKDimensionBlocker {
public:
  GEMMKDimensionBlocker(linalg::LinalgOp product, linalg::LinalgOp root,
                        TileLimits limits, const CacheHierarchy &caches,
                        bool pairFactors)
      : product(product), root(root), limits(limits), caches(caches),
        pairFactors(pairFactors), rewriter(root.getContext()) {}

  /// Chooses the sizes of blocks. Returns false if K is not worth blocking.
  bool find();
  /// Builds the grid loop and the loop over blocks of K.
  LogicalResult split();
  /// Prints the sizes of blocks; a size of 0 means all rows or columns.
  void print(raw_ostream &os) const {
    os << blocks.rows << " x " << blocks.columns << " of C, " << blocks.depth
       << " of K";
  }

private:
  FailureOr<scf::ForOp> makeGrid();
  LogicalResult sumInBlocks(linalg::LinalgOp part);

  linalg::LinalgOp product, root;
  TileLimits limits;
  const CacheHierarchy &caches;
  bool pairFactors;
  KBlocks blocks;
  IRRewriter rewriter;
};

/// Whether the rows of an operand of the GEMM are the steps of K.
bool areStepsOfK(linalg::LinalgOp product, unsigned operand) {
  constexpr unsigned sum = 2; // the index of the K loop
  AffineMap map =
      product.getMatchingIndexingMap(product.getDpsInputOperand(operand));
  return map.getDimPosition(0) == sum;
}

bool GEMMKDimensionBlocker::find() {
  SmallVector<int64_t> ranges = product.getStaticLoopRanges();
  if (ranges.size() != 3 || ShapedType::isDynamicShape(ranges) ||
      sumBlockOf(product) != 0 || llvm::is_contained(ranges, 0) ||
      root.getNumParallelLoops() != 2 ||
      (root != product && root.getNumLoops() != 2) ||
      ArrayRef(root.getStaticLoopRanges()).take_front(2) !=
          ArrayRef(ranges).take_front(2))
    return false;
  Type element = getElementTypeOrSelf(product->getResult(0));
  GEMMProblem gemm = {ranges[0], ranges[1], ranges[2],
                      element.getIntOrFloatBitWidth()};
  gemm.isFirstTransposed = areStepsOfK(product, 0);
  gemm.isSecondTransposed = !areStepsOfK(product, 1);
  gemm.mayPairFactors = pairFactors && mayPairFactors(product);
  std::optional<KBlocks> found = planKBlocks(gemm, limits, caches);
  blocks = found.value_or(KBlocks());
  return found.has_value();
}

LogicalResult GEMMKDimensionBlocker::split() {
  FailureOr<scf::ForOp> grid = makeGrid();
  if (failed(grid))
    return failure();
  SmallVector<linalg::LinalgOp> parts;
  grid->walk([&](linalg::LinalgOp op) {
    if (::ingot::kernels::isProduct(op))
      parts.push_back(op);
  });
  for (linalg::LinalgOp part : parts)
    if (failed(sumInBlocks(part)))
      return failure();
  return success();
}

/// Builds the grid loop over parts of the result, with the GEMM and its
/// epilogue fused into it.
FailureOr<scf::ForOp> GEMMKDimensionBlocker::makeGrid() {
  rewriter.setInsertionPoint(root);
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(
      rewriter.getContext(), {blocks.rows, blocks.columns});
  if (root == product)
    sizes.push_back(rewriter.getIndexAttr(0));
  FailureOr<SmallVector<scf::ForOp>> loops =
      tileAndFuse(rewriter, root, scf::SCFTilingOptions().setTileSizes(sizes));
  if (failed(loops))
    return failure();
  scf::ForOp grid = loops->front();
  shrinkTemporaries(rewriter, grid);
  grid = foldRemainder(rewriter, grid);
  grid->setAttr(::ingot::kernels::gridLoopAttrName, rewriter.getUnitAttr());
  return grid;
}

/// Builds the loop over blocks of K in `part`, the GEMM of a grid iteration.
/// The last, shorter block is peeled.
LogicalResult GEMMKDimensionBlocker::sumInBlocks(linalg::LinalgOp part) {
  rewriter.setInsertionPoint(part);
  scf::SCFTilingOptions sums;
  Attribute all = rewriter.getIndexAttr(0);
  sums.setTileSizes({all, all, rewriter.getIndexAttr(blocks.depth)});
  FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(part.getOperation()), sums);
  if (failed(tiled))
    return rewriter.notifyMatchFailure(part, "the K dimension cannot be tiled");
  rewriter.replaceOp(part, tiled->replacements);
  peel(rewriter, cast<scf::ForOp>(tiled->loops.front().getOperation()));
  return success();
}

struct BlockK : ::ingot::cpu::impl::BlockKPassBase<BlockK> {
  using BlockKPassBase::BlockKPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(host::kernelAttrName) || kernel.isExternal())
        continue;
      linalg::LinalgOp product = productOf(kernel), root = rootOf(kernel);
      if (!product || !root || product->getParentOp() != kernel ||
          root->getParentOp() != kernel)
        continue;
      TileLimits limits = TileLimits::of(
          {vectorBits, numRegisters, halvesVectors},
          getElementTypeOrSelf(product->getResult(0)).getIntOrFloatBitWidth(),
          tileRows, tileVectors, caches.l1);
      GEMMKDimensionBlocker sum(product, root, limits, caches, pairFactors);
      if (!sum.find()) {
        LLVM_DEBUG(llvm::dbgs() << "K of " << kernel.getName()
                                << " is not blocked: it is short or dynamic, "
                                   "or no equal blocks of C suit the grid\n");
        continue;
      }
      LLVM_DEBUG(llvm::dbgs() << "block K of " << kernel.getName() << ": ";
                 sum.print(llvm::dbgs()); llvm::dbgs() << '\n');
      ++numBlocked;
      if (failed(sum.split())) {
        kernel.emitError("cannot block the K dimension of the GEMM in kernel '")
            << kernel.getName()
            << "': this is a bug in Ingot, not in the graph";
        return signalPassFailure();
      }
    }
  }
};

} // namespace
