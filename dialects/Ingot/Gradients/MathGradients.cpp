//===- MathGradients.cpp - Gradients of arithmetic ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/ActivationOps.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"

namespace mlir::ingot {

static void differentiate(AbsOp op, Gradients &g) {
  g.add(op.getInput(), g.of(op) * g.make<SignOp>(op.getInput()));
}
static void differentiate(NegOp op, Gradients &g) {
  g.add(op.getInput(), -g.of(op));
}
static void differentiate(SqrtOp op, Gradients &g) {
  g.add(op.getInput(), g.make<SqrtGradOp>({op, g.of(op)}));
}
static void differentiate(SquareOp op, Gradients &g) {
  g.add(op.getInput(), g.of(op) * (g.conj(op.getInput()) * 2.0));
}
static void differentiate(ExpOp op, Gradients &g) {
  g.add(op.getInput(), g.of(op) * g.conj(op));
}
static void differentiate(LogOp op, Gradients &g) {
  g.add(op.getInput(),
        g.of(op) * g.make<ReciprocalOp>({g.conj(op.getInput())}));
}
static void differentiate(TanhOp op, Gradients &g) {
  g.add(op.getInput(), g.make<TanhGradOp>({g.conj(op), g.of(op)}));
}
static void differentiate(ReluOp op, Gradients &g) {
  g.add(op.getInput(), g.make<ReluGradOp>({g.of(op), op}));
}
static void differentiate(ReluGradOp op, Gradients &g) {
  if (g.wants(op.getLhs()))
    g.addBroadcast(op.getLhs(), g.make<ReluGradOp>({g.of(op), op.getRhs()}));
}

static void differentiate(AddOp op, Gradients &g) {
  g.addBroadcast(op.getLhs(), g.of(op));
  g.addBroadcast(op.getRhs(), g.of(op));
}
static void differentiate(SubOp op, Gradients &g) {
  g.addBroadcast(op.getLhs(), g.of(op));
  if (g.wants(op.getRhs()))
    g.addBroadcast(op.getRhs(), -g.of(op));
}
static void differentiate(MulOp op, Gradients &g) {
  if (g.wants(op.getLhs()))
    g.addBroadcast(op.getLhs(), g.of(op) * g.conj(op.getRhs()));
  if (g.wants(op.getRhs()))
    g.addBroadcast(op.getRhs(), g.of(op) * g.conj(op.getLhs()));
}
static void differentiate(RealDivOp op, Gradients &g) {
  if (g.wants(op.getLhs()))
    g.addBroadcast(op.getLhs(), g.of(op) / g.conj(op.getRhs()));
  if (g.wants(op.getRhs())) {
    GradientExpression x = g.conj(op.getLhs()), y = g.conj(op.getRhs());
    g.addBroadcast(op.getRhs(), g.of(op) * (-x / y / y));
  }
}
static void differentiate(DivNoNanOp op, Gradients &g) {
  if (!g.wants(op.getLhs()) && !g.wants(op.getRhs()))
    return;
  GradientExpression x = g.conj(op.getLhs()), y = g.conj(op.getRhs());
  if (g.wants(op.getLhs()))
    g.addBroadcast(op.getLhs(), g.make<DivNoNanOp>({g.of(op), y}));
  if (g.wants(op.getRhs()))
    g.addBroadcast(op.getRhs(),
                   g.of(op) *
                       g.make<DivNoNanOp>({g.make<DivNoNanOp>({-x, y}), y}));
}

/// Adds the gradient to `first` for elements where `takesFirst` is true, and to
/// `second` for the others.
static void addChosen(Value first, Value second, Value takesFirst,
                      GradientExpression dy, Gradients &g) {
  GradientExpression zero = g.number(dy, 0.0);
  if (g.wants(first))
    g.addBroadcast(first, g.select(takesFirst, dy, zero));
  if (g.wants(second))
    g.addBroadcast(second, g.select(takesFirst, zero, dy));
}
static void differentiate(MaximumOp op, Gradients &g) {
  addChosen(op.getLhs(), op.getRhs(),
            g.make<GreaterEqualOp>({op.getLhs(), op.getRhs()}), g.of(op), g);
}
static void differentiate(MinimumOp op, Gradients &g) {
  addChosen(op.getLhs(), op.getRhs(),
            g.make<LessEqualOp>({op.getLhs(), op.getRhs()}), g.of(op), g);
}
static void differentiate(SelectOp op, Gradients &g) {
  addChosen(op.getThenValue(), op.getElseValue(), op.getCondition(), g.of(op),
            g);
}

static void differentiate(SquaredDifferenceOp op, Gradients &g) {
  GradientExpression dx = g.of(op) * 2.0 * (g.term(op.getLhs()) - op.getRhs());
  g.addBroadcast(op.getLhs(), dx);
  if (g.wants(op.getRhs()))
    g.addBroadcast(op.getRhs(), -dx);
}

static void differentiate(AddNOp op, Gradients &g) {
  for (Value input : op.getInputs())
    g.add(input, g.of(op));
}

static void differentiate(CastOp op, Gradients &g) {
  auto type = cast<ShapedType>(op.getInput().getType());
  g.add(op.getInput(), g.cast(g.of(op), type.getElementType()));
}

void attachMathGradients(MLIRContext &context) {
  attachGradientsOf<AbsOp, NegOp, SqrtOp, SquareOp, ExpOp, LogOp, TanhOp,
                    ReluOp, ReluGradOp, AddOp, SubOp, MulOp, RealDivOp,
                    DivNoNanOp, MaximumOp, MinimumOp, SelectOp,
                    SquaredDifferenceOp, AddNOp, CastOp>(context);
  attachNoGradients<SignOp>(context);
}

} // namespace mlir::ingot
