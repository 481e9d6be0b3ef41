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

/// What a kernel returns is computed in its destination rather than copied
/// there: the uninitialized tensor at the bottom of the computation is
/// replaced by the kernel's argument.
static void useDestinations(func::FuncOp kernel) {
  Operation *terminator = kernel.getBody().front().getTerminator();
  unsigned inputs = kernel.getNumArguments() - terminator->getNumOperands();
  for (auto [index, value] : llvm::enumerate(terminator->getOperands())) {
    BlockArgument destination = kernel.getArgument(inputs + index);
    // An argument that is read already is a variable, updated in place.
    if (!destination.use_empty() || destination.getType() != value.getType())
      continue;
    OpResult result = dyn_cast<OpResult>(value);
    while (result) {
      auto op = dyn_cast<linalg::LinalgOp>(result.getOwner());
      if (!op)
        break;
      OpOperand *init = op.getDpsInitOperand(result.getResultNumber());
      if (init->get().getDefiningOp<tensor::EmptyOp>()) {
        init->set(destination);
        break;
      }
      result = dyn_cast<OpResult>(init->get());
      if (result && !result.hasOneUse())
        break;
    }
  }
}

namespace {
struct LowerToLinalg
    : ::ingot::lower::impl::LowerToLinalgPassBase<LowerToLinalg> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    ::ingot::lower::populateElementwisePatterns(patterns);
    ::ingot::lower::populateReductionPatterns(patterns);
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
      WalkResult unlowered = kernel.walk([](Operation *op) {
        if (!isa<IngotDialect>(op->getDialect()))
          return WalkResult::advance();
        op->emitError("no lowering for this use of '")
            << op->getName().stripDialect() << "'";
        return WalkResult::interrupt();
      });
      if (unlowered.wasInterrupted())
        return signalPassFailure();
      useDestinations(kernel);
    }
  }
};
} // namespace
