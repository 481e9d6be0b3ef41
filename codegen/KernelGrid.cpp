//===- KernelGrid.cpp - Trip counts as linear expressions -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/KernelGrid.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace ingot::codegen {

int64_t slotOfSize(BlockArgument argument, int64_t dim) {
  int64_t slot = 0;
  for (BlockArgument before : argument.getOwner()->getArguments()) {
    auto type = cast<MemRefType>(before.getType());
    if (before == argument)
      return slot + 1 + type.getDynamicDimIndex(dim);
    slot += 1 + type.getNumDynamicDims();
  }
  llvm_unreachable("an argument is one of its block's");
}

namespace {

/// Expresses sizes as linear expressions in slots of a kernel's argument table.
class LinearSizeExpressionBuilder {
public:
  /// Adds `factor * value` to `sum`. Returns false if `value` is not a linear
  /// expression in the sizes of the kernel's arguments.
  bool add(Value value, int64_t factor, Grid &sum) const {
    IntegerAttr constant;
    if (matchPattern(value, m_Constant(&constant))) {
      sum.base += factor * constant.getInt();
      return true;
    }
    Operation *op = value.getDefiningOp();
    if (auto dim = dyn_cast_or_null<memref::DimOp>(op))
      return addSize(dim, factor, sum);
    if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op))
      return addAffine(apply.getAffineMap().getResult(0), apply, factor, sum);
    if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op))
      return add(op->getOperand(0), factor, sum) &&
             add(op->getOperand(1), isa<arith::SubIOp>(op) ? -factor : factor,
                 sum);
    if (auto product = dyn_cast_or_null<arith::MulIOp>(op))
      for (unsigned side : {0u, 1u})
        if (matchPattern(product->getOperand(side), m_Constant(&constant)))
          return add(product->getOperand(1 - side), factor * constant.getInt(),
                     sum);
    return false;
  }

private:
  /// Adds `factor` times the size of an argument to `sum`. A static size is
  /// added to the constant part of `sum`. A dynamic size becomes a term, with
  /// its slot in the kernel's argument table.
  bool addSize(memref::DimOp dim, int64_t factor, Grid &sum) const {
    auto argument = dyn_cast<BlockArgument>(dim.getSource());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (!argument || !index || !argument.getOwner()->isEntryBlock())
      return false;
    auto type = cast<MemRefType>(argument.getType());
    if (!type.isDynamicDim(*index)) {
      sum.base += factor * type.getDimSize(*index);
      return true;
    }
    sum.terms.push_back({slotOfSize(argument, *index), factor});
    return true;
  }

  /// Adds `factor` times the result of an affine.apply to `sum`. Returns false
  /// unless its expression consists of sums and of products with constants
  /// only.
  bool addAffine(AffineExpr expression, affine::AffineApplyOp apply,
                 int64_t factor, Grid &sum) const {
    if (auto constant = dyn_cast<AffineConstantExpr>(expression)) {
      sum.base += factor * constant.getValue();
      return true;
    }
    if (auto dim = dyn_cast<AffineDimExpr>(expression))
      return add(apply.getOperand(dim.getPosition()), factor, sum);
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
      return add(apply.getOperand(apply.getAffineMap().getNumDims() +
                                  symbol.getPosition()),
                 factor, sum);
    auto binary = cast<AffineBinaryOpExpr>(expression);
    if (binary.getKind() == AffineExprKind::Add)
      return addAffine(binary.getLHS(), apply, factor, sum) &&
             addAffine(binary.getRHS(), apply, factor, sum);
    auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
    return binary.getKind() == AffineExprKind::Mul && constant &&
           addAffine(binary.getLHS(), apply, factor * constant.getValue(), sum);
  }
};

} // namespace

bool addLinear(Value size, int64_t factor, Grid &sum) {
  return LinearSizeExpressionBuilder().add(size, factor, sum);
}

std::optional<Grid> gridOf(scf::ForOp loop) {
  LinearSizeExpressionBuilder sizes;
  IntegerAttr step;
  Grid grid;
  grid.base = 0;
  if (!matchPattern(loop.getStep(), m_Constant(&step)) || step.getInt() <= 0 ||
      !sizes.add(loop.getUpperBound(), 1, grid) ||
      !sizes.add(loop.getLowerBound(), -1, grid))
    return std::nullopt;
  grid.step = step.getInt();
  return grid;
}

} // namespace ingot::codegen
