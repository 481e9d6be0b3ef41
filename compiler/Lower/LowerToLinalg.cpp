//===- LowerToLinalg.cpp - Kernels in linalg on tensors -------------------===//

#include "compiler/Lower/Patterns.h"

#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace ingot::lower {
#define GEN_PASS_DEF_LOWERTOLINALGPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

using namespace mlir;
using namespace mlir::ingot;

/// A lowering may know more of a shape than the kernel's type says.
static void castResults(func::FuncOp kernel) {
  Operation *terminator = kernel.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  for (auto [index, type] : llvm::enumerate(kernel.getResultTypes()))
    if (Value value = terminator->getOperand(index); value.getType() != type)
      terminator->setOperand(
          index, tensor::CastOp::create(builder, kernel.getLoc(), type, value));
}

namespace {
struct LowerToLinalg
    : ::ingot::lower::impl::LowerToLinalgPassBase<LowerToLinalg> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    ::ingot::lower::populateBroadcastPatterns(patterns);
    ::ingot::lower::populateElementwisePatterns(patterns);
    ::ingot::lower::populateOptimizerPatterns(patterns);
    ::ingot::lower::populateReductionPatterns(patterns);
    ::ingot::lower::populateArrayPatterns(patterns);
    ::ingot::lower::populateIndexingPatterns(patterns);
    ::ingot::lower::populateMatrixPatterns(patterns);
    ::ingot::lower::populateRearrangePatterns(patterns);
    ::ingot::lower::populateShapePatterns(patterns);
    ::ingot::lower::populateNNPatterns(patterns);
    ::ingot::lower::populateRandomPatterns(patterns);
    FrozenRewritePatternSet frozen(std::move(patterns));
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(host::kernelAttrName))
        continue;
      walkAndApplyPatterns(kernel, frozen);
      // Constants last: the lowerings read axes and shapes from them.
      kernel.walk([](ConstantOp constant) {
        if (constant->use_empty()) {
          constant.erase();
          return;
        }
        OpBuilder builder(constant);
        constant.replaceAllUsesWith(
            arith::ConstantOp::create(builder, constant.getLoc(),
                                      cast<TypedAttr>(constant.getValueAttr()))
                .getResult());
        constant.erase();
      });
      castResults(kernel);
      WalkResult unlowered = kernel.walk([](Operation *op) {
        if (!isa<IngotDialect>(op->getDialect()))
          return WalkResult::advance();
        op->emitError("no lowering for this use of '")
            << op->getName().stripDialect() << "'";
        return WalkResult::interrupt();
      });
      if (unlowered.wasInterrupted())
        return signalPassFailure();
    }
  }
};
} // namespace
