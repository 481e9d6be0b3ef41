//===- LowerViews.cpp - Reshapes between kernels --------------------------===//

#include "compiler/Lower/Patterns.h"

#include "dialects/Ingot/Reshapes.h"

namespace ingot::lower {
#define GEN_PASS_DEF_LOWERVIEWSPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

using namespace mlir;
using namespace mlir::ingot;

namespace {
struct LowerViews : ::ingot::lower::impl::LowerViewsPassBase<LowerViews> {
  void runOnOperation() override {
    SmallVector<Operation *> reshapes;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto function = dyn_cast<func::FuncOp>(op);
          function && function->hasAttr(host::kernelAttrName))
        return WalkResult::skip();
      if (isReshape(op))
        reshapes.push_back(op);
      return WalkResult::advance();
    });
    for (Operation *op : reshapes) {
      OpBuilder builder(op);
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      op->getResult(0).replaceAllUsesWith(::ingot::lower::reshaped(
          builder, op->getLoc(), op->getOperand(0), type.getShape()));
      op->erase();
    }
  }
};
} // namespace
