//===- FuseElementwise.cpp - Chains of elementwise ops become one ---------===//

#include "codegen/CPU/Passes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_FUSEELEMENTWISEPASS
#include "codegen/CPU/Passes.h.inc"

bool isProduct(mlir::linalg::LinalgOp op) {
  if (op.getNumLoops() != 3 || op.getNumParallelLoops() != 2 ||
      op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return false;
  auto yield =
      llvm::cast<mlir::linalg::YieldOp>(op.getBlock()->getTerminator());
  auto add = yield.getOperand(0).getDefiningOp<mlir::arith::AddFOp>();
  return add && add.getRhs().getDefiningOp<mlir::arith::MulFOp>() &&
         add.getLhs() == op.getBlock()->getArgument(2) &&
         op.getBlock()->getOperations().size() == 3;
}
} // namespace ingot::cpu

using namespace mlir;

/// Whether the op that computes `operand` may be computed where it is used.
static bool isWorthFusing(OpOperand *operand) {
  auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
  return consumer && producer && !::ingot::cpu::isProduct(consumer) &&
         producer->hasOneUse() &&
         (producer.getNumLoops() != 0 || consumer.getNumLoops() == 0);
}

namespace {
struct FuseElementwise
    : ::ingot::cpu::impl::FuseElementwisePassBase<FuseElementwise> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(patterns, isWorthFusing);
    FrozenRewritePatternSet frozen(std::move(patterns));
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(host::kernelAttrName) &&
          failed(applyPatternsGreedily(kernel, frozen)))
        return signalPassFailure();
  }
};
} // namespace
