//===- TileRemainderRows.cpp - Remainder tiles of a dynamic M -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// A GEMM with a dynamic M has full register tiles and a remainder of a dynamic
// number of rows. The remainder is split into tiles with a static number of
// rows, which VectorizeGEMMs keeps in registers like any other tile.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/Passes.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_TILEREMAINDERROWSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;

namespace {

/// The number of rows of a remainder tile. The last rows, fewer than this
/// number, are computed in tiles of one row each.
constexpr int64_t someRows = 4;

/// Whether the GEMM computes the last rows of a larger one: it has a dynamic
/// number of rows and is inside of a loop.
bool isLastRows(linalg::LinalgOp op) {
  if (!::ingot::kernels::isProduct(op) || op.getNumLoops() != 3 ||
      !op->getParentOfType<scf::ForOp>())
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  return ShapedType::isDynamic(ranges[0]) && !ShapedType::isDynamic(ranges[1]);
}

/// Returns an upper bound of the number of rows of `result`, or std::nullopt if
/// none can be derived.
std::optional<int64_t> boundOfRows(Value result) {
  if (auto fill = result.getDefiningOp<linalg::FillOp>())
    result = fill.getOutputs()[0];
  auto part = result.getDefiningOp<tensor::ExtractSliceOp>();
  return part ? ::ingot::kernels::boundOf(part.getMixedSizes()[0])
              : std::nullopt;
}

/// Replaces a remainder GEMM by loops over tiles of its rows.
class RemainderRowTiler {
public:
  RemainderRowTiler(RewriterBase &rewriter, linalg::LinalgOp product)
      : rewriter(rewriter), product(product), loc(product.getLoc()) {
    rewriter.setInsertionPoint(product);
  }

  void tile() {
    Value result = product.getDpsInitOperand(0)->get();
    std::optional<int64_t> bound = boundOfRows(result);
    OpFoldResult first = rewriter.getIndexAttr(0);
    OpFoldResult rows = tensor::getMixedSize(rewriter, loc, result, 0);
    // A remainder of at most four rows is computed row by row.
    if (!bound || *bound > someRows) {
      AffineExpr all = rewriter.getAffineSymbolExpr(0);
      OpFoldResult whole = affine::makeComposedFoldedAffineApply(
          rewriter, loc, all.floorDiv(someRows) * someRows, rows);
      result = tileRows(first, whole, someRows, result);
      first = whole;
    }
    rewriter.replaceOp(product, tileRows(first, rows, 1, result));
  }

private:
  /// Builds a loop that computes the rows [first, last), `step` at a time.
  /// Returns the result after the loop.
  Value tileRows(OpFoldResult first, OpFoldResult last, int64_t step,
                 Value result) {
    auto value = [&](OpFoldResult index) {
      return getValueOrCreateConstantIndexOp(rewriter, loc, index);
    };
    auto loop = scf::ForOp::create(rewriter, loc, value(first), value(last),
                                   value(rewriter.getIndexAttr(step)), result);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToEnd(loop.getBody());
    auto all = cast<TilingInterface>(rewriter.clone(*product));
    all->setOperand(product.getDpsInitOperand(0)->getOperandNumber(),
                    loop.getRegionIterArg(0));
    SmallVector<OpFoldResult> offsets, sizes;
    for (const Range &range : all.getIterationDomain(rewriter)) {
      offsets.push_back(range.offset);
      sizes.push_back(range.size);
    }
    offsets[0] = loop.getInductionVar();
    sizes[0] = rewriter.getIndexAttr(step);
    Value rows = all.getTiledImplementation(rewriter, offsets, sizes)
                     ->tiledValues.front();
    SmallVector<OpFoldResult> ones(2, rewriter.getIndexAttr(1));
    Value inserted = tensor::InsertSliceOp::create(
        rewriter, loc, rows, loop.getRegionIterArg(0),
        ArrayRef(offsets).take_front(2), ArrayRef(sizes).take_front(2), ones);
    scf::YieldOp::create(rewriter, loc, inserted);
    rewriter.eraseOp(all);
    return loop.getResult(0);
  }

  RewriterBase &rewriter;
  linalg::LinalgOp product;
  Location loc;
};

struct TileRemainderRows
    : ::ingot::cpu::impl::TileRemainderRowsPassBase<TileRemainderRows> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> products;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isLastRows(op))
        products.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp product : products)
      RemainderRowTiler(rewriter, product).tile();
    numTiled += products.size();
  }
};

} // namespace
