//===- SinkTransposes.cpp - Sink transposes below elementwise ops ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/Passes.h"

#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/Debug.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_SINKTRANSPOSESPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

#define DEBUG_TYPE "ingot-cpu-sink-transposes"

using namespace mlir;

/// Whether a tensor with rows of few elements, which do not fill vectors of
/// `vectorBits` bits, is the transpose of one with longer rows.
static bool makesRowsShort(linalg::TransposeOp transpose, unsigned vectorBits) {
  auto type = dyn_cast<RankedTensorType>(transpose.getInit().getType());
  if (!type || type.getRank() != 2 || !type.hasStaticShape() ||
      transpose.getPermutation() != ArrayRef<int64_t>{1, 0})
    return false;
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  return columns < rows &&
         columns * type.getElementTypeBitWidth() % vectorBits != 0;
}

/// Whether `op` computes each element of its only result of the same element of
/// `transposed`, and of scalars and values for each row or column.
static bool isElementwiseOn(linalg::GenericOp op, Value transposed) {
  if (op.getNumResults() != 1 || op.getNumParallelLoops() != 2 ||
      op.getNumLoops() != 2 || op.hasIndexSemantics())
    return false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (input->get() == transposed ? !map.isIdentity()
                                   : map.getNumResults() > 1)
      return false;
  }
  OpOperand *init = op.getDpsInitOperand(0);
  return op.getMatchingIndexingMap(init).isIdentity() &&
         op.getMatchingBlockArgument(init).use_empty();
}

/// Computes `op` of what is transposed instead. Returns the transpose of its
/// result.
static linalg::TransposeOp sink(RewriterBase &rewriter,
                                linalg::TransposeOp transpose,
                                linalg::GenericOp op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  AffineMap swapped = AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0},
                                                   rewriter.getContext());
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    bool isTransposed = input->get() == transpose->getResult(0);
    inputs.push_back(isTransposed ? transpose.getInput() : input->get());
    AffineMap map = op.getMatchingIndexingMap(input);
    maps.push_back(isTransposed ? map : map.compose(swapped));
  }
  auto from = cast<RankedTensorType>(transpose.getInput().getType());
  Value init = op.getDpsInits().front();
  inits.push_back(tensor::EmptyOp::create(
      rewriter, loc, from.getShape(), getElementTypeOrSelf(init.getType())));
  maps.push_back(rewriter.getMultiDimIdentityMap(2));
  auto computed = linalg::GenericOp::create(
      rewriter, loc, TypeRange(ValueRange(inits)), inputs, inits, maps,
      op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op.getRegion(), computed.getRegion(),
                              computed.getRegion().begin());
  auto last = linalg::TransposeOp::create(rewriter, loc, computed->getResult(0),
                                          init, transpose.getPermutation());
  rewriter.replaceOp(op, last->getResult(0));
  rewriter.eraseOp(transpose);
  return last;
}

namespace {
struct SinkTransposes
    : ::ingot::cpu::impl::SinkTransposesPassBase<SinkTransposes> {
  using SinkTransposesPassBase::SinkTransposesPassBase;

  void runOnOperation() override {
    SmallVector<linalg::TransposeOp> transposes;
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(host::kernelAttrName))
        kernel.walk([&](linalg::TransposeOp op) {
          if (makesRowsShort(op, vectorBits))
            transposes.push_back(op);
        });
    IRRewriter rewriter(&getContext());
    for (linalg::TransposeOp transpose : transposes)
      while (transpose->hasOneUse()) {
        Value transposed = transpose->getResult(0);
        auto op = dyn_cast<linalg::GenericOp>(*transposed.user_begin());
        if (!op || op->getBlock() != transpose->getBlock() ||
            !isElementwiseOn(op, transposed))
          break;
        LLVM_DEBUG(llvm::dbgs()
                   << "compute before a transpose: " << op << '\n');
        transpose = sink(rewriter, transpose, op);
        ++numSunk;
      }
  }
};
} // namespace
