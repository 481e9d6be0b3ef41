//===- PointwiseGradients.cpp - Gradients of elementwise functions --------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/ActivationOps.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/FakeQuant.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/SpecialOps.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace mlir::ingot {

static void differentiate(ReciprocalOp op, Gradients &g) {
  g.add(op.getInput(), g.make<ReciprocalGradOp>({op, g.of(op)}));
}
static void differentiate(RsqrtOp op, Gradients &g) {
  g.add(op.getInput(), g.make<RsqrtGradOp>({op, g.of(op)}));
}
static void differentiate(Expm1Op op, Gradients &g) {
  g.add(op.getInput(), g.of(op) * g.make<ExpOp>(op.getInput()));
}
static void differentiate(Log1pOp op, Gradients &g) {
  GradientExpression x = g.term(op.getInput());
  g.add(x, g.of(op) * g.make<ReciprocalOp>({x + 1.0}));
}
static void differentiate(SinOp op, Gradients &g) {
  g.add(op.getInput(), g.of(op) * g.make<CosOp>({g.conj(op.getInput())}));
}
static void differentiate(CosOp op, Gradients &g) {
  g.add(op.getInput(), -g.of(op) * g.make<SinOp>({g.conj(op.getInput())}));
}
static void differentiate(TanOp op, Gradients &g) {
  GradientExpression secant =
      g.make<ReciprocalOp>({g.make<CosOp>({g.conj(op.getInput())})});
  g.add(op.getInput(), g.make<SquareOp>({secant}) * g.of(op));
}
/// Returns 1 / sqrt(1 - x^2), the derivative of asin.
static GradientExpression slopeOfArc(Value x, Gradients &g) {
  return g.make<ReciprocalOp>({g.make<SqrtOp>({1.0 - g.make<SquareOp>(x)})});
}
static void differentiate(AsinOp op, Gradients &g) {
  g.add(op.getInput(), g.of(op) * slopeOfArc(op.getInput(), g));
}
static void differentiate(AcosOp op, Gradients &g) {
  g.add(op.getInput(), -g.of(op) * slopeOfArc(op.getInput(), g));
}
static void differentiate(AtanOp op, Gradients &g) {
  GradientExpression square = g.make<SquareOp>(op.getInput());
  g.add(op.getInput(), g.of(op) * g.make<ReciprocalOp>({square + 1.0}));
}
static void differentiate(SinhOp op, Gradients &g) {
  g.add(op.getInput(), g.of(op) * g.make<CoshOp>({g.conj(op.getInput())}));
}
static void differentiate(CoshOp op, Gradients &g) {
  g.add(op.getInput(), g.of(op) * g.make<SinhOp>({g.conj(op.getInput())}));
}
static void differentiate(AsinhOp op, Gradients &g) {
  g.add(op.getInput(), g.of(op) / g.make<CoshOp>({op}));
}
static void differentiate(AcoshOp op, Gradients &g) {
  g.add(op.getInput(), g.of(op) / g.make<SinhOp>({op}));
}
static void differentiate(AtanhOp op, Gradients &g) {
  GradientExpression square = g.make<SquareOp>(op.getInput());
  g.add(op.getInput(), g.of(op) * g.make<ReciprocalOp>({1.0 - square}));
}
/// Returns `sign` * 2 / sqrt(pi) * exp(-x^2), the derivative of erf for sign 1,
/// and of erfc for sign -1.
static GradientExpression slopeOfError(Value x, double sign, Gradients &g) {
  return g.make<ExpOp>({-g.make<SquareOp>(x)}) *
         (sign * 2.0 * llvm::numbers::inv_sqrtpi);
}
static void differentiate(ErfOp op, Gradients &g) {
  g.add(op.getInput(), g.of(op) * slopeOfError(op.getInput(), 1.0, g));
}
static void differentiate(ErfcOp op, Gradients &g) {
  g.add(op.getInput(), g.of(op) * slopeOfError(op.getInput(), -1.0, g));
}
static void differentiate(ErfinvOp op, Gradients &g) {
  double factor = std::sqrt(llvm::numbers::pi) / 2;
  g.add(op.getInput(),
        g.of(op) * factor * g.make<ExpOp>({g.make<SquareOp>({op})}));
}
static void differentiate(NdtriOp op, Gradients &g) {
  double factor = std::sqrt(2 * llvm::numbers::pi);
  GradientExpression half = g.make<SquareOp>({op}) / g.number(op, 2.0);
  g.add(op.getInput(), g.of(op) * factor * g.make<ExpOp>({half}));
}
static void differentiate(LgammaOp op, Gradients &g) {
  g.add(op.getInput(), g.of(op) * g.make<DigammaOp>(op.getInput()));
}
static void differentiate(DigammaOp op, Gradients &g) {
  GradientExpression x = g.term(op.getInput());
  if (x.getElementType().getIntOrFloatBitWidth() < 32)
    return g.refuse("the derivative, polygamma, is only defined for float32 "
                    "and float64");
  g.add(x, g.of(op) * g.make<PolygammaOp>({g.number(x, 1.0), x}));
}

static void differentiate(BesselI0eOp op, Gradients &g) {
  GradientExpression x = g.term(op.getInput()), y = g.term(op);
  GradientExpression slope = g.make<BesselI1eOp>({x}) - g.make<SignOp>({x}) * y;
  g.add(x, g.of(op) * slope);
}
/// Differentiates exp(-|x|) I1(x). The derivative at 0, where the formula
/// divides by zero, is 1/2.
static void differentiate(BesselI1eOp op, Gradients &g) {
  GradientExpression x = g.term(op.getInput()), y = g.term(op);
  GradientExpression factor = g.make<SignOp>({x}) + g.make<ReciprocalOp>({x});
  GradientExpression slope = g.make<BesselI0eOp>({x}) - y * factor;
  GradientExpression isZero = g.make<EqualOp>({x, g.number(x, 0.0)});
  g.add(x, g.of(op) * g.select(isZero, g.number(x, 0.5), slope));
}

/// Differentiates x^y. The derivative with respect to y is 0 if x is not
/// positive, as in TensorFlow.
static void differentiate(PowOp op, Gradients &g) {
  if (!g.wants(op.getLhs()) && !g.wants(op.getRhs()))
    return;
  GradientExpression x = g.conj(op.getLhs()), y = g.conj(op.getRhs());
  if (g.wants(op.getLhs()))
    g.addBroadcast(op.getLhs(), g.of(op) * y * g.make<PowOp>({x, y + -1.0}));
  if (!g.wants(op.getRhs()))
    return;
  GradientExpression zero = g.number(x, 0.0);
  GradientExpression isPositive = isa<ComplexType>(x.getElementType())
                                      ? g.make<NotEqualOp>({x, zero})
                                      : g.make<GreaterOp>({x, zero});
  GradientExpression safe = g.select(isPositive, x, g.number(x, 1.0));
  GradientExpression log =
      g.select(isPositive, g.make<LogOp>({safe}), g.number(x, 0.0));
  g.addBroadcast(op.getRhs(), g.of(op) * g.conj(op) * log);
}

static void differentiate(FloorModOp op, Gradients &g) {
  g.addBroadcast(op.getLhs(), g.of(op));
  if (g.wants(op.getRhs()))
    g.addBroadcast(op.getRhs(),
                   g.of(op) * -g.make<FloorDivOp>({op.getLhs(), op.getRhs()}));
}

/// Differentiates atan2(y, x).
static void differentiate(Atan2Op op, Gradients &g) {
  GradientExpression y = g.term(op.getLhs()), x = g.term(op.getRhs());
  GradientExpression share =
      g.of(op) / (g.make<SquareOp>({y}) + g.make<SquareOp>({x}));
  g.addBroadcast(y, x * share);
  g.addBroadcast(x, -y * share);
}

static void differentiate(MulNoNanOp op, Gradients &g) {
  Value x = op.getLhs(), y = op.getRhs();
  g.addBroadcast(x, g.make<MulNoNanOp>({g.of(op), y}));
  g.addBroadcast(y, g.make<MulNoNanOp>({x, g.of(op)}));
}

/// Returns 1 for elements of x that are not zero, and 0 for the others.
static GradientExpression isNotZero(GradientExpression x, Gradients &g) {
  return g.cast(g.make<NotEqualOp>({x, g.number(x, 0.0)}), x.getElementType());
}
static void differentiate(XdivyOp op, Gradients &g) {
  GradientExpression x = g.term(op.getLhs()), y = g.term(op.getRhs());
  g.addBroadcast(x, g.make<XdivyOp>({isNotZero(x, g), y}) * g.of(op));
  g.addBroadcast(y, g.make<XdivyOp>({-x, g.make<SquareOp>({y})}) * g.of(op));
}
static void differentiate(XlogyOp op, Gradients &g) {
  GradientExpression x = g.term(op.getLhs()), y = g.term(op.getRhs());
  g.addBroadcast(x, g.make<XlogyOp>({isNotZero(x, g), y}) * g.of(op));
  g.addBroadcast(y, g.make<XdivyOp>({x, y}) * g.of(op));
}
static void differentiate(Xlog1pyOp op, Gradients &g) {
  GradientExpression x = g.term(op.getLhs()), y = g.term(op.getRhs());
  g.addBroadcast(x, g.make<Xlog1pyOp>({isNotZero(x, g), y}) * g.of(op));
  g.addBroadcast(y, g.make<XdivyOp>({x, y + 1.0}) * g.of(op));
}
static void differentiate(NextAfterOp op, Gradients &g) {
  g.addBroadcast(op.getLhs(), g.of(op));
}

/// Creates ops for FakeQuantGradients, which has the formulas for the gradients
/// of a fake quantization. This class is the argument for the template
/// parameter `Maker` of FakeQuantGradients.
namespace {
struct FakeQuantOpBuilder {
  template <typename OpTy> Value make(ValueRange operands) {
    return g.make<OpTy>(operands);
  }
  Value number(double value) { return g.number(like, value); }

  Gradients &g;
  Value like;
};
} // namespace

static void differentiate(FakeQuantOp op, Gradients &g) {
  Value x = op.getInput();
  std::optional<int32_t> rank = g.rankOf(x);
  if (!rank)
    return;
  FakeQuantOpBuilder maker{g, x};
  FakeQuantGradients gradients(maker, g.of(op), x, op.getMin(), op.getMax(),
                               op.getNumBits(), op.getNarrowRange());
  auto axes = llvm::to_vector(
      llvm::seq<int32_t>(0, op.getKind() == "channels" ? *rank - 1 : *rank));
  g.add(x, gradients.ofInput());
  if (g.wants(op.getMin()))
    g.add(op.getMin(), g.sum(gradients.ofMin(), axes));
  if (g.wants(op.getMax()))
    g.add(op.getMax(), g.sum(gradients.ofMax(), axes));
}

void attachPointwiseGradients(MLIRContext &context) {
  // TruncateModOp is not in this list, because TensorFlow has no gradient of
  // it.
  attachGradientsOf<ReciprocalOp, RsqrtOp, Expm1Op, Log1pOp, SinOp, CosOp,
                    TanOp, AsinOp, AcosOp, AtanOp, SinhOp, CoshOp, AsinhOp,
                    AcoshOp, AtanhOp, ErfOp, ErfcOp, ErfinvOp, NdtriOp,
                    FakeQuantOp, LgammaOp, DigammaOp, BesselI0eOp, BesselI1eOp,
                    PowOp, FloorModOp, Atan2Op, MulNoNanOp, XdivyOp, XlogyOp,
                    Xlog1pyOp, NextAfterOp>(context);
  attachNoGradients<OnesLikeOp, FloorOp, CeilOp, RoundOp, TruncateDivOp,
                    FloorDivOp, BitcastOp>(context);
}

} // namespace mlir::ingot
