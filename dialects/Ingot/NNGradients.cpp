//===- NNGradients.cpp - Gradients of layers and their losses -------------===//

#include "dialects/Ingot/Gradients.h"
#include "dialects/Ingot/MathOps.h"
#include "dialects/Ingot/NNOps.h"
#include "dialects/Ingot/NormalizationOps.h"
#include "dialects/Ingot/TensorOps.h"

namespace mlir::ingot {

static void differentiate(MatMulOp op, Gradients &g) {
  Value a = op.getA(), b = op.getB(), dy = g.of(op);
  bool turnsA = op.getTransposeA(), turnsB = op.getTransposeB();
  auto product = [&](Value left, Value right, bool turnsLeft, bool turnsRight) {
    return g.make<MatMulOp>({left, right}, {g.flag("transpose_a", turnsLeft),
                                            g.flag("transpose_b", turnsRight)});
  };
  if (g.wants(a))
    g.add(a, turnsA ? product(b, dy, turnsB, true)
                    : product(dy, b, false, !turnsB));
  if (g.wants(b))
    g.add(b, turnsB ? product(dy, a, true, turnsA)
                    : product(a, dy, !turnsA, false));
}

static void differentiate(BiasAddOp op, Gradients &g) {
  g.add(op.getValue(), g.of(op));
  if (g.wants(op.getBias()))
    g.add(op.getBias(),
          g.make<BiasAddGradOp>({g.of(op)}, op.getOperation()->getAttrs()));
}

static void differentiate(BiasAddGradOp op, Gradients &g) {
  std::optional<int32_t> rank = g.rankOf(op.getGradient());
  if (!rank)
    return;
  Value dy = g.of(op);
  if (op.getDataFormat() == "NCHW")
    for (int32_t dim = 2; dim < *rank; ++dim)
      dy = g.expand(dy, -1);
  g.add(op.getGradient(), g.broadcastLike(dy, op.getGradient()));
}

/// Of each row its sum, in place.
static Term sumOfRows(Term x, Gradients &g) {
  return g.sum(x, -1, /*keepsDims=*/true);
}

static void differentiate(SoftmaxOp op, Gradients &g) {
  Term dy = g.of(op);
  g.add(op.getLogits(), (dy - sumOfRows(dy * op, g)) * op);
}

static void differentiate(LogSoftmaxOp op, Gradients &g) {
  Term dy = g.of(op);
  g.add(op.getLogits(), dy - sumOfRows(dy, g) * g.make<ExpOp>({op}));
}

/// What reaches the logits from a cross entropy and from its own gradient.
template <typename OpTy>
static Term differentiateLogits(OpTy op, Gradients &g) {
  Value logits = op.getLogits();
  Term weight = g.expand(g.of(op.getLoss()), -1);
  Term gradient = weight * op.getBackprop();
  if (!g.reaches(op.getBackprop()))
    return gradient;
  Term dy = g.of(op.getBackprop()), softmax = g.make<SoftmaxOp>(logits);
  return gradient + (dy - sumOfRows(dy * softmax, g)) * softmax;
}

static void differentiate(SparseSoftmaxCrossEntropyOp op, Gradients &g) {
  if (g.wants(op.getLogits()))
    g.add(op.getLogits(), differentiateLogits(op, g));
}

static void differentiate(SoftmaxCrossEntropyOp op, Gradients &g) {
  if (g.wants(op.getLogits()))
    g.addBroadcast(op.getLogits(), differentiateLogits(op, g));
  if (g.wants(op.getLabels()))
    g.addBroadcast(op.getLabels(), g.expand(g.of(op.getLoss()), -1) *
                                       -g.make<LogSoftmaxOp>(op.getLogits()));
}

void attachNNGradients(MLIRContext &context) {
  attachGradientsOf<MatMulOp, BiasAddOp, BiasAddGradOp, SoftmaxOp, LogSoftmaxOp,
                    SparseSoftmaxCrossEntropyOp, SoftmaxCrossEntropyOp>(
      context);
  attachNoGradients<StatelessRandomUniformOp>(context);
}

} // namespace mlir::ingot
