//===- SpecialGradients.cpp - Gradients of special functions --------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The derivatives are those of TensorFlow, which has none with respect to the
// order of polygamma, the exponent of zeta and the parameters of betainc.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/SpecialOps.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ingot {

/// Returns `slope`, but `atZero` where `x` is 0, because `slope` divides by 0
/// there.
static GradientExpression exceptAtZero(GradientExpression x, double atZero,
                                       GradientExpression slope, Gradients &g) {
  return g.select(g.make<EqualOp>({x, g.number(x, 0.0)}), g.number(x, atZero),
                  slope);
}

static void differentiate(BesselI0Op op, Gradients &g) {
  g.add(op.getInput(), g.of(op) * g.make<BesselI1Op>(op.getInput()));
}
/// At 0, uses 1 as the derivative of I1, as TensorFlow does, although the exact
/// value is 1/2.
static void differentiate(BesselI1Op op, Gradients &g) {
  GradientExpression x = g.term(op.getInput());
  g.add(x, g.of(op) * exceptAtZero(
                          x, 1.0, g.make<BesselI0Op>({x}) - g.term(op) / x, g));
}
static void differentiate(BesselJ0Op op, Gradients &g) {
  g.add(op.getInput(), g.of(op) * -g.make<BesselJ1Op>(op.getInput()));
}
static void differentiate(BesselJ1Op op, Gradients &g) {
  GradientExpression x = g.term(op.getInput());
  g.add(x, g.of(op) * exceptAtZero(
                          x, 0.5, g.make<BesselJ0Op>({x}) - g.term(op) / x, g));
}
static void differentiate(BesselK0Op op, Gradients &g) {
  g.add(op.getInput(), g.of(op) * -g.make<BesselK1Op>(op.getInput()));
}
static void differentiate(BesselK0eOp op, Gradients &g) {
  g.add(op.getInput(),
        g.of(op) * (g.term(op) - g.make<BesselK1eOp>(op.getInput())));
}
static void differentiate(BesselK1Op op, Gradients &g) {
  GradientExpression x = g.term(op.getInput());
  g.add(x, g.of(op) * (-g.make<BesselK0Op>({x}) - g.term(op) / x));
}
static void differentiate(BesselK1eOp op, Gradients &g) {
  GradientExpression x = g.term(op.getInput());
  GradientExpression slope =
      g.term(op) * (1.0 - g.make<ReciprocalOp>({x})) - g.make<BesselK0eOp>({x});
  g.add(x, g.of(op) * slope);
}
static void differentiate(BesselY0Op op, Gradients &g) {
  g.add(op.getInput(), g.of(op) * -g.make<BesselY1Op>(op.getInput()));
}
static void differentiate(BesselY1Op op, Gradients &g) {
  GradientExpression x = g.term(op.getInput());
  g.add(x, g.of(op) * (g.make<BesselY0Op>({x}) - g.term(op) / x));
}

static void differentiate(DawsnOp op, Gradients &g) {
  GradientExpression x = g.term(op.getInput());
  g.add(x, g.of(op) * (1.0 - x * g.term(op) * 2.0));
}
static void differentiate(ExpintOp op, Gradients &g) {
  GradientExpression x = g.term(op.getInput());
  g.add(x, g.of(op) * g.make<ExpOp>({x}) / x);
}
/// Returns pi x^2 / 2. Its cosine and its sine are the derivatives of the two
/// Fresnel integrals.
static GradientExpression fresnelAngle(GradientExpression x) {
  return x * x * (llvm::numbers::pi / 2);
}
static void differentiate(FresnelCosOp op, Gradients &g) {
  GradientExpression x = g.term(op.getInput());
  g.add(x, g.of(op) * g.make<CosOp>({fresnelAngle(x)}));
}
static void differentiate(FresnelSinOp op, Gradients &g) {
  GradientExpression x = g.term(op.getInput());
  g.add(x, g.of(op) * g.make<SinOp>({fresnelAngle(x)}));
}
/// The derivative is log(x) / (1 - x), which is -1 at 1.
static void differentiate(SpenceOp op, Gradients &g) {
  GradientExpression x = g.term(op.getInput());
  GradientExpression slope = g.make<LogOp>({x}) / (1.0 - x);
  g.add(x, g.of(op) * g.select(g.make<EqualOp>({x, g.number(x, 1.0)}),
                               g.number(x, -1.0), slope));
}

/// Adds the gradients of the regularized incomplete gamma function P(a, x),
/// times `sign`. The derivative with respect to x is the density of the gamma
/// distribution. It is computed by its logarithm, because gamma(a) may
/// overflow.
static void differentiateIncompleteGamma(Value lhs, Value rhs, Value result,
                                         double sign, Gradients &g) {
  GradientExpression a = g.term(lhs), x = g.term(rhs);
  GradientExpression dy = g.of(result) * sign;
  if (g.wants(a))
    g.addBroadcast(a, dy * g.make<IgammaGradAOp>({a, x}));
  if (g.wants(x)) {
    GradientExpression logarithm =
        (a + -1.0) * g.make<LogOp>({x}) - x - g.make<LgammaOp>({a});
    g.addBroadcast(x, dy * g.make<ExpOp>({logarithm}));
  }
}
static void differentiate(IgammaOp op, Gradients &g) {
  differentiateIncompleteGamma(op.getLhs(), op.getRhs(), op, 1.0, g);
}
static void differentiate(IgammacOp op, Gradients &g) {
  differentiateIncompleteGamma(op.getLhs(), op.getRhs(), op, -1.0, g);
}
static void differentiate(PolygammaOp op, Gradients &g) {
  GradientExpression order = g.term(op.getLhs()), x = g.term(op.getRhs());
  if (g.wants(x))
    g.addBroadcast(x, g.of(op) * g.make<PolygammaOp>({order + 1.0, x}));
}
static void differentiate(ZetaOp op, Gradients &g) {
  GradientExpression x = g.term(op.getLhs()), q = g.term(op.getRhs());
  if (g.wants(q))
    g.addBroadcast(q, g.of(op) * (-x * g.make<ZetaOp>({x + 1.0, q})));
}
static void differentiate(BetaincOp op, Gradients &g) {
  GradientExpression a = g.term(op.getA()), b = g.term(op.getB());
  GradientExpression x = g.term(op.getX());
  if (!g.wants(x))
    return;
  GradientExpression logOfBeta =
      g.make<LgammaOp>({a}) + g.make<LgammaOp>({b}) - g.make<LgammaOp>({a + b});
  GradientExpression logarithm = g.make<Xlog1pyOp>({b + -1.0, -x}) +
                                 g.make<XlogyOp>({a + -1.0, x}) - logOfBeta;
  g.addBroadcast(x, g.of(op) * g.make<ExpOp>({logarithm}));
}

void attachSpecialGradients(MLIRContext &context) {
  attachGradientsOf<BesselI0Op, BesselI1Op, BesselJ0Op, BesselJ1Op, BesselK0Op,
                    BesselK0eOp, BesselK1Op, BesselK1eOp, BesselY0Op,
                    BesselY1Op, DawsnOp, ExpintOp, FresnelCosOp, FresnelSinOp,
                    SpenceOp, IgammaOp, IgammacOp, PolygammaOp, ZetaOp,
                    BetaincOp>(context);
}

} // namespace mlir::ingot
