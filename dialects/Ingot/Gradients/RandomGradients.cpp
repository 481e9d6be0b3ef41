//===- RandomGradients.cpp - Random numbers have no gradients -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/RandomOps.h"

namespace mlir::ingot {

/// Differentiates gamma samples with respect to the distribution's parameter
/// alpha. The gradient of each alpha is summed over the samples drawn for it.
static void differentiate(RandomGammaOp op, Gradients &g) {
  Value alpha = op.getAlpha();
  std::optional<int32_t> rank = g.rankOf(op), fewer = g.rankOf(alpha);
  if (!rank || !fewer)
    return;
  GradientExpression slope = g.make<RandomGammaGradOp>({alpha, op});
  auto samples = llvm::to_vector(llvm::seq<int32_t>(0, *rank - *fewer));
  g.add(alpha, g.sum(g.of(op) * slope, samples));
}

void attachRandomGradients(MLIRContext &context) {
  attachGradientsOf<RandomGammaOp>(context);
  attachNoGradients<StatelessRandomUniformOp, StatelessRandomNormalOp,
                    StatelessTruncatedNormalOp, RandomShuffleOp, MultinomialOp,
                    CandidateSampleOp, AccidentalHitsOp, RandomPoissonOp>(
      context);
}

} // namespace mlir::ingot
