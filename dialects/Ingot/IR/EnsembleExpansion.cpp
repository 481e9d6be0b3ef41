//===- EnsembleExpansion.cpp - Expand ensemble ops to simpler ops ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/EnsembleExpansion.h"

#include "dialects/Ingot/IR/EnsembleOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::ingot;

namespace {

/// Emits the ops that compute the results of an ensemble op. Adds and rounds in
/// the same order as AdaNet's graphs, so that the results have the same bits.
class EnsembleOpExpansion {
public:
  EnsembleOpExpansion(OpBuilder &builder, Location loc)
      : builder(builder), loc(loc) {}

  SmallVector<Value> expand(MixtureOp op);
  SmallVector<Value> expand(MixtureGradOp op);
  SmallVector<Value> expand(ComplexityPenaltyOp op);
  SmallVector<Value> expand(EmaOp op);
  SmallVector<Value> expand(SelectBestOp op);

private:
  template <typename OpTy, typename... Args> Value make(Args &&...args) {
    return OpTy::create(builder, loc, std::forward<Args>(args)...);
  }

  static int64_t rankOf(Value value) {
    return cast<RankedTensorType>(value.getType()).getRank();
  }

  /// Makes a scalar constant, with the number rounded to the element type.
  Value number(Type element, const APFloat &value) {
    APFloat rounded = value;
    bool losesInfo;
    rounded.convert(cast<FloatType>(element).getFloatSemantics(),
                    APFloat::rmNearestTiesToEven, &losesInfo);
    auto type = RankedTensorType::get({}, element);
    return createConstant(builder, loc, DenseElementsAttr::get(type, rounded));
  }
  Value number(Type element, double value) {
    return number(element, APFloat(value));
  }

  /// Emits the sum of `value` over all dimensions except for the last `kept`
  /// ones.
  Value sum(Value value, int64_t kept) {
    SmallVector<int32_t> axes;
    for (int64_t axis = 0; axis < rankOf(value) - kept; ++axis)
      axes.push_back(axis);
    if (axes.empty())
      return value;
    return make<SumOp>(
        value, createConstant(builder, loc, builder.getI32TensorAttr(axes)),
        false);
  }

  Value product(Value a, Value b, bool transposeA) {
    return make<MatMulOp>(a, b, transposeA, false, IntegerAttr());
  }

  OpBuilder &builder;
  Location loc;
};

} // namespace

SmallVector<Value> EnsembleOpExpansion::expand(MixtureOp op) {
  Value total = op.getBiasLast() ? Value() : op.getBias();
  for (auto [member, weight] : llvm::zip(op.getMembers(), op.getWeights())) {
    Value weighted = rankOf(weight) == 2 ? product(member, weight, false)
                                         : make<MulOp>(member, weight);
    total = total ? make<AddOp>(total, weighted) : weighted;
  }
  if (op.getBiasLast() && op.getBias())
    total = make<AddOp>(total, op.getBias());
  return {total};
}

SmallVector<Value> EnsembleOpExpansion::expand(MixtureGradOp op) {
  SmallVector<Value> gradients;
  for (auto [member, rank] : llvm::zip(op.getMembers(), op.getWeightRanks()))
    gradients.push_back(rank == 2
                            ? product(member, op.getGradient(), true)
                            : sum(make<MulOp>(op.getGradient(), member), rank));
  if (op.getHasBias())
    gradients.push_back(sum(op.getGradient(), 1));
  return gradients;
}

SmallVector<Value> EnsembleOpExpansion::expand(ComplexityPenaltyOp op) {
  Type element = getElementTypeOrSelf(op.getPenalty().getType());
  // A member's penalty is (lambda * complexity + beta) * |weight|. Emit no
  // multiplication if lambda is 1, and no addition if beta is 0.
  bool scales = !op.getLambda().isExactlyValue(1.0);
  bool shifts = !op.getBeta().isZero();
  Value total;
  SmallVector<Value> results(1);
  for (auto [weight, complexity] :
       llvm::zip(op.getWeights(), op.getComplexities())) {
    Value factor = complexity;
    if (scales)
      factor = make<MulOp>(number(element, op.getLambda()), factor);
    if (shifts)
      factor = make<AddOp>(factor, number(element, op.getBeta()));
    Value norm = sum(make<AbsOp>(weight), 0);
    Value penalty = make<MulOp>(factor, norm);
    total = total ? make<AddOp>(total, penalty) : penalty;
    results.push_back(norm);
  }
  results.front() = total;
  return results;
}

SmallVector<Value> EnsembleOpExpansion::expand(EmaOp op) {
  Type element = getElementTypeOrSelf(op.getAverage().getType());
  Value rate = number(element, op.getRate()), one = number(element, 1.0);
  Value change = make<MulOp>(make<SubOp>(op.getBiased(), op.getValue()), rate);
  Value biased = make<SubOp>(op.getBiased(), change);
  Value step = make<AddOp>(op.getLocalStep(), one);
  Value decay = make<SubOp>(one, rate);
  Value left = make<SubOp>(one, make<PowOp>(decay, step));
  return {make<RealDivOp>(biased, left), biased, step};
}

SmallVector<Value> EnsembleOpExpansion::expand(SelectBestOp op) {
  ValueRange losses = op.getLosses(), values = op.getValues();
  size_t candidates = losses.size(), first = op.getForceGrow() ? 1 : 0;
  Type element = getElementTypeOrSelf(losses.front().getType());
  bool drops = op.getNan() == "dropped";
  auto numberOf = [&](int64_t index) {
    return createConstant(
        builder, loc,
        DenseElementsAttr::get(RankedTensorType::get({}, builder.getI64Type()),
                               index));
  };
  // Before losses are compared, `substitute` replaces a NaN by minus infinity,
  // so that the candidate with this loss is chosen. If NaNs are dropped, it
  // replaces all losses that are not finite by infinity, so that no candidate
  // with such a loss is chosen.
  auto infinity = APFloat::getInf(APFloat::IEEEdouble(), !drops);
  Value substitute = number(element, infinity);
  auto compared = [&](Value loss) -> Value {
    if (drops)
      return make<SelectOp>(make<IsFiniteOp>(loss), loss, substitute);
    return make<SelectOp>(make<IsNanOp>(loss), substitute, loss);
  };
  Value best, index;
  SmallVector<Value> results(1);
  for (size_t list = 0; list != values.size(); list += candidates)
    results.push_back(values[list + first]);
  for (size_t candidate = first; candidate != candidates; ++candidate) {
    Value loss = compared(losses[candidate]);
    Value here = numberOf(candidate);
    if (candidate == first && !drops) {
      best = loss;
      index = here;
      continue;
    }
    if (candidate == first) {
      best = substitute;
      index = numberOf(-1);
    }
    Value isBetter = make<LessOp>(loss, best);
    best = make<SelectOp>(isBetter, loss, best);
    index = make<SelectOp>(isBetter, here, index);
    if (candidate != first)
      for (size_t list = 0; list * candidates != values.size(); ++list)
        results[1 + list] = make<SelectOp>(
            isBetter, values[list * candidates + candidate], results[1 + list]);
  }
  results.front() = index;
  return results;
}

bool mlir::ingot::isEnsembleOp(Operation *op) {
  return isa<MixtureOp, MixtureGradOp, ComplexityPenaltyOp, EmaOp,
             SelectBestOp>(op);
}

FailureOr<SmallVector<Value>> mlir::ingot::expandEnsembleOp(OpBuilder &builder,
                                                            Operation *op) {
  auto isOpen = [](Type type) { return !isa<RankedTensorType>(type); };
  if (!isEnsembleOp(op) || llvm::any_of(op->getOperandTypes(), isOpen))
    return failure();
  EnsembleOpExpansion expansion(builder, op->getLoc());
  if (auto mixture = dyn_cast<MixtureOp>(op))
    return expansion.expand(mixture);
  if (auto gradient = dyn_cast<MixtureGradOp>(op))
    return expansion.expand(gradient);
  if (auto penalty = dyn_cast<ComplexityPenaltyOp>(op))
    return expansion.expand(penalty);
  if (auto average = dyn_cast<EmaOp>(op))
    return expansion.expand(average);
  if (auto selection = dyn_cast<SelectBestOp>(op))
    return expansion.expand(selection);
  return failure();
}
