//===- Differentiate.cpp - Reverse-mode differentiation -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/Differentiate.h"

#include "compiler/Graph/Passes.h"
#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/Gradients/ReverseModeAD.h"

namespace ingot::graph {
#define GEN_PASS_DEF_DIFFERENTIATEPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

FailureOr<SmallVector<Value>> differentiate(OpBuilder &builder,
                                            ValueRange outputs,
                                            ValueRange weights,
                                            ValueRange inputs) {
  return differentiateBlock(builder, outputs, weights, inputs,
                            DerivativeKind::total);
}

} // namespace ingot::graph

namespace {

class DifferentiatePass
    : public ::ingot::graph::impl::DifferentiatePassBase<DifferentiatePass> {
public:
  void runOnOperation() override {
    SmallVector<GradientsOp> ops;
    getOperation().walk([&](GradientsOp op) { ops.push_back(op); });
    bool isGood = true;
    for (GradientsOp op : ops)
      isGood &= succeeded(expand(op));
    if (!isGood)
      return signalPassFailure();
    numDifferentiated += ops.size();
    // Differentiation is done, so replace ops that only affect differentiation
    // by their first operands.
    getOperation().walk([](Operation *op) {
      if (!isa<StopGradientOp, StraightThroughOp>(op))
        return;
      op->replaceAllUsesWith(op->getOperands().take_front());
      op->erase();
    });
  }

private:
  static LogicalResult expand(GradientsOp op) {
    OpBuilder builder(op);
    FailureOr<SmallVector<Value>> found = ::ingot::graph::differentiate(
        builder, op.getOutputs(), op.getWeights(), op.getInputs());
    if (failed(found))
      return failure();
    Gradients g(builder);
    for (auto [input, gradient] : llvm::zip(op.getInputs(), *found))
      if (!gradient)
        gradient = g.zeros(input);
    op.replaceAllUsesWith(*found);
    op.erase();
    return success();
  }
};

} // namespace
