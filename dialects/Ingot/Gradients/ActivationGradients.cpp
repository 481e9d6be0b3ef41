//===- ActivationGradients.cpp - Gradients of activations -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/ActivationOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"

namespace mlir::ingot {

static void differentiate(SigmoidOp op, Gradients &g) {
  g.add(op.getInput(), g.make<SigmoidGradOp>({g.conj(op), g.of(op)}));
}
static void differentiate(Relu6Op op, Gradients &g) {
  g.add(op.getInput(), g.make<Relu6GradOp>({g.of(op), op}));
}
static void differentiate(EluOp op, Gradients &g) {
  g.add(op.getInput(), g.make<EluGradOp>({g.of(op), op}));
}
static void differentiate(SeluOp op, Gradients &g) {
  g.add(op.getInput(), g.make<SeluGradOp>({g.of(op), op}));
}
static void differentiate(SoftplusOp op, Gradients &g) {
  g.add(op.getInput(), g.of(op) * g.make<SigmoidOp>(op.getInput()));
}
static void differentiate(SoftsignOp op, Gradients &g) {
  g.add(op.getInput(), g.make<SoftsignGradOp>({g.of(op), op.getInput()}));
}
static void differentiate(LeakyReluOp op, Gradients &g) {
  g.add(op.getInput(), g.make<LeakyReluGradOp>({g.of(op), op.getInput()},
                                               op.getOperation()->getAttrs()));
}

// The following functions differentiate gradient ops such as sqrt_grad, which
// makes second derivatives possible. Depending on the op, its first operand is
// the result of the function (such as sqrt), or the gradient of this result.

static void differentiate(SqrtGradOp op, Gradients &g) {
  GradientExpression ga = g.of(op) / op.getLhs();
  g.addBroadcast(op.getLhs(), -ga * op);
  g.addBroadcast(op.getRhs(), ga * 0.5);
}
static void differentiate(RsqrtGradOp op, Gradients &g) {
  Value y = op.getLhs();
  g.addBroadcast(y, g.of(op) * -1.5 * op.getRhs() * g.make<SquareOp>(y));
  g.addBroadcast(op.getRhs(), g.make<RsqrtGradOp>({y, g.of(op)}));
}
static void differentiate(ReciprocalGradOp op, Gradients &g) {
  Value y = op.getLhs();
  g.addBroadcast(y, g.of(op) * -2.0 * op.getRhs() * y);
  g.addBroadcast(op.getRhs(), g.make<ReciprocalGradOp>({y, g.of(op)}));
}
static void differentiate(TanhGradOp op, Gradients &g) {
  Value y = op.getLhs();
  g.addBroadcast(y, g.of(op) * -2.0 * op.getRhs() * y);
  g.addBroadcast(op.getRhs(), g.make<TanhGradOp>({y, g.of(op)}));
}
static void differentiate(SigmoidGradOp op, Gradients &g) {
  Value y = op.getLhs();
  GradientExpression gb = g.of(op) * op.getRhs();
  g.addBroadcast(y, gb - gb * 2.0 * y);
  g.addBroadcast(op.getRhs(), g.make<SigmoidGradOp>({y, g.of(op)}));
}
static void differentiate(Relu6GradOp op, Gradients &g) {
  g.addBroadcast(op.getLhs(), g.make<Relu6GradOp>({g.of(op), op.getRhs()}));
}
static void differentiate(LeakyReluGradOp op, Gradients &g) {
  g.addBroadcast(op.getLhs(),
                 g.make<LeakyReluGradOp>({g.of(op), op.getRhs()},
                                         op.getOperation()->getAttrs()));
}
/// Differentiates the gradient op of elu or selu. Below zero, the derivative of
/// either function is the function's value plus a constant. `y` is the
/// function's result.
template <typename OpTy>
static void differentiateExponential(OpTy op, Gradients &g) {
  Value dy = op.getLhs(), y = op.getRhs();
  g.addBroadcast(dy, g.make<OpTy>({g.of(op), y}));
  GradientExpression isNegative = g.make<LessOp>({y, g.number(y, 0.0)});
  g.addBroadcast(y, g.select(isNegative, g.of(op) * dy, g.number(y, 0.0)));
}
static void differentiate(EluGradOp op, Gradients &g) {
  differentiateExponential(op, g);
}
static void differentiate(SeluGradOp op, Gradients &g) {
  differentiateExponential(op, g);
}
static void differentiate(SoftplusGradOp op, Gradients &g) {
  GradientExpression dy = g.term(op.getLhs()), x = g.term(op.getRhs());
  g.addBroadcast(dy, g.make<SoftplusGradOp>({g.of(op), x}));
  g.addBroadcast(x, g.of(op) * dy /
                        (g.make<ExpOp>({-x}) + 2.0 + g.make<ExpOp>({x})));
}

void attachActivationGradients(MLIRContext &context) {
  // SoftsignGradOp is not in this list, because TensorFlow has no gradient of
  // it.
  attachGradientsOf<SigmoidOp, Relu6Op, EluOp, SeluOp, SoftplusOp, SoftsignOp,
                    LeakyReluOp, SqrtGradOp, RsqrtGradOp, ReciprocalGradOp,
                    TanhGradOp, SigmoidGradOp, Relu6GradOp, LeakyReluGradOp,
                    EluGradOp, SeluGradOp, SoftplusGradOp>(context);
}

} // namespace mlir::ingot
