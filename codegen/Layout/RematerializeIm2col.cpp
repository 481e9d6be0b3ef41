//===- RematerializeIm2col.cpp - An im2col op for each GEMM ---------------===//
// SPDX-License-Identifier: Apache-2.0
//
// im2col only copies elements, so computing it again in each GEMM costs less
// than storing and reading its matrix, which has each element of the image
// about as many times as the window has taps. An im2col with a single user can
// be outlined with its GEMM into one kernel, which the target tiles (CPU) or
// reads as an implicit GEMM (GPU).
//
//===----------------------------------------------------------------------===//

#include "codegen/Layout/RematerializeIm2col.h"
#include "codegen/Layout/Passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/Debug.h"

namespace ingot::layout {
#define GEN_PASS_DEF_REMATERIALIZEIM2COLPASS
#include "codegen/Layout/Passes.h.inc"

#define DEBUG_TYPE "ingot-rematerialize-im2col"

using namespace mlir;
using namespace mlir::ingot;

Im2colMatrix fusibleIm2colOf(MatMulOp matmul, const TargetPolicy &policy) {
  auto matrix = matmul.getA().getDefiningOp<ReshapeOp>();
  auto patches =
      matrix ? matrix.getInput().getDefiningOp<ExtractPatchesOp>() : nullptr;
  if (!patches || policy.maxPatchDepth == 0)
    return {};
  auto from = cast<RankedTensorType>(patches.getType());
  auto to = cast<RankedTensorType>(matrix.getType());
  auto result = cast<RankedTensorType>(matmul.getType());
  Type element = from.getElementType();
  // The batch size may be dynamic. Height and width may be dynamic,
  // too, if the policy allows it.
  unsigned leading = policy.fusesDynamicIm2col ? 3 : 1;
  bool isKnown =
      !ShapedType::isDynamicShape(from.getShape().drop_front(leading)) &&
      to.getRank() == 2 && !to.isDynamicDim(1) && !result.isDynamicDim(1) &&
      from.hasStaticShape() == to.hasStaticShape();
  if (!isKnown || !(element.isF32() || element.isF64()) ||
      to.getDimSize(1) != from.getDimSize(3) * from.getDimSize(4) ||
      llvm::is_contained(from.getShape(), 0) ||
      llvm::is_contained(result.getShape(), 0))
    return {};
  if (!matmul.getTransposeA() && to.getDimSize(1) > policy.maxPatchDepth)
    return {};
  return {patches, matrix};
}

} // namespace ingot::layout

using namespace mlir;
using namespace mlir::ingot;

namespace {
struct RematerializeIm2col
    : ::ingot::layout::impl::RematerializeIm2colPassBase<RematerializeIm2col> {
  using RematerializeIm2colPassBase::RematerializeIm2colPassBase;

  void runOnOperation() override {
    SmallVector<MatMulOp> products;
    getOperation().walk([&](MatMulOp matmul) { products.push_back(matmul); });
    for (MatMulOp matmul : products) {
      auto [patches, matrix] = ::ingot::layout::fusibleIm2colOf(matmul, policy);
      if (!matrix || (patches->hasOneUse() && matrix->hasOneUse()))
        continue;
      LLVM_DEBUG(llvm::dbgs()
                 << "clone the im2col at " << patches->getLoc()
                 << " for the GEMM at " << matmul.getLoc() << '\n');
      ++numCloned;
      OpBuilder builder(matmul);
      IRMapping mapping;
      // The clone is part of the GEMM's computation, which may be in the
      // backward pass. So it has the location of the GEMM, and not that of the
      // original im2col in the forward pass.
      for (Operation *op : {patches.getOperation(), matrix.getOperation()})
        builder.clone(*op, mapping)->setLoc(matmul.getLoc());
      matmul.getAMutable().assign(mapping.lookup(matrix.getResult()));
      for (Operation *op : {matrix.getOperation(), patches.getOperation()})
        if (op->use_empty())
          op->erase();
    }
  }
};
} // namespace
