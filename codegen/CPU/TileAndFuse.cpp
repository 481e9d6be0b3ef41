//===- TileAndFuse.cpp - Helpers of the passes that tile kernels ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/TileAndFuse.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace ingot::cpu {

/// Returns the op that computes `value`. If `value` is the result of loops,
/// returns the op that computes a block of it in each iteration.
static linalg::LinalgOp computes(Value value) {
  while (auto loop = value.getDefiningOp<scf::ForOp>()) {
    value = loop.getYieldedValues()[cast<OpResult>(value).getResultNumber()];
    if (auto insert = value.getDefiningOp<tensor::InsertSliceOp>())
      value = insert.getSource();
    // The last block may extend past the end of the result. The loop then does
    // not insert the whole block into the result, but a slice with its valid
    // rows.
    if (auto part = value.getDefiningOp<tensor::ExtractSliceOp>())
      value = part.getSource();
  }
  return value.getDefiningOp<linalg::LinalgOp>();
}

linalg::LinalgOp rootOf(func::FuncOp kernel) {
  Operation *terminator = kernel.getBody().front().getTerminator();
  linalg::LinalgOp root;
  for (Value value : terminator->getOperands()) {
    linalg::LinalgOp op = computes(value);
    if (!op || (root && op != root))
      return {};
    root = op;
  }
  return root;
}

linalg::LinalgOp productOf(func::FuncOp kernel) {
  linalg::LinalgOp product;
  unsigned numProducts = 0;
  kernel.walk([&](linalg::LinalgOp op) {
    if (::ingot::kernels::isProduct(op)) {
      product = op;
      ++numProducts;
    }
  });
  return numProducts == 1 ? product : linalg::LinalgOp();
}

FailureOr<SmallVector<scf::ForOp>>
tileAndFuse(RewriterBase &rewriter, linalg::LinalgOp root,
            const scf::SCFTilingOptions &tiling) {
  scf::SCFTileAndFuseOptions options;
  options.setTilingOptions(tiling);
  // Ops without loops, which compute a scalar, and ops that pack or transpose
  // an operand are not fused: all tiles read their result, so fusion would
  // compute it once for each tile.
  options.setFusionControlFn(
      [](tensor::ExtractSliceOp, OpResult producer,
         bool) -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
        auto op = dyn_cast<linalg::LinalgOp>(producer.getOwner());
        if (op && (op.getNumLoops() == 0 ||
                   isa<linalg::TransposeOp, linalg::CopyOp>(op)))
          return std::nullopt;
        return scf::SCFTileAndFuseOptions::ControlFnResult{};
      });
  FailureOr<scf::SCFTileAndFuseResult> tiled =
      scf::tileConsumerAndFuseProducersUsingSCF(
          rewriter, cast<TilingInterface>(root.getOperation()), options);
  if (failed(tiled))
    return rewriter.notifyMatchFailure(root, "cannot be tiled and fused");
  for (OpResult result : root->getResults())
    if (Value replacement = tiled->replacements.lookup(result))
      rewriter.replaceAllUsesWith(result, replacement);
  return llvm::map_to_vector(tiled->loops, [](LoopLikeOpInterface loop) {
    return cast<scf::ForOp>(loop.getOperation());
  });
}

void shrinkTemporaries(RewriterBase &rewriter, scf::ForOp tiles) {
  SmallVector<tensor::ExtractSliceOp> slices;
  tiles.walk([&](tensor::ExtractSliceOp slice) {
    if (slice.getSource().getDefiningOp<tensor::EmptyOp>() &&
        slice.getType().getRank() == slice.getSourceType().getRank())
      slices.push_back(slice);
  });
  for (tensor::ExtractSliceOp slice : slices) {
    // A tile at the end may be smaller than the others, so a slice may have a
    // dynamic size. Replace it by a temporary of the maximum size of a tile, of
    // which each tile uses a part.
    SmallVector<int64_t> shape;
    for (OpFoldResult size : slice.getMixedSizes())
      if (std::optional<int64_t> bound = ::ingot::kernels::boundOf(size))
        shape.push_back(*bound);
    if (static_cast<int64_t>(shape.size()) != slice.getType().getRank())
      continue;
    rewriter.setInsertionPoint(slice);
    Value own = tensor::EmptyOp::create(rewriter, slice.getLoc(), shape,
                                        slice.getType().getElementType());
    if (own.getType() == slice.getType()) {
      rewriter.replaceOp(slice, own);
      continue;
    }
    SmallVector<OpFoldResult> zeros(shape.size(), rewriter.getIndexAttr(0));
    SmallVector<OpFoldResult> ones(shape.size(), rewriter.getIndexAttr(1));
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        slice, slice.getType(), own, zeros, slice.getMixedSizes(), ones);
  }
}

int64_t largestDivisor(int64_t size, int64_t limit) {
  limit = std::clamp<int64_t>(limit, 1, size);
  while (size % limit != 0)
    --limit;
  return limit;
}

std::optional<int64_t> evenRows(int64_t whole, int64_t limit) {
  limit = std::min(limit, whole);
  for (int64_t rows = limit; 2 * rows > limit; --rows)
    if (whole % rows == 0)
      return rows;
  return std::nullopt;
}

int64_t halvesOfRow(int64_t columns, int64_t lanes) {
  // Vectors with at least this number of lanes (AVX-512) have masked loads and
  // stores.
  constexpr int64_t lanesOfParts = 16;
  int64_t rest = columns % lanes, halves = columns / lanes * 2;
  if (rest == 0)
    return halves;
  if (lanes < lanesOfParts)
    return halves + 2 * llvm::popcount<uint64_t>(rest);
  return halves + (rest <= lanes / 2 ? 1 : 2);
}

int64_t widthOfLine(int64_t whole, int64_t lanes) {
  int64_t best = 1, halves = 1;
  for (int64_t width = 2; width <= std::min(whole, 2 * lanes); ++width)
    if (int64_t taken = halvesOfRow(width, lanes);
        whole % width == 0 && width * halves >= best * taken) {
      best = width;
      halves = taken;
    }
  return best;
}

void peel(RewriterBase &rewriter, scf::ForOp loop) {
  scf::ForOp remainder;
  (void)scf::peelForLoopAndSimplifyBounds(rewriter, loop, remainder);
}

/// Clones the body of `loop` at the insertion point, for the iteration with the
/// index `index` and the loop-carried values `state`. Emits a yield of the
/// values that this iteration yields.
static void repeatBody(RewriterBase &rewriter, scf::ForOp loop, Value index,
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

} // namespace ingot::cpu
