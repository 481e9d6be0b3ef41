//===- EnsembleFolds.cpp - Folders of ops on ensembles --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/Folding.h"

#include "dialects/Ingot/IR/EnsembleOps.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::ingot;

// A mixture of one member with weight 1 and without bias is the member.
OpFoldResult MixtureOp::fold(FoldAdaptor adaptor) {
  if (getMembers().size() != 1 || getBias() ||
      !isSplatOf(adaptor.getWeights().front(), 1.0))
    return nullptr;
  auto weight = cast<ShapedType>(getWeights().front().getType());
  Value member = getMembers().front();
  if (weight.getRank() < 2 && member.getType() == getType())
    return member;
  return nullptr;
}

// If lambda and beta are 0, the penalty is 0, whatever the weights are.
LogicalResult ComplexityPenaltyOp::canonicalize(ComplexityPenaltyOp op,
                                                PatternRewriter &rewriter) {
  if (!op.getLambda().isZero() || !op.getBeta().isZero())
    return rewriter.notifyMatchFailure(op, "expected zero lambda and beta");
  if (op.getPenalty().use_empty())
    return rewriter.notifyMatchFailure(op, "expected a use of the penalty");
  RankedTensorType type = getFoldableType(op.getPenalty().getType());
  if (!type)
    return rewriter.notifyMatchFailure(op, "expected a static penalty shape");
  rewriter.replaceAllUsesWith(
      op.getPenalty(), createConstant(rewriter, op.getLoc(), makeZeros(type)));
  return success();
}

/// Returns the value of a constant with one element, otherwise std::nullopt.
static std::optional<APFloat> numberOf(Attribute constant) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(constant);
  if (!elements || elements.getNumElements() != 1)
    return std::nullopt;
  return *elements.value_begin<APFloat>();
}

// Folds to the values of the best candidate if all losses are constants, or if
// there is only one candidate to choose.
LogicalResult SelectBestOp::fold(FoldAdaptor adaptor,
                                 SmallVectorImpl<OpFoldResult> &results) {
  bool drops = getNan() == "dropped";
  unsigned first = getForceGrow() ? 1 : 0, numLosses = getLosses().size();
  std::optional<unsigned> chosen;
  if (numLosses - first == 1 && !drops) {
    chosen = first;
  } else {
    std::optional<APFloat> best;
    for (unsigned candidate = first; candidate != numLosses; ++candidate) {
      std::optional<APFloat> loss = numberOf(adaptor.getLosses()[candidate]);
      if (!loss)
        return failure();
      if (drops && !loss->isFinite())
        continue;
      if (loss->isNaN())
        loss = APFloat::getInf(loss->getSemantics(), /*Negative=*/true);
      if (best && !(*loss < *best))
        continue;
      best = loss;
      chosen = candidate;
    }
  }
  for (auto [list, result] : llvm::enumerate(getChosen())) {
    Value value = getValues()[list * numLosses + chosen.value_or(first)];
    if (value.getType() != result.getType())
      return failure();
    results.push_back(value);
  }
  auto type = RankedTensorType::get({}, IntegerType::get(getContext(), 64));
  if (getIndex().getType() != type)
    return failure();
  int64_t index = chosen ? int64_t(*chosen) : -1;
  results.insert(results.begin(), makeConstant(type, APInt(64, index, true)));
  return success();
}
