//===- RaiseMixtures.cpp - Raises weighted sums to mixtures ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/RaiseToEnsembleOps.h"

#include "dialects/Ingot/IR/ActivationOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

namespace {

/// A term of an ensemble's sum: the output of a member (subnetwork), and the
/// mixture weight by which it is multiplied.
struct WeightedMember {
  Value member, weight;
};

class MixtureOpRaiser {
public:
  MixtureOpRaiser(EnsembleRaiser &block, Operation *root)
      : block(block), root(root), sum(summandsOf(root)) {}

  /// If the sum is a mixture (the weighted sum of an ensemble's members),
  /// replaces it by a mixture op and returns this op; otherwise returns null.
  MixtureOp raise();
  /// Whether several terms of the sum are weighted members, that is, products
  /// of a subnetwork's output and a weight.
  bool hasWeightedMembers() const { return members.size() > 1; }
  ArrayRef<Operation *> additions() const { return sum.additions; }

private:
  std::optional<WeightedMember> weightedMember(Value value) const;
  bool isBias(Value value) const;
  bool split();
  /// Returns the reason why the weighted members do not form a mixture, to be
  /// used in a remark. Returns an empty string if they form a mixture.
  std::string obstacle() const;
  std::string obstacleOf(const WeightedMember &weighted) const;

  static ArrayRef<int64_t> shapeOf(Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  }

  EnsembleRaiser &block;
  Operation *root;
  LeftAssociativeSum sum;
  SmallVector<WeightedMember> members;
  Value bias;
  bool biasLast = false;
};

} // namespace

std::optional<WeightedMember>
MixtureOpRaiser::weightedMember(Value value) const {
  if (auto product = value.getDefiningOp<MatMulOp>()) {
    if (product.getTransposeA() || product.getTransposeB() ||
        !block.isVariable(product.getB()) || block.isVariable(product.getA()))
      return std::nullopt;
    return WeightedMember{product.getA(), product.getB()};
  }
  auto product = value.getDefiningOp<MulOp>();
  if (!product)
    return std::nullopt;
  Value member = product.getLhs(), weight = product.getRhs();
  if (block.isVariable(member))
    std::swap(member, weight);
  if (!block.isVariable(weight) || block.isVariable(member) ||
      shapeOf(weight).size() > 1 || member.getType() != value.getType() ||
      (shapeOf(weight).size() == 1 &&
       (shapeOf(member).empty() ||
        shapeOf(weight).front() != shapeOf(member).back())))
    return std::nullopt;
  return WeightedMember{member, weight};
}

bool MixtureOpRaiser::isBias(Value value) const {
  ArrayRef<int64_t> all = shapeOf(root->getResult(0));
  return block.isVariable(value) && shapeOf(value).size() == 1 &&
         !all.empty() && shapeOf(value).front() == all.back();
}

/// Separates the terms of the sum into weighted members and a bias. Returns
/// false if there is any other term, or no member.
bool MixtureOpRaiser::split() {
  ArrayRef<Value> values = sum.values;
  if (isBias(values.front())) {
    bias = values.front();
    values = values.drop_front();
  } else if (isBias(values.back())) {
    bias = values.back();
    biasLast = true;
    values = values.drop_back();
  }
  unsigned others = 0;
  for (Value value : values) {
    if (std::optional<WeightedMember> weighted = weightedMember(value))
      members.push_back(*weighted);
    else
      ++others;
  }
  if (others == 0 || members.size() < 2)
    return others == 0 && !members.empty();
  block.missed(root->getLoc(), "a sum of weighted members has a term that is "
                               "neither a weighted member nor the bias");
  return false;
}

std::string MixtureOpRaiser::obstacleOf(const WeightedMember &weighted) const {
  std::string name = block.variableOf(weighted.weight).str();
  if (!block.dependsOn(weighted.member, Value()))
    return "the operand of '" + name + "' is not computed by a network";
  for (Operation *user : weighted.weight.getUsers()) {
    auto product = dyn_cast<MatMulOp>(user);
    if (product && product.getTransposeB())
      return "the member weighted by '" + name + "' is trained through the sum";
    auto scaled = dyn_cast<MulOp>(user);
    if (scaled && !weightedMember(scaled.getResult()))
      return "'" + name + "' also scales another tensor";
    if (scaled && block.dependsOn(scaled.getResult(), root->getResult(0)))
      return "the member weighted by '" + name + "' is trained through the sum";
  }
  return "";
}

std::string MixtureOpRaiser::obstacle() const {
  for (auto [value, weighted] : llvm::zip(ArrayRef(sum.values)
                                              .drop_front(bias && !biasLast)
                                              .drop_back(bias && biasLast),
                                          members)) {
    if (value.getType() != root->getResult(0).getType())
      return "a weighted member is broadcast";
    if (!value.hasOneUse())
      return "a weighted member has other uses";
    if (std::string why = obstacleOf(weighted); !why.empty())
      return why;
  }
  for (Operation *user : root->getUsers())
    if (isa<ReluOp, TanhOp, EluOp, SeluOp, SoftplusOp, Relu6Op>(user))
      return "the sum feeds an activation, like that of a layer";
  return "";
}

MixtureOp MixtureOpRaiser::raise() {
  auto type = dyn_cast<RankedTensorType>(root->getResult(0).getType());
  if (!type || !isa<FloatType>(type.getElementType()) ||
      !llvm::all_of(root->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
      !split())
    return {};
  // A dense layer looks like a mixture of one member: a matmul with a weight,
  // and a bias. Raise it only if the name of the weight's variable is that of a
  // mixture weight.
  if (members.size() == 1 && !block.variableOf(members.front().weight)
                                  .rsplit('/')
                                  .second.starts_with("mixture_weight"))
    return {};
  if (std::string why = obstacle(); !why.empty()) {
    block.missed(root->getLoc(), "not a mixture: " + why);
    return {};
  }
  SmallVector<Value> networks, weights;
  for (const WeightedMember &weighted : members) {
    networks.push_back(weighted.member);
    weights.push_back(weighted.weight);
  }
  OpBuilder builder(root);
  auto mixture = MixtureOp::create(builder, root->getLoc(), type, networks,
                                   weights, bias, biasLast);
  root->replaceAllUsesWith(mixture);
  eraseUnused(root);
  block.found(mixture, "a mixture of " +
                           EnsembleRaiser::counted(members.size(), "member") +
                           (bias ? " with a bias" : ""));
  return mixture;
}

namespace {

/// Raises the ops that compute the gradients of a mixture's weights and bias
/// from the gradient of the mixture's result.
class MixtureWeightGradientRaiser {
public:
  MixtureWeightGradientRaiser(EnsembleRaiser &block, MixtureOp mixture)
      : block(block), mixture(mixture) {}

  void raise() {
    for (Value gradient : gradients())
      raiseFor(gradient);
  }

private:
  /// Returns candidates for the gradient of the mixture's result. The gradient
  /// of a member's weight is the product of the member and this gradient, so
  /// the candidates are the tensors by which the first member is multiplied.
  SmallVector<Value> gradients();
  void raiseFor(Value gradient);
  Value weightGradient(Value member, Value weight, Value gradient) const;
  Value biasGradient(Value gradient);
  /// Returns the result of an op that sums `value` over dimensions, or of a
  /// reshape of such a sum, if it has the type of `like`; null if no user of
  /// `value` computes one.
  Value sumLike(Value value, Value like) const;

  EnsembleRaiser &block;
  MixtureOp mixture;
};

} // namespace

SmallVector<Value> MixtureWeightGradientRaiser::gradients() {
  Value member = mixture.getMembers().front();
  bool isMatrix = cast<RankedTensorType>(mixture.getWeights().front().getType())
                      .getRank() == 2;
  SmallVector<Value> found;
  for (Operation *user : member.getUsers()) {
    Value other;
    auto product = dyn_cast<MatMulOp>(user);
    auto scaled = dyn_cast<MulOp>(user);
    if (isMatrix && product && product.getTransposeA() &&
        !product.getTransposeB() && product.getA() == member)
      other = product.getB();
    else if (!isMatrix && scaled)
      other = scaled.getLhs() == member ? scaled.getRhs() : scaled.getLhs();
    if (other && other.getType() == mixture.getType() &&
        !llvm::is_contained(found, other) &&
        other.getParentBlock() == &block.getBlock() &&
        block.dependsOn(other, mixture.getResult()))
      found.push_back(other);
  }
  return found;
}

Value MixtureWeightGradientRaiser::sumLike(Value value, Value like) const {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t kept = cast<RankedTensorType>(like.getType()).getRank();
  for (Operation *user : value.getUsers()) {
    Value result;
    if (auto bias = dyn_cast<BiasAddGradOp>(user);
        bias && kept == 1 && bias.getDataFormat() == "NHWC")
      result = bias.getResult();
    auto sum = dyn_cast<SumOp>(user);
    if (sum && sum.getInput() == value &&
        sumsAllBut(sum.getAxes(), type.getShape(), kept))
      result = sum.getResult();
    // If the sum keeps dimensions of size 1, the graph drops them by a reshape
    // or squeeze. Continue with the result of that op.
    while (result && result.getType() != like.getType() && result.hasOneUse() &&
           isa<ReshapeOp, SqueezeOp>(*result.user_begin()))
      result = result.user_begin()->getResult(0);
    if (result && result.getType() == like.getType())
      return result;
  }
  return {};
}

Value MixtureWeightGradientRaiser::weightGradient(Value member, Value weight,
                                                  Value gradient) const {
  bool isMatrix = cast<RankedTensorType>(weight.getType()).getRank() == 2;
  for (Operation *user : member.getUsers()) {
    auto product = dyn_cast<MatMulOp>(user);
    if (isMatrix && product && product.getTransposeA() &&
        !product.getTransposeB() && product.getA() == member &&
        product.getB() == gradient)
      return product.getResult();
    auto scaled = dyn_cast<MulOp>(user);
    if (isMatrix || !scaled ||
        !llvm::is_contained(scaled->getOperands(), gradient))
      continue;
    if (Value sum = sumLike(scaled.getResult(), weight))
      return sum;
  }
  return {};
}

Value MixtureWeightGradientRaiser::biasGradient(Value gradient) {
  return mixture.getBias() ? sumLike(gradient, mixture.getBias()) : Value();
}

void MixtureWeightGradientRaiser::raiseFor(Value gradient) {
  SmallVector<Value> results;
  SmallVector<int64_t> ranks;
  for (auto [member, weight] :
       llvm::zip(mixture.getMembers(), mixture.getWeights())) {
    Value result = weightGradient(member, weight, gradient);
    if (!result)
      return block.missed(
          mixture.getLoc(),
          "the gradient of '" + block.variableOf(weight) +
              "' is not computed like the gradient of a mixture weight");
    results.push_back(result);
    ranks.push_back(cast<RankedTensorType>(weight.getType()).getRank());
  }
  Value bias = biasGradient(gradient);
  if (bias)
    results.push_back(bias);
  OpBuilder builder(mixture.getContext());
  SmallVector<Value> operands(mixture.getMembers());
  operands.push_back(gradient);
  if (failed(block.place(builder, operands, results)))
    return block.missed(
        mixture.getLoc(),
        "the gradient of a mixture weight is used before the outputs of all "
        "members of the mixture are computed");
  auto raised = MixtureGradOp::create(
      builder, results.front().getLoc(), TypeRange(ValueRange(results)),
      mixture.getMembers(), gradient, ranks, bias != nullptr);
  for (auto [old, result] : llvm::zip(results, raised.getResults())) {
    old.replaceAllUsesWith(result);
    eraseUnused(old.getDefiningOp());
  }
  block.found(raised, "the gradients of " + Twine(ranks.size()) +
                          " mixture weights" + (bias ? " and the bias" : ""));
}

void raiseMixtures(EnsembleRaiser &block) {
  // Visit additions in reverse order, so that a full sum comes before its
  // partial sums.
  SmallVector<Operation *> roots;
  for (Operation &op : llvm::reverse(block.getBlock()))
    if (isa<AddOp, AddNOp>(op))
      roots.push_back(&op);
  llvm::SmallPtrSet<Operation *, 8> done;
  SmallVector<MixtureOp> mixtures;
  for (Operation *root : roots) {
    if (done.contains(root))
      continue;
    MixtureOpRaiser raiser(block, root);
    MixtureOp mixture = raiser.raise();
    // Skip the partial sums of a mixture, which are part of the mixture. Also
    // skip the partial sums of a sum with several weighted members that is not
    // a mixture, because no part of such a sum is raised.
    if (mixture || raiser.hasWeightedMembers())
      done.insert_range(raiser.additions());
    if (mixture)
      mixtures.push_back(mixture);
  }
  for (MixtureOp mixture : mixtures)
    MixtureWeightGradientRaiser(block, mixture).raise();
}

} // namespace ingot::graph
