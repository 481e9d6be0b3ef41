//===- BlockK.cpp - Block the K dimension of GEMMs ------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
//   for block of M or N (host.grid_loop):  a part of C, in this core's cache
//     for block of K, ascending:           the kc loop of Goto and BLIS
//       C' += A' * B'                      tiled to registers by TileGEMMs
//     epilogue of C'
//
// Without the K loop a panel of A and B would leave the caches between one
// register tile and the next. Accumulators are stored and reloaded between
// blocks, which is exact, so every element is the same chain of multiply-adds
// as without. Nothing runs in parallel along K (split-K would add partial sums
// in another order, and change bits).
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/Passes.h"
#include "codegen/CPU/Target.h"
#include "codegen/CPU/TileLoops.h"
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

/// From this K on a panel of the second operand exceeds a core's own caches.
constexpr int64_t minDepth = 8 * 1024;

/// The most elements of both operands in a block, and the fewest steps of K: a
/// block and the next one, which is being prefetched, fit a core's own caches,
/// and the slice of a block that one tile reads fits the innermost.
constexpr int64_t blockElements = 32 * 1024, minBlockDepth = 128;

/// The fewest rows or columns of the result in an iteration of the grid, and
/// the number of iterations that is enough for any number of threads.
constexpr int64_t minGridRows = 32, maxBlocks = 8;

class BlockedGEMM {
public:
  BlockedGEMM(linalg::LinalgOp product, linalg::LinalgOp root)
      : product(product), root(root), rewriter(root.getContext()) {}

  /// Whether K is worth blocking; chooses the sizes of blocks.
  bool find();
  LogicalResult split();

private:
  bool isLong(ArrayRef<int64_t> ranges);
  FailureOr<scf::ForOp> makeGrid();
  LogicalResult sumInBlocks();

  linalg::LinalgOp product, root;
  int64_t depth = 0;
  int64_t block[2] = {0, 0}; // of the result: rows, columns; 0: not cut
  IRRewriter rewriter;
};

/// The rows or columns of a part of `size`; 0 where no suitable number divides
/// it.
int64_t partOf(int64_t size) {
  int64_t least =
      std::max(minGridRows, llvm::divideCeilSigned(size, maxBlocks));
  for (int64_t part = least; part <= 2 * least && part < size; ++part)
    if (size % part == 0)
      return part;
  return 0;
}

/// Whether K-blocking pays. Where K is the rows of both operands, a block of it
/// is contiguous and read in place; others have to gain more.
bool BlockedGEMM::isLong(ArrayRef<int64_t> ranges) {
  auto [rows, columns, depth] = std::tuple(ranges[0], ranges[1], ranges[2]);
  constexpr unsigned sum = 2; // the loop
  bool areRows =
      llvm::all_of(product.getDpsInputOperands(), [&](OpOperand *operand) {
        return product.getMatchingIndexingMap(operand).getDimPosition(0) == sum;
      });
  if (areRows && Core::kBlocking.include(rows, columns, depth))
    return true;
  return depth > minDepth && depth * (rows + columns) > Core::maxCachedElements;
}

bool BlockedGEMM::find() {
  SmallVector<int64_t> ranges = product.getStaticLoopRanges();
  if (ranges.size() != 3 || ShapedType::isDynamicShape(ranges) ||
      !isLong(ranges) || root.getNumParallelLoops() != 2 ||
      (root != product && root.getNumLoops() != 2) ||
      ArrayRef(root.getStaticLoopRanges()).take_front(2) !=
          ArrayRef(ranges).take_front(2))
    return false;
  // The grid is along M or N, the longer one if it can be cut evenly; each
  // iteration reads all of the other.
  unsigned longer = ranges[0] >= ranges[1] ? 0 : 1;
  int64_t sides[] = {ranges[0], ranges[1]};
  for (unsigned side : {longer, 1 - longer})
    if (int64_t part = partOf(ranges[side]); part != 0) {
      block[side] = sides[side] = part;
      break;
    }
  if (block[0] == 0 && block[1] == 0)
    return false;
  depth = blockElements / (sides[0] + sides[1]);
  depth = std::max(minBlockDepth, depth);
  if (int64_t even = largestDivisor(ranges[2], depth); 2 * even > depth)
    depth = even;
  return true;
}

LogicalResult BlockedGEMM::split() {
  FailureOr<scf::ForOp> grid = makeGrid();
  if (failed(grid))
    return failure();
  grid->walk([&](linalg::LinalgOp op) {
    if (::ingot::kernels::isProduct(op))
      product = op;
  });
  return sumInBlocks();
}

/// A loop over parts of the result, with the GEMM and its epilogue fused into
/// it.
FailureOr<scf::ForOp> BlockedGEMM::makeGrid() {
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

LogicalResult BlockedGEMM::sumInBlocks() {
  rewriter.setInsertionPoint(product);
  scf::SCFTilingOptions sums;
  Attribute all = rewriter.getIndexAttr(0);
  sums.setTileSizes({all, all, rewriter.getIndexAttr(depth)});
  FailureOr<scf::SCFTilingResult> blocks = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(product.getOperation()), sums);
  if (failed(blocks))
    return failure();
  rewriter.replaceOp(product, blocks->replacements);
  peel(rewriter, cast<scf::ForOp>(blocks->loops.front().getOperation()));
  return success();
}

struct BlockK : ::ingot::cpu::impl::BlockKPassBase<BlockK> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(host::kernelAttrName) || kernel.isExternal())
        continue;
      linalg::LinalgOp product = productOf(kernel), root = rootOf(kernel);
      if (!product || !root || product->getParentOp() != kernel ||
          root->getParentOp() != kernel)
        continue;
      BlockedGEMM sum(product, root);
      if (!sum.find())
        continue;
      LLVM_DEBUG(llvm::dbgs() << "block K of " << kernel.getName() << "\n");
      ++numBlocked;
      if (failed(sum.split())) {
        kernel.emitError("its reduction dimension cannot be blocked");
        return signalPassFailure();
      }
    }
  }
};

} // namespace
