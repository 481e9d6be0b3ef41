//===- NNGradients.cpp - Gradients of layers and their losses -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/NormalizationOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

namespace mlir::ingot {

static void differentiate(MatMulOp op, Gradients &g) {
  Value a = op.getA(), b = op.getB(), dy = g.of(op);
  bool turnsA = op.getTransposeA(), turnsB = op.getTransposeB();
  auto product = [&](Value left, Value right, bool turnsLeft, bool turnsRight) {
    return g.make<MatMulOp>({left, right}, {g.flag("transpose_a", turnsLeft),
                                            g.flag("transpose_b", turnsRight)});
  };
  if (g.wants(a))
    g.add(a, turnsA ? product(g.conj(b), dy, turnsB, true)
                    : product(dy, g.conj(b), false, !turnsB));
  if (g.wants(b))
    g.add(b, turnsB ? product(dy, g.conj(a), true, turnsA)
                    : product(g.conj(a), dy, !turnsA, false));
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

/// Returns the sum of each row; the last dimension is kept with size 1.
static GradientExpression sumOfRows(GradientExpression x, Gradients &g) {
  return g.sum(x, -1, /*keepsDims=*/true);
}

static void differentiate(SoftmaxOp op, Gradients &g) {
  GradientExpression dy = g.of(op);
  g.add(op.getLogits(), (dy - sumOfRows(dy * op, g)) * op);
}

static void differentiate(LogSoftmaxOp op, Gradients &g) {
  GradientExpression dy = g.of(op);
  g.add(op.getLogits(), dy - sumOfRows(dy, g) * g.make<ExpOp>({op}));
}

/// Returns the gradient of the logits of a cross entropy op. The op's results
/// are the loss and the gradient of the loss; the gradients of both contribute.
template <typename OpTy>
static GradientExpression differentiateLogits(OpTy op, Gradients &g) {
  Value logits = op.getLogits();
  GradientExpression weight = g.expand(g.of(op.getLoss()), -1);
  GradientExpression gradient = weight * op.getBackprop();
  if (!g.reaches(op.getBackprop()))
    return gradient;
  GradientExpression dy = g.of(op.getBackprop());
  GradientExpression softmax =
      g.make<SoftmaxOp>({g.broadcastLike(logits, op.getBackprop())});
  return gradient + (dy - sumOfRows(dy * softmax, g)) * softmax;
}

static void differentiate(SparseSoftmaxCrossEntropyOp op, Gradients &g) {
  if (g.wants(op.getLogits()))
    g.add(op.getLogits(), differentiateLogits(op, g));
}

static void differentiate(SoftmaxCrossEntropyOp op, Gradients &g) {
  if (g.wants(op.getLogits()))
    g.addBroadcast(op.getLogits(), differentiateLogits(op, g));
  if (!g.wants(op.getLabels()))
    return;
  GradientExpression logits = g.broadcastLike(op.getLogits(), op.getBackprop());
  g.addBroadcast(op.getLabels(), g.expand(g.of(op.getLoss()), -1) *
                                     -g.make<LogSoftmaxOp>({logits}));
}

/// Differentiates only the result `y`, the normalized values; no gradient flows
/// through the other results, such as the moving averages.
static void differentiate(FusedBatchNormOp op, Gradients &g) {
  if (!g.reaches(op.getY()))
    return;
  bool isTraining = op.getIsTraining();
  SmallVector<Value> gradients = g.makeAll<FusedBatchNormGradOp>(
      {g.of(op.getY()), op.getX(), op.getScale(),
       isTraining ? op.getSavedMean() : op.getMean(),
       isTraining ? op.getSavedVariance() : op.getVariance()},
      {g.getBuilder().getNamedAttr("epsilon", op.getEpsilonAttr()),
       g.flag("is_training", isTraining)});
  for (auto [operand, gradient] : llvm::zip(
           ValueRange{op.getX(), op.getScale(), op.getOffset()}, gradients))
    g.add(operand, gradient);
}

namespace {

/// The results of a batch normalization's gradient as formulas of elementwise
/// ops and reductions, which can be differentiated again.
struct BatchNormGrad {
  GradientExpression x, scale, offset;

  static BatchNormGrad of(FusedBatchNormGradOp op, int32_t rank, Gradients &g) {
    GradientExpression type = g.term(op.getScale());
    GradientExpression dy = g.cast(op.getGradient(), type.getElementType());
    GradientExpression x = g.cast(op.getX(), type.getElementType());
    SmallVector<int32_t> axes;
    for (int32_t dim = 0; dim + 1 < rank; ++dim)
      axes.push_back(dim);
    double epsilon = op.getEpsilon().convertToDouble();
    if (!op.getIsTraining()) {
      GradientExpression slope =
          g.make<RsqrtOp>({g.term(op.getVariance()) + epsilon});
      return {dy * op.getScale() * slope,
              g.sum(dy * (x - op.getMean()) * slope, axes), g.sum(dy, axes)};
    }
    auto mean = [&](Value values) {
      return g.make<MeanOp>({values, g.indices(axes)});
    };
    GradientExpression centered = x - mean(x);
    GradientExpression variance = mean(g.make<SquareOp>({centered})) + epsilon;
    GradientExpression slope = g.make<RsqrtOp>({variance});
    GradientExpression share =
        g.make<ReciprocalOp>({variance}) * mean(dy * centered);
    return {slope * op.getScale() * (dy - mean(dy) - share * centered),
            g.sum(dy * centered, axes) * slope, g.sum(dy, axes)};
  }
};

} // namespace

/// Computes the second derivative of batch normalization by differentiating the
/// formulas of its gradient, like TensorFlow.
static void differentiate(FusedBatchNormGradOp op, Gradients &g) {
  std::optional<int32_t> rank = g.rankOf(op.getX());
  if (!rank)
    return;
  BatchNormGrad formula = BatchNormGrad::of(op, *rank, g);
  SmallVector<Value> inputs = {op.getGradient(), op.getX(), op.getScale()};
  GradientExpression dx =
      g.cast(g.of(op.getXBackprop()), formula.x.getElementType());
  g.addThrough({formula.x, formula.scale, formula.offset},
               {dx, g.of(op.getScaleBackprop()), g.of(op.getOffsetBackprop())},
               inputs);
}

void attachNNGradients(MLIRContext &context) {
  attachGradientsOf<MatMulOp, BiasAddOp, BiasAddGradOp, SoftmaxOp, LogSoftmaxOp,
                    SparseSoftmaxCrossEntropyOp, SoftmaxCrossEntropyOp,
                    FusedBatchNormOp, FusedBatchNormGradOp>(context);
}

} // namespace mlir::ingot
