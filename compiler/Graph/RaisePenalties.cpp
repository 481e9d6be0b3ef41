//===- RaisePenalties.cpp - Raises weighted L1 norms to penalties ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/RaiseToEnsembleOps.h"

#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/Folding.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

namespace {

/// A term of a complexity penalty, (lambda * complexity + beta) * norm, where
/// `norm` is the L1 norm of `weight`.
struct ComplexityPenaltyTerm {
  Value weight, norm, complexity;
  APFloat lambda = APFloat(1.0), beta = APFloat(0.0);
};

} // namespace

static bool isScalar(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 0 && isa<FloatType>(type.getElementType());
}

/// Returns the value of a constant float scalar, converted to double precision;
/// std::nullopt for other values.
static std::optional<APFloat> constantNumber(Value value) {
  DenseElementsAttr elements;
  if (!isScalar(value) || !matchPattern(value, m_Constant(&elements)))
    return std::nullopt;
  APFloat number = elements.getSplatValue<APFloat>();
  bool losesInfo;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number;
}

/// If the scalar `value` is the L1 norm of a variable, returns the variable;
/// null otherwise.
static Value normOf(EnsembleRaiser &block, Value value) {
  if (!isScalar(value))
    return {};
  Value inner = throughReshapes(value);
  if (auto sum = inner.getDefiningOp<SumOp>()) {
    auto type = dyn_cast<RankedTensorType>(sum.getInput().getType());
    if (!type || !sumsAllBut(sum.getAxes(), type.getShape(), 0))
      return {};
    inner = sum.getInput();
  } else if (!isScalar(inner)) {
    return {};
  }
  auto absolute = inner.getDefiningOp<AbsOp>();
  if (!absolute || !block.isVariable(absolute.getInput()))
    return {};
  return absolute.getInput();
}

/// On entry, `term.complexity` is the whole factor of the norm. If this factor
/// is computed as lambda * complexity + beta, with constants lambda and beta,
/// splits it into these three fields of `term`.
static void splitFactor(ComplexityPenaltyTerm &term) {
  auto shifted = term.complexity.getDefiningOp<AddOp>();
  if (!shifted)
    return;
  auto scaled = shifted.getLhs().getDefiningOp<MulOp>();
  std::optional<APFloat> beta = constantNumber(shifted.getRhs());
  std::optional<APFloat> lambda =
      scaled ? constantNumber(scaled.getLhs()) : std::nullopt;
  auto isFactor = [](const std::optional<APFloat> &number) {
    return number && number->isFinite() && !number->isNegative();
  };
  if (!isFactor(lambda) || !isFactor(beta) || beta->isZero() ||
      lambda->isExactlyValue(1.0))
    return;
  term.complexity = scaled.getRhs();
  term.lambda = *lambda;
  term.beta = *beta;
}

static std::optional<ComplexityPenaltyTerm> penaltyTerm(EnsembleRaiser &block,
                                                        Value value) {
  auto product = value.getDefiningOp<MulOp>();
  if (!product || !value.hasOneUse())
    return std::nullopt;
  ComplexityPenaltyTerm term;
  term.norm = product.getRhs();
  term.complexity = product.getLhs();
  term.weight = normOf(block, term.norm);
  if (!term.weight) {
    std::swap(term.norm, term.complexity);
    term.weight = normOf(block, term.norm);
  }
  if (!term.weight || !isScalar(term.complexity) ||
      normOf(block, term.complexity))
    return std::nullopt;
  splitFactor(term);
  return term;
}

/// Whether there is one mixture (the weighted sum of an ensemble's members)
/// whose weights include the weights of all `terms`, in the same order.
static bool belongToMixture(ArrayRef<ComplexityPenaltyTerm> terms) {
  for (Operation *user : terms.front().weight.getUsers()) {
    auto mixture = dyn_cast<MixtureOp>(user);
    if (!mixture)
      continue;
    auto next = mixture.getWeights().begin();
    auto end = mixture.getWeights().end();
    if (llvm::all_of(terms, [&](const ComplexityPenaltyTerm &term) {
          next = std::find(next, end, term.weight);
          return next != end && ++next != mixture.getWeights().begin();
        }))
      return true;
  }
  return false;
}

/// Moves constant complexities to the start of the block, so that they dominate
/// the penalty op, which is inserted before the first use of a norm.
static void hoistConstants(Block &block,
                           ArrayRef<ComplexityPenaltyTerm> terms) {
  for (const ComplexityPenaltyTerm &term : terms)
    if (auto constant = term.complexity.getDefiningOp<ConstantOp>();
        constant && constant->getBlock() == &block)
      constant->moveBefore(&block, block.begin());
}

/// Replaces the sum that ends with `root` by a penalty op if it is a complexity
/// penalty. Returns whether it did.
static bool raisePenalty(EnsembleRaiser &block, Operation *root) {
  auto missed = [&](const Twine &why) {
    block.missed(root->getLoc(), why);
    return false;
  };
  LeftAssociativeSum sum = summandsOf(root);
  ArrayRef<Value> values = sum.values;
  // Sums often start with a term of zero. Drop it: adding zero changes no bit
  // of the result, because norms are never -0.
  Attribute first;
  if (values.size() > 1 && matchPattern(values.front(), m_Constant(&first)) &&
      isSplatOf(first, 0.0))
    values = values.drop_front();
  SmallVector<ComplexityPenaltyTerm> terms;
  for (Value value : values) {
    std::optional<ComplexityPenaltyTerm> term = penaltyTerm(block, value);
    if (!term)
      return false;
    terms.push_back(*term);
  }
  if (!belongToMixture(terms))
    return missed("not a complexity penalty: the weights are not those of one "
                  "mixture, in order");
  SmallVector<Value> weights, complexities, replaced(1, root->getResult(0));
  for (const ComplexityPenaltyTerm &term : terms) {
    if (!(term.lambda == terms.front().lambda) ||
        !(term.beta == terms.front().beta))
      return missed(
          "not a complexity penalty: its members differ in lambda or beta");
    weights.push_back(term.weight);
    complexities.push_back(term.complexity);
    replaced.push_back(term.norm);
  }
  hoistConstants(block.getBlock(), terms);
  OpBuilder builder(root->getContext());
  SmallVector<Value> operands(weights);
  operands.append(complexities);
  if (failed(block.place(builder, operands, replaced)))
    return missed("not a complexity penalty: a norm is used before all "
                  "complexities are computed");
  auto penalty = ComplexityPenaltyOp::create(
      builder, root->getLoc(), weights, complexities,
      builder.getF64FloatAttr(terms.front().lambda.convertToDouble()),
      builder.getF64FloatAttr(terms.front().beta.convertToDouble()));
  for (auto [term, norm] : llvm::zip(terms, penalty.getNorms())) {
    Operation *op = term.norm.getDefiningOp();
    op->replaceAllUsesWith(ValueRange(norm));
    eraseUnused(op);
  }
  root->replaceAllUsesWith(ValueRange(penalty.getPenalty()));
  eraseUnused(root);
  block.found(penalty,
              "the penalty on " + Twine(terms.size()) + " mixture weights");
  return true;
}

void raisePenalties(EnsembleRaiser &block) {
  SmallVector<Operation *> roots;
  for (Operation &op : llvm::reverse(block.getBlock()))
    if (isa<AddOp, AddNOp>(op) && isScalar(op.getResult(0)))
      roots.push_back(&op);
  llvm::SmallPtrSet<Operation *, 8> done;
  for (Operation *root : roots)
    if (!done.contains(root)) {
      SmallVector<Operation *> additions = summandsOf(root).additions;
      if (raisePenalty(block, root))
        done.insert(additions.begin(), additions.end());
    }
}

} // namespace ingot::graph
