//===- ControlGradients.cpp - Gradients of branches -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/Gradients/ReverseModeAD.h"
#include "dialects/Ingot/IR/ControlOps.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ingot {

namespace {

/// Differentiates an ingot.if: its gradient is an ingot.if on the same
/// condition, whose branches compute the values of the original branches again
/// and then their derivatives.
class IfDifferentiator {
public:
  IfDifferentiator(IfOp op, Gradients &g) : op(op), g(g) {
    llvm::SetVector<Value> above;
    getUsedValuesDefinedAbove(op->getRegions(), above);
    for (Value value : above)
      if (g.wants(value))
        inputs.push_back(value);
    for (OpResult result : op->getResults())
      if (g.reaches(result)) {
        numbers.push_back(result.getResultNumber());
        weights.push_back(g.of(result));
      }
  }

  void differentiate() {
    OpBuilder &builder = g.getBuilder();
    auto gradient = IfOp::create(
        builder, g.getLoc(), ValueRange(inputs).getTypes(), op.getCondition());
    if (failed(goBack(op.getThenBranch(), gradient.getThenBranch())) ||
        failed(goBack(op.getElseBranch(), gradient.getElseBranch())))
      return g.refuse("an op in one of the branches has no gradient");
    for (auto [input, result] : llvm::zip(inputs, gradient.getResults()))
      g.add(input, result);
  }

private:
  LogicalResult goBack(Region &from, Region &to) {
    OpBuilder builder = OpBuilder::atBlockEnd(&to.emplaceBlock());
    IRMapping copies;
    Block &block = from.front();
    for (Operation &each : block.without_terminator())
      builder.clone(each, copies);
    SmallVector<Value> outputs;
    for (unsigned number : numbers)
      outputs.push_back(
          copies.lookupOrDefault(block.getTerminator()->getOperand(number)));
    FailureOr<SmallVector<Value>> found = differentiateBlock(
        builder, outputs, weights, inputs, DerivativeKind::partial);
    SmallVector<Value> results;
    Gradients zeros(builder);
    for (auto [i, input] : llvm::enumerate(inputs)) {
      Value value = succeeded(found) ? (*found)[i] : Value();
      results.push_back(value ? value : Value(zeros.zeros(input)));
    }
    ResultOp::create(builder, g.getLoc(), results);
    return found;
  }

  IfOp op;
  Gradients &g;
  SmallVector<Value> inputs, weights;
  SmallVector<unsigned> numbers;
};

} // namespace

static void differentiate(IfOp op, Gradients &g) {
  // An ingot.if with side effects has no gradient: its gradient would compute
  // the branches again, and repeat their side effects.
  if (!isMemoryEffectFree(op))
    return g.refuse(
        "the branches have side effects, which the gradient would repeat");
  IfDifferentiator(op, g).differentiate();
}

/// Reports that a loop has no gradient: computing it would need the values of
/// all iterations, which are not stored.
static void differentiate(WhileOp op, Gradients &g) {
  g.refuse("gradients of loops are not supported");
}

/// Adds no gradient to the input of stop_gradient. If the op was imported from
/// a TensorFlow op that refuses differentiation, reports the attribute
/// `refusal`.
static void differentiate(StopGradientOp op, Gradients &g) {
  if (std::optional<StringRef> text = op.getRefusal())
    g.refuse(*text);
}

static void differentiate(StraightThroughOp op, Gradients &g) {
  g.add(op.getSurrogate(), g.of(op));
}

void attachControlGradients(MLIRContext &context) {
  attachGradientsOf<IfOp, StraightThroughOp>(context);
  attachRefusals<WhileOp, StopGradientOp>(context);
}

} // namespace mlir::ingot
