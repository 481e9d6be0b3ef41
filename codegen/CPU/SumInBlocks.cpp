//===- SumInBlocks.cpp - Long sums go over blocks of them -----------------===//

#include "codegen/CPU/Passes.h"
#include "codegen/CPU/Target.h"
#include "codegen/CPU/TileLoops.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_SUMINBLOCKSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;
using namespace ::ingot::cpu;

namespace {

/// A panel of the second operand that is longer is in no cache of a core's own.
constexpr int64_t minDepth = 8 * 1024;

/// A block has so many elements of both operands, at the most, and of each row
/// or column of the result so many at the least: it and the next one, which is
/// on its way, stay in a core's own caches, and what a tile reads of it in the
/// innermost one.
constexpr int64_t blockElements = 32 * 1024, minBlockDepth = 128;

/// Rows or columns of the result that an iteration of the grid has, at the
/// least, and how many iterations are enough for any number of threads.
constexpr int64_t minGridRows = 32, maxBlocks = 8;

class LongSum {
public:
  LongSum(linalg::LinalgOp product, linalg::LinalgOp root)
      : product(product), root(root), rewriter(root.getContext()) {}

  /// Whether the pass is about it.
  bool find();
  LogicalResult split();

private:
  bool isLong(ArrayRef<int64_t> ranges);
  FailureOr<scf::ForOp> makeGrid();
  LogicalResult sumInBlocks();

  linalg::LinalgOp product, root;
  int64_t depth = 0;
  int64_t block[2] = {0, 0}; // of the result: rows, columns; 0: all of them
  IRRewriter rewriter;
};

/// So many rows or columns of `size` a part has; 0 where nothing near divides
/// them.
int64_t partOf(int64_t size) {
  int64_t least =
      std::max(minGridRows, llvm::divideCeilSigned(size, maxBlocks));
  for (int64_t part = least; part <= 2 * least && part < size; ++part)
    if (size % part == 0)
      return part;
  return 0;
}

/// Whether blocks are of use. Where the sum's steps are rows of both operands,
/// these are for the taking as they lie; of others, more has to be gained.
bool LongSum::isLong(ArrayRef<int64_t> ranges) {
  auto [rows, columns, depth] = std::tuple(ranges[0], ranges[1], ranges[2]);
  constexpr unsigned sum = 2; // the loop
  bool areRows =
      llvm::all_of(product.getDpsInputOperands(), [&](OpOperand *operand) {
        return product.getMatchingIndexingMap(operand).getDimPosition(0) == sum;
      });
  if (areRows && Core::longSums.include(rows, columns, depth))
    return true;
  return depth > minDepth && depth * (rows + columns) > Core::maxCachedElements;
}

bool LongSum::find() {
  SmallVector<int64_t> ranges = product.getStaticLoopRanges();
  if (ranges.size() != 3 || ShapedType::isDynamicShape(ranges) ||
      !isLong(ranges) || root.getNumParallelLoops() != 2 ||
      (root != product && root.getNumLoops() != 2) ||
      ArrayRef(root.getStaticLoopRanges()).take_front(2) !=
          ArrayRef(ranges).take_front(2))
    return false;
  // A side makes the grid, the longer one if it can; each block of it reads all
  // of the other.
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

LogicalResult LongSum::split() {
  FailureOr<scf::ForOp> grid = makeGrid();
  if (failed(grid))
    return failure();
  grid->walk([&](linalg::LinalgOp op) {
    if (::ingot::kernels::isProduct(op))
      product = op;
  });
  return sumInBlocks();
}

/// A loop over parts of the result, with all that computes one.
FailureOr<scf::ForOp> LongSum::makeGrid() {
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

LogicalResult LongSum::sumInBlocks() {
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

struct SumInBlocks : ::ingot::cpu::impl::SumInBlocksPassBase<SumInBlocks> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(host::kernelAttrName) || kernel.isExternal())
        continue;
      linalg::LinalgOp product = productOf(kernel), root = rootOf(kernel);
      if (!product || !root || product->getParentOp() != kernel ||
          root->getParentOp() != kernel)
        continue;
      LongSum sum(product, root);
      if (sum.find() && failed(sum.split())) {
        kernel.emitError("its sum cannot be cut into blocks");
        return signalPassFailure();
      }
    }
  }
};

} // namespace
