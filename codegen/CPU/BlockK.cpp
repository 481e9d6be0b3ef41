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
// Without the loop over blocks of K, panels of A and B would be evicted from
// the caches between one register tile and the next. Accumulators are stored
// and loaded between blocks of K, which is exact, so every element is the same
// chain of multiply-adds as without blocks. Nothing runs in parallel along K:
// split-K would add partial sums in another order, and so change bits.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/BlockSumTree.h"
#include "codegen/CPU/Passes.h"
#include "codegen/CPU/RegisterTile.h"
#include "codegen/CPU/Target.h"
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

/// The smallest K at which a panel of the second operand no longer fits into a
/// core's own caches (L1 and L2).
constexpr int64_t minDepth = 8 * 1024;

/// The maximum number of elements of both operands in a block of K, and the
/// minimum number of steps of K in a block. A block and the next one, which is
/// being prefetched, fit into a core's own caches, and the slice of a block
/// that one tile reads fits into L1.
constexpr int64_t blockElements = 32 * 1024, minBlockDepth = 128;

/// The minimum number of rows or columns of the result that an iteration of the
/// grid computes, and the maximum number of iterations of the grid. Each
/// iteration reads one operand as a whole, so more iterations would read more
/// memory.
constexpr int64_t minGridRows = 32, maxBlocks = 8;

/// Blocks the K dimension of a kernel's GEMM `product`; `root` is the last op
/// of its epilogue, or the GEMM itself.
class GEMMKDimensionBlocker {
public:
  GEMMKDimensionBlocker(linalg::LinalgOp product, linalg::LinalgOp root,
                        TileLimits limits)
      : product(product), root(root), limits(limits),
        rewriter(root.getContext()) {}

  /// Chooses the sizes of blocks. Returns false if K is not worth blocking.
  bool find();
  /// Builds the grid loop and the loop over blocks of K.
  LogicalResult split();
  /// Prints the sizes of blocks; a size of 0 means all rows or columns.
  void print(raw_ostream &os) const {
    os << block[0] << " x " << block[1] << " of C, " << depth << " of K";
  }

private:
  bool isLong(ArrayRef<int64_t> ranges);
  void findPart(TileShape gemm);
  FailureOr<scf::ForOp> makeGrid();
  LogicalResult sumInBlocks();

  linalg::LinalgOp product, root;
  TileLimits limits;
  int64_t depth = 0;
  /// The rows and the columns of the result that one grid iteration computes; 0
  /// means all of them.
  int64_t block[2] = {0, 0};
  IRRewriter rewriter;
};

/// Whether blocking a K of this size saves time. If K is the row dimension of
/// both operands, a block of K is contiguous in memory and is read in place.
/// Blocking then saves time for smaller K, too.
bool GEMMKDimensionBlocker::isLong(ArrayRef<int64_t> ranges) {
  auto [rows, columns, depth] = std::tuple(ranges[0], ranges[1], ranges[2]);
  constexpr unsigned sum = 2; // the index of the K loop
  bool areRows =
      llvm::all_of(product.getDpsInputOperands(), [&](OpOperand *operand) {
        return product.getMatchingIndexingMap(operand).getDimPosition(0) == sum;
      });
  if (areRows && CPUTargetLimits::kBlocking.include(rows, columns, depth))
    return true;
  return depth > minDepth &&
         depth * (rows + columns) > CPUTargetLimits::maxCachedElements;
}

/// Finds the rows or columns of `gemm` that one iteration of the grid computes.
/// They divide the result, and are the ones whose register tiles take the least
/// time: 45 rows are five tiles of eight and a slow one of five. Each iteration
/// reads all of the operand that lacks the split dimension, so the longer side
/// is split if the estimates are equal.
void GEMMKDimensionBlocker::findPart(TileShape gemm) {
  double fewest = 0;
  int64_t sides[] = {gemm.rows, gemm.columns};
  unsigned longer = sides[0] >= sides[1] ? 0 : 1;
  for (unsigned side : {longer, 1 - longer})
    for (int64_t parts = maxBlocks; parts >= 2; --parts) {
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
      block[side] = part;
      block[1 - side] = 0;
    }
}

bool GEMMKDimensionBlocker::find() {
  SmallVector<int64_t> ranges = product.getStaticLoopRanges();
  if (ranges.size() != 3 || ShapedType::isDynamicShape(ranges) ||
      sumBlockOf(product) != 0 || !isLong(ranges) ||
      root.getNumParallelLoops() != 2 ||
      (root != product && root.getNumLoops() != 2) ||
      ArrayRef(root.getStaticLoopRanges()).take_front(2) !=
          ArrayRef(ranges).take_front(2))
    return false;
  findPart({ranges[0], ranges[1]});
  if (block[0] == 0 && block[1] == 0)
    return false;
  int64_t sides[] = {block[0] != 0 ? block[0] : ranges[0],
                     block[1] != 0 ? block[1] : ranges[1]};
  depth = blockElements / (sides[0] + sides[1]);
  depth = std::max(minBlockDepth, depth);
  if (int64_t even = largestDivisor(ranges[2], depth); 2 * even > depth)
    depth = even;
  return true;
}

LogicalResult GEMMKDimensionBlocker::split() {
  FailureOr<scf::ForOp> grid = makeGrid();
  if (failed(grid))
    return failure();
  grid->walk([&](linalg::LinalgOp op) {
    if (::ingot::kernels::isProduct(op))
      product = op;
  });
  return sumInBlocks();
}

/// Builds the grid loop over parts of the result, with the GEMM and its
/// epilogue fused into it.
FailureOr<scf::ForOp> GEMMKDimensionBlocker::makeGrid() {
  rewriter.setInsertionPoint(root);
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(rewriter.getContext(), block);
  if (root == product)
    sizes.push_back(rewriter.getIndexAttr(0));
  FailureOr<SmallVector<scf::ForOp>> loops =
      tileAndFuse(rewriter, root, scf::SCFTilingOptions().setTileSizes(sizes));
  if (failed(loops))
    return failure();
  scf::ForOp grid = loops->front();
  grid->setAttr(::ingot::kernels::gridLoopAttrName, rewriter.getUnitAttr());
  shrinkTemporaries(rewriter, grid);
  return grid;
}

/// Builds the loop over blocks of K in the GEMM of a grid iteration. The last,
/// shorter block is peeled.
LogicalResult GEMMKDimensionBlocker::sumInBlocks() {
  rewriter.setInsertionPoint(product);
  scf::SCFTilingOptions sums;
  Attribute all = rewriter.getIndexAttr(0);
  sums.setTileSizes({all, all, rewriter.getIndexAttr(depth)});
  FailureOr<scf::SCFTilingResult> blocks = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(product.getOperation()), sums);
  if (failed(blocks))
    return rewriter.notifyMatchFailure(product,
                                       "the K dimension cannot be tiled");
  rewriter.replaceOp(product, blocks->replacements);
  peel(rewriter, cast<scf::ForOp>(blocks->loops.front().getOperation()));
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
      GEMMKDimensionBlocker sum(
          product, root,
          TileLimits::of(vectorBits,
                         getElementTypeOrSelf(product->getResult(0))
                             .getIntOrFloatBitWidth(),
                         numRegisters, tileRows, tileVectors));
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
