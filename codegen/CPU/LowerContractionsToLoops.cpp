//===- LowerContractionsToLoops.cpp - Contractions as scalar loops --------===//
// SPDX-License-Identifier: Apache-2.0
//
// Lowers contractions to scalar loops: over the elements of the result, and for
// each element over the reduced dimensions in ascending order, with one
// multiply-add in each iteration. Tiled and vectorized code must compute the
// same bits as these loops.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/BlockSumTree.h"
#include "codegen/CPU/Passes.h"
#include "codegen/Kernels/Passes.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_LOWERCONTRACTIONSTOLOOPSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;
using namespace ::ingot::cpu;

namespace {

/// Lowers one contraction on buffers to scalar loops.
class ScalarContractionLoops {
public:
  ScalarContractionLoops(linalg::LinalgOp op, bool useFMA)
      : op(op), builder(op.getLoc(), op), useFMA(useFMA),
        position(op.getNumLoops()) {}

  void run() {
    SmallVector<unsigned> sums;
    for (auto [dim, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
      if (kind == utils::IteratorType::reduction)
        sums.push_back(dim);
      else
        openLoop(dim);
    }
    OpOperand *init = op.getDpsInitOperand(0);
    SmallVector<Value> place = indicesOf(*init);
    Value start = memref::LoadOp::create(builder, init->get(), place);
    Value total =
        sumBlockOf(op) != 0 ? sumTree(sums.front(), start) : sum(sums, start);
    memref::StoreOp::create(builder, total, init->get(), place);
    op->erase();
  }

private:
  Value at(int64_t index) {
    return arith::ConstantIndexOp::create(builder, index);
  }

  /// Returns the trip count of loop `dim`. If it is dynamic, emits a memref.dim
  /// of an operand that has a dimension indexed by the loop.
  Value boundOf(unsigned dim) {
    int64_t size = op.getStaticLoopRanges()[dim];
    if (!ShapedType::isDynamic(size))
      return at(size);
    AffineExpr expression = builder.getAffineDimExpr(dim);
    for (OpOperand &operand : op->getOpOperands())
      if (auto index =
              op.getMatchingIndexingMap(&operand).getResultPosition(expression))
        return memref::DimOp::create(builder, operand.get(), *index);
    llvm_unreachable("every loop of a linalg op has an operand's size");
  }

  /// Builds a loop over `dim`, and moves the insertion point into its body.
  void openLoop(unsigned dim) {
    auto loop = scf::ForOp::create(builder, at(0), boundOf(dim), at(1));
    position[dim] = loop.getInductionVar();
    builder.setInsertionPointToStart(loop.getBody());
  }

  /// Returns the indices at which the operand is accessed for the current
  /// indices of all loops.
  SmallVector<Value> indicesOf(OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    return *affine::expandAffineMap(builder, op.getLoc(), map, position);
  }

  /// Builds the sum over dimension `depth` as a tree of blocks, each of which
  /// starts from `start`.
  Value sumTree(unsigned depth, Value start) {
    int64_t size = sumBlockOf(op);
    auto sumBlock = [&](ImplicitLocOpBuilder &body, Value begin) {
      OpBuilder::InsertionGuard guard(builder);
      builder.restoreInsertionPoint(body.saveInsertionPoint());
      Value end = arith::AddIOp::create(builder, begin, at(size));
      Value total = sumRange(depth, {}, start, begin, end);
      body.restoreInsertionPoint(builder.saveInsertionPoint());
      return SmallVector<Value>{total};
    };
    return ::ingot::cpu::sumBlocks(builder, op.getStaticLoopRanges()[depth],
                                   size, start.getType(), sumBlock)
        .front();
  }

  /// Builds loops over the dimensions `sums` that add all products to `start`
  /// in ascending order, and returns the sum.
  Value sum(ArrayRef<unsigned> sums, Value start) {
    if (sums.empty())
      return multiplyAdd(start);
    return sumRange(sums.front(), sums.drop_front(), start, at(0),
                    boundOf(sums.front()));
  }

  /// Builds a loop over a range of dimension `dim`, with loops over the
  /// dimensions `inner` inside of it.
  Value sumRange(unsigned dim, ArrayRef<unsigned> inner, Value start,
                 Value begin, Value end) {
    auto loop =
        scf::ForOp::create(builder, begin, end, at(1), ValueRange{start});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    position[dim] = loop.getInductionVar();
    Value total = sum(inner, loop.getRegionIterArg(0));
    scf::YieldOp::create(builder, total);
    return loop.getResult(0);
  }

  /// Returns `total` plus the product at the current position, rounded once if
  /// the target has fused multiply-add.
  Value multiplyAdd(Value total) {
    IRMapping mapping;
    for (OpOperand *operand : op.getDpsInputOperands())
      mapping.map(
          op.getMatchingBlockArgument(operand),
          memref::LoadOp::create(builder, operand->get(), indicesOf(*operand)));
    auto add = cast<arith::AddFOp>(
        op.getBlock()->getTerminator()->getOperand(0).getDefiningOp());
    auto multiply = cast<arith::MulFOp>(add.getRhs().getDefiningOp());
    Value first = mapping.lookup(multiply.getLhs());
    Value second = mapping.lookup(multiply.getRhs());
    if (useFMA)
      return math::FmaOp::create(builder, first, second, total);
    return arith::AddFOp::create(builder, total,
                                 arith::MulFOp::create(builder, first, second));
  }

  linalg::LinalgOp op;
  ImplicitLocOpBuilder builder;
  bool useFMA;
  SmallVector<Value> position; // the current index, indexed by loop
};

struct LowerContractionsToLoops
    : ::ingot::cpu::impl::LowerContractionsToLoopsPassBase<
          LowerContractionsToLoops> {
  using LowerContractionsToLoopsPassBase::LowerContractionsToLoopsPassBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> products;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics() && ::ingot::kernels::isContraction(op))
        products.push_back(op);
    });
    for (linalg::LinalgOp op : products)
      ScalarContractionLoops(op, useFMA).run();
    numLowered += products.size();
  }
};

} // namespace
