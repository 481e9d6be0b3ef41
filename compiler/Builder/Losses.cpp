//===- Losses.cpp - Losses per example and per batch ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "ingot/graph.h"

#include "compiler/Builder/GraphImpl.h"

namespace ingot::graph {

static Tensor crossEntropy(const char *op, Tensor logits, Tensor labels) {
  if (!logits || !labels)
    return {};
  return logits.data()->graph->create(op, {logits, labels});
}

Tensor sparseSoftmaxCrossEntropy(Tensor logits, Tensor labels) {
  if (!logits || !labels)
    return {};
  // Check the labels at run time: as in TensorFlow, a label that is not the
  // index of a class stops the run with an error.
  logits.data()->graph->createAll("require_indices",
                                  {labels, shapeOf(logits, DType::Int64)},
                                  {{"axis", -1}, {"kind", "label"}});
  return crossEntropy("sparse_softmax_cross_entropy", logits, labels);
}

Tensor softmaxCrossEntropy(Tensor logits, Tensor labels) {
  return crossEntropy("softmax_cross_entropy", logits, labels);
}

// Computes the loss of logits x and labels z as max(x, 0) - x * z + log(1 +
// e^-|x|), the form that TensorFlow uses because it does not overflow.
Tensor sigmoidCrossEntropy(Tensor logits, Tensor labels) {
  if (!logits || !labels)
    return {};
  Tensor zero = zerosLike(logits);
  Tensor isPositive = greaterEqual(logits, zero);
  Tensor positive = select(isPositive, logits, zero);
  Tensor negative = select(isPositive, -logits, logits);
  return (positive - logits * labels) + log1p(exp(negative));
}

Tensor absoluteError(Tensor predictions, Tensor labels) {
  return abs(predictions - labels);
}

Tensor huberLoss(Tensor predictions, Tensor labels, double delta) {
  Tensor error = abs(predictions - labels);
  Tensor quadratic = minimum(error, scalarLike(error, delta));
  return 0.5 * square(quadratic) + delta * (error - quadratic);
}

Tensor reduceLoss(Tensor losses, Tensor weights, Reduction reduction) {
  if (!losses)
    return {};
  Tensor weighted = weights ? losses * weights : losses;
  Tensor total = sum(weighted);
  // `weights` may have fewer elements than `losses` and is broadcast to them.
  // So the sum and the number of weights are computed from `all`, which has one
  // weight for each loss.
  Tensor all = weights ? onesLike(losses) * weights : Tensor();
  switch (reduction) {
  case Reduction::Sum:
    return total;
  case Reduction::SumOverBatchSize:
    break;
  case Reduction::Mean:
    if (all)
      return divNoNan(total, sum(all));
    break;
  case Reduction::SumByNonzeroWeights:
    if (all)
      return divNoNan(
          total, sum(cast(notEqual(all, scalarLike(all, 0)), losses.dtype())));
    break;
  }
  return divNoNan(total, sizeOf(weighted, losses.dtype()));
}

} // namespace ingot::graph
