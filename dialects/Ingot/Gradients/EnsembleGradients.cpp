//===- EnsembleGradients.cpp - Gradients of ensembles' ops ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/EnsembleOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"

namespace mlir::ingot {

/// A mixture is the weighted sum of the outputs of an ensemble's members, plus
/// a bias. Adds the gradients of its weights and of its bias by one
/// ingot.mixture_grad, without those gradients that nothing needs.
static void addWeightGradients(MixtureOp op, Value dy, Gradients &g) {
  SmallVector<Value> operands, targets;
  SmallVector<int64_t> ranks;
  for (auto [member, weight] : llvm::zip(op.getMembers(), op.getWeights())) {
    if (!g.wants(weight))
      continue;
    std::optional<int32_t> rank = g.rankOf(weight);
    if (!rank)
      return;
    operands.push_back(member);
    targets.push_back(weight);
    ranks.push_back(*rank);
  }
  bool hasBias = op.getBias() && g.wants(op.getBias());
  if (hasBias)
    targets.push_back(op.getBias());
  if (targets.empty())
    return;
  operands.push_back(dy);
  SmallVector<Value> gradients = g.makeAll<MixtureGradOp>(
      operands,
      {g.getBuilder().getNamedAttr("weight_ranks",
                                   g.getBuilder().getDenseI64ArrayAttr(ranks)),
       g.flag("has_bias", hasBias)});
  for (auto [target, gradient] : llvm::zip(targets, gradients))
    g.add(target, gradient);
}

static void differentiate(MixtureOp op, Gradients &g) {
  GradientExpression dy = g.of(op);
  for (auto [member, weight] : llvm::zip(op.getMembers(), op.getWeights())) {
    if (!g.wants(member))
      continue;
    std::optional<int32_t> rank = g.rankOf(weight);
    if (!rank)
      return;
    g.add(member, *rank == 2 ? g.make<MatMulOp>({dy, weight},
                                                {g.flag("transpose_a", false),
                                                 g.flag("transpose_b", true)})
                             : dy * weight);
  }
  addWeightGradients(op, dy, g);
}

/// Differentiates mixture_grad. Its result for the weight of an ensemble's
/// member is the product of the member's output and the gradient `dy`. Both are
/// operands, so each of them receives a gradient.
static void differentiate(MixtureGradOp op, Gradients &g) {
  Value dy = op.getGradient();
  auto product = [&](Value a, Value b, bool turnsB) {
    return g.make<MatMulOp>(
        {a, b}, {g.flag("transpose_a", false), g.flag("transpose_b", turnsB)});
  };
  for (auto [member, rank, weight] :
       llvm::zip(op.getMembers(), op.getWeightRanks(), op.getGradients())) {
    if (!g.reaches(weight))
      continue;
    GradientExpression of = g.of(weight);
    g.add(member, rank == 2 ? product(dy, of, true) : of * dy);
    g.add(dy, rank == 2 ? product(member, of, false) : of * member);
  }
  Value bias = op.getGradients().back();
  if (op.getHasBias() && g.reaches(bias))
    g.add(dy, g.broadcastLike(g.of(bias), dy));
}

static void differentiate(ComplexityPenaltyOp op, Gradients &g) {
  GradientExpression dy = g.of(op.getPenalty());
  double lambda = op.getLambda().convertToDouble();
  double beta = op.getBeta().convertToDouble();
  for (auto [weight, complexity, norm] :
       llvm::zip(op.getWeights(), op.getComplexities(), op.getNorms())) {
    GradientExpression rate = dy * (g.term(complexity) * lambda + beta);
    if (g.reaches(norm))
      rate = rate + g.of(norm);
    if (g.wants(weight))
      g.add(weight, rate * g.make<SignOp>(weight));
    if (g.wants(complexity))
      g.add(complexity, dy * lambda * norm);
  }
}

/// Differentiates an exponential moving average that is corrected for its
/// initial value of zero: new_biased / (1 - (1 - rate)^new_step).
static void differentiate(EmaOp op, Gradients &g) {
  double rate = op.getRate().convertToDouble();
  Value step = op.getNewStep();
  GradientExpression decay = g.make<PowOp>({1.0 - g.number(step, rate), step});
  GradientExpression divisor = 1.0 - decay;
  GradientExpression reached =
      g.of(op.getAverage()) / divisor + g.of(op.getNewBiased());
  g.add(op.getValue(), reached * rate);
  g.add(op.getBiased(), reached * (1.0 - g.number(step, rate)));
}

/// The op selects the values of the candidate ensemble with the smallest loss.
/// Adds the gradient to these values, and zeros to those of the other
/// candidates.
static void differentiate(SelectBestOp op, Gradients &g) {
  size_t candidates = op.getLosses().size();
  for (auto [i, value] : llvm::enumerate(op.getValues())) {
    Value chosen = op.getChosen()[i / candidates];
    if (!g.wants(value) || !g.reaches(chosen))
      continue;
    GradientExpression isChosen = g.make<EqualOp>(
        {op.getIndex(),
         g.number(op.getIndex(), static_cast<double>(i % candidates))});
    g.add(value, g.select(isChosen, g.of(chosen), g.number(value, 0.0)));
  }
}

void attachEnsembleGradients(MLIRContext &context) {
  attachGradientsOf<MixtureOp, MixtureGradOp, ComplexityPenaltyOp, EmaOp,
                    SelectBestOp>(context);
}

} // namespace mlir::ingot
