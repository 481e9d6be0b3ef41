//===- WidenGEMMOperands.cpp - 16-bit operands in f32 ---------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// In a trainer for GPUs, GEMMs may read 16-bit factors, because the GPU's
// tensor cores multiply them (TargetPolicy::widensGEMMs,
// MaterializeRoundedGEMMOperands.cpp). On CPUs, register tiles support only f32
// factors. So, before such a GEMM, an elementwise op converts the factors to
// f32. The conversion is exact.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_WIDENGEMMOPERANDSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;

/// If `value` is a conversion of a block argument, returns the argument.
/// Returns null otherwise.
static BlockArgument widenedArgument(Value value) {
  auto widened = value.getDefiningOp<arith::ExtFOp>();
  return widened ? dyn_cast<BlockArgument>(widened.getIn()) : nullptr;
}

/// Whether the op adds up products of two factors, which its body converts from
/// 16 bits, and does nothing else.
static bool sumsProductsOf16Bits(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() == 0 ||
      op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return false;
  // Two conversions, a product, a sum and the terminator.
  Block *body = op.getBlock();
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  auto multiply = add ? add.getRhs().getDefiningOp<arith::MulFOp>() : nullptr;
  return multiply && body->getOperations().size() == 5 &&
         add.getLhs() == body->getArgument(2) &&
         widenedArgument(multiply.getLhs()) == body->getArgument(0) &&
         widenedArgument(multiply.getRhs()) == body->getArgument(1);
}

/// Builds an op that converts all elements of `value` to `type`.
static Value convert(ImplicitLocOpBuilder &b, Value value, Type type) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  Value result = tensor::EmptyOp::create(
      b, tensor::getMixedSizes(b, b.getLoc(), value), type);
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, result.getType(), value, result,
             ArrayRef<AffineMap>{identity, identity}, loops,
             [&](OpBuilder &nested, Location loc, ValueRange elements) {
               linalg::YieldOp::create(
                   nested, loc,
                   Value(arith::ExtFOp::create(nested, loc, type,
                                               elements.front())));
             })
      .getResult(0);
}

static void widen(linalg::GenericOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  for (OpOperand *factor : op.getDpsInputOperands()) {
    BlockArgument element = op.getMatchingBlockArgument(factor);
    Operation *widened = *element.user_begin();
    Type type = widened->getResult(0).getType();
    factor->set(convert(b, factor->get(), type));
    element.setType(type);
    widened->getResult(0).replaceAllUsesWith(element);
    widened->erase();
  }
}

namespace {
struct WidenGEMMOperands
    : ::ingot::cpu::impl::WidenGEMMOperandsPassBase<WidenGEMMOperands> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> products;
    getOperation().walk([&](linalg::GenericOp op) {
      if (sumsProductsOf16Bits(op))
        products.push_back(op);
    });
    llvm::for_each(products, widen);
    numWidened += products.size();
  }
};
} // namespace
