//===- ComplexGradients.cpp - Gradients of parts of complex numbers -------===//
// SPDX-License-Identifier: Apache-2.0
//
// As in TensorFlow, the gradient of a complex number z is
// d/d real(z) + i d/d imag(z).
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/ComplexOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"

namespace mlir::ingot {

/// Returns a complex tensor with the real parts `real` and imaginary parts of
/// 0.
static GradientExpression complex(GradientExpression real, Gradients &g) {
  return g.make<ComplexOp>({real, g.zeros(real)});
}

static void differentiate(ComplexOp op, Gradients &g) {
  if (g.wants(op.getReal()))
    g.addBroadcast(op.getReal(), g.make<RealOp>({g.of(op)}));
  if (g.wants(op.getImag()))
    g.addBroadcast(op.getImag(), g.make<ImagOp>({g.of(op)}));
}
static void differentiate(RealOp op, Gradients &g) {
  g.add(op.getInput(), complex(g.of(op), g));
}
static void differentiate(ImagOp op, Gradients &g) {
  GradientExpression dy = g.of(op);
  g.add(op.getInput(), g.make<ComplexOp>({g.zeros(dy), dy}));
}
static void differentiate(ConjOp op, Gradients &g) {
  g.add(op.getInput(), g.conj(g.of(op)));
}
/// The derivative of |z| is z / |z|, or 0 for 0.
static void differentiate(ComplexAbsOp op, Gradients &g) {
  g.add(op.getInput(), g.make<DivNoNanOp>({complex(g.of(op), g) * op.getInput(),
                                           complex(g.term(op), g)}));
}
static void differentiate(AngleOp op, Gradients &g) {
  GradientExpression turned = g.make<ComplexOp>(
      {g.make<ImagOp>(op.getInput()), g.make<RealOp>(op.getInput())});
  g.add(op.getInput(), -complex(g.of(op), g) * g.make<ReciprocalOp>({turned}));
}

void attachComplexGradients(MLIRContext &context) {
  attachGradientsOf<ComplexOp, RealOp, ImagOp, ConjOp, ComplexAbsOp, AngleOp>(
      context);
}

} // namespace mlir::ingot
