//===- Mixtures.cpp - Builds ensembles from members -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/Mixtures.h"

#include "compiler/Builder/GraphImpl.h"

using namespace ingot::adanet;
using namespace ingot::graph;
using namespace mlir;

namespace ingot::ensemble {

namespace {

/// Creates op `op`, whose operands are several variadic groups (`lists`), and
/// sets `operandSegmentSizes` to the groups' lengths. Returns the op's results,
/// or an empty vector on failure.
std::vector<Tensor>
createSegmented(GraphImpl &data, llvm::StringRef op,
                llvm::ArrayRef<std::vector<Tensor>> lists,
                llvm::SmallVector<NamedAttribute> attributes) {
  llvm::SmallVector<Value> operands;
  llvm::SmallVector<int32_t> sizes;
  for (const std::vector<Tensor> &list : lists) {
    auto values = unwrap(llvm::ArrayRef(list));
    if (!values)
      return {};
    operands.append(*values);
    sizes.push_back(static_cast<int32_t>(values->size()));
  }
  attributes.push_back(data.builder.getNamedAttr(
      "operandSegmentSizes", data.builder.getDenseI32ArrayAttr(sizes)));
  Operation *made = data.create(op, operands, attributes);
  std::vector<Tensor> results;
  if (made)
    for (Value result : made->getResults())
      results.push_back(wrap(data, result));
  return results;
}

/// The range of the logits that one head of a multi-head reads. An ensemble has
/// separate mixture weights for each range. As in AdaNet, the names of their
/// variables end with a suffix for the head.
struct HeadLogitsRange {
  int64_t begin, size;
  std::string suffix; // "" for the first head, "_1" for the second
};

// Returns the range of each head, in the order of the logits. As in AdaNet, the
// suffix depends on the position of the head's name in alphabetical order: the
// first one has none, the next one "_1" (AN-157).
std::vector<HeadLogitsRange> partsOf(const Head &head) {
  auto named = head.logitsParts();
  std::vector<HeadLogitsRange> parts;
  int64_t begin = 0;
  for (const auto &[name, size] : named) {
    auto before = llvm::count_if(
        named, [&](const auto &other) { return other.first < name; });
    parts.push_back({begin, size, before ? "_" + std::to_string(before) : ""});
    begin += size;
  }
  return parts;
}

/// Returns the name of a mixture weight, as in AdaNet's checkpoints.
std::string weightName(size_t member, const HeadLogitsRange &part) {
  return "weighted_subnetwork_" + std::to_string(member) + "/logits" +
         part.suffix + "/mixture_weight";
}

/// Returns the shape of the mixture weight of one member. `kind.weights` says
/// what it is: a scalar, a vector with a weight per logit, or a matrix that
/// maps the member's last layer to logits.
Shape weightShape(Graph &graph, const ComplexityRegularizedEnsembler &kind,
                  Tensor lastLayer, int64_t logitsDimension) {
  switch (kind.weights) {
  case MixtureWeights::Scalar:
    return {};
  case MixtureWeights::Vector:
    return {logitsDimension};
  case MixtureWeights::Matrix:
    break;
  }
  auto shape = lastLayer.shape();
  if (shape && shape->size() != 2) // not an error in AdaNet (AN-150)
    graph.addError(
        "ensembler '" + kind.name +
        "': matrix mixture weights need last layers of shape [batch, n], got " +
        std::to_string(shape->size()) + " dimensions");
  return {shape && shape->size() == 2 ? (*shape)[1] : graph::unknown,
          logitsDimension};
}

/// Creates the mixture weight of the member at `index` of an ensemble with
/// `count` members.
Variable weightVariable(Graph &graph,
                        const ComplexityRegularizedEnsembler &kind,
                        Tensor lastLayer, size_t index, size_t count,
                        const HeadLogitsRange &part) {
  Shape shape = weightShape(graph, kind, lastLayer, part.size);
  VariableOptions options;
  options.trainable = kind.fixedWeights.empty();
  // A scalar or vector weight is initialized to 1/count, a matrix to 0
  // (AN-151), and a fixed weight to the value in the search file, which
  // training does not change (AN-163).
  double start = 1.0 / static_cast<double>(count);
  if (kind.weights == MixtureWeights::Matrix)
    start = 0;
  if (!kind.fixedWeights.empty()) {
    if (index >= kind.fixedWeights.size())
      graph.addError("ensembler '" + kind.name + "' has " +
                     std::to_string(kind.fixedWeights.size()) +
                     " fixed weights for " + std::to_string(count) +
                     " members: give one for each");
    else
      start = kind.fixedWeights[index];
  }
  return graph.variable(weightName(index, part), shape, DType::Float32,
                        constant(start), options);
}

/// Builds an ensemble with mixture weights: its logits are the weighted sum of
/// the members' logits or last layers.
class WeightedSumBuilder {
public:
  WeightedSumBuilder(Graph &graph, const ComplexityRegularizedEnsembler &kind,
                     const std::vector<Subnetwork> &members, const Head &head)
      : graph(graph), kind(kind), members(members), parts(partsOf(head)) {}

  EnsembleTensors build() {
    mixture.weights.resize(members.size());
    std::vector<Tensor> logits;
    for (const HeadLogitsRange &part : parts)
      logits.push_back(weigh(part));
    mixture.logits = parts.size() == 1 ? logits[0] : concat(logits, 1);
    return std::move(mixture);
  }

private:
  /// Returns the ensemble's logits for one head: the members' weighted logits
  /// or last layers, plus a bias.
  Tensor weigh(const HeadLogitsRange &part) {
    std::vector<Tensor> inputs, weights, bias;
    for (size_t i = 0; i < members.size(); ++i) {
      const Subnetwork &member = members[i];
      Variable weight = weightVariable(graph, kind, member.lastLayer, i,
                                       members.size(), part);
      if (weight && weight.isTrainable())
        mixture.trained.push_back(weight);
      weights.push_back(weight.read());
      mixture.weights[i].push_back(weights.back());
      inputs.push_back(
          kind.weights == MixtureWeights::Matrix ? member.lastLayer
          : parts.size() == 1
              ? member.logits
              : slice(member.logits, {0, part.begin}, {-1, part.size}));
    }
    if (kind.useBias) { // a bias per logit (AN-154)
      Variable variable = graph.variable("bias" + part.suffix, {part.size});
      mixture.trained.push_back(variable);
      bias.push_back(variable.read());
      mixture.bias.push_back(bias.back());
    }
    auto sums =
        createSegmented(graph.data(), "mixture", {inputs, weights, bias}, {});
    if (kind.lambda > 0 || kind.beta > 0) { // the complexity penalty (AN-156)
      Tensor own = penalty(weights);
      mixture.penalty = mixture.penalty ? mixture.penalty + own : own;
    }
    return sums.empty() ? Tensor() : sums[0];
  }

  Tensor penalty(const std::vector<Tensor> &weights) {
    std::vector<Tensor> complexities;
    for (const Subnetwork &member : members)
      complexities.push_back(graph.scalar(member.complexity));
    OpBuilder &builder = graph.data().builder;
    auto results = createSegmented(
        graph.data(), "complexity_penalty", {weights, complexities},
        {builder.getNamedAttr("lambda", builder.getF64FloatAttr(kind.lambda)),
         builder.getNamedAttr("beta", builder.getF64FloatAttr(kind.beta))});
    return results.empty() ? Tensor() : results[0];
  }

  Graph &graph;
  const ComplexityRegularizedEnsembler &kind;
  const std::vector<Subnetwork> &members;
  std::vector<HeadLogitsRange> parts;
  EnsembleTensors mixture;
};

} // namespace

/// Returns the mean of tensors of the same shape.
static Tensor meanOf(const std::vector<Tensor> &tensors) {
  Tensor total = tensors.front();
  for (size_t i = 1; i < tensors.size(); ++i)
    total = total + tensors[i];
  return total / static_cast<double>(tensors.size());
}

/// Builds the ensemble of a MeanEnsembler, which averages the logits of all
/// members (AN-166), or only those of the iteration's new members (AN-165).
static EnsembleTensors buildMean(const MeanEnsembler &kind,
                                 EnsembleContext &context) {
  std::vector<Tensor> logits, lastLayers;
  for (const EnsembleContext::EnsembleMember &member : context.members) {
    if (kind.newMembersOnly && !member.isNew)
      continue;
    logits.push_back(member.network.logits);
    lastLayers.push_back(member.network.lastLayer);
  }
  EnsembleTensors mixture;
  mixture.logits = meanOf(logits);
  if (!kind.addMeanLastLayerPredictions)
    return mixture;
  for (Tensor layer : lastLayers)
    if (layer && lastLayers[0] && layer.shape() != lastLayers[0].shape()) {
      // Like AdaNet, reject last layers of different shapes (AN-167).
      context.graph.addError(
          "ensembler '" + kind.name +
          "': the mean last layer requires all members' last layers "
          "to have the same shape");
      return mixture;
    }
  mixture.predictions.push_back({"mean_last_layer", meanOf(lastLayers)});
  return mixture;
}

/// Builds the ensemble of an ensembler in the user's C++ code, and checks the
/// tensors that it returns (AN-169).
static EnsembleTensors buildOwn(const UserEnsembler &ensembler,
                                const std::string &scope,
                                EnsembleContext &context) {
  Ensemble built = ensembler.build(context);
  EnsembleTensors mixture;
  mixture.logits = built.logits;
  mixture.penalty = built.penalty;
  mixture.predictions = std::move(built.predictions);
  mixture.trained =
      context.graph.variables(scope + "/", /*onlyTrainable=*/true);
  if (!context.graph.ok())
    return mixture;
  auto shape = built.logits ? built.logits.shape() : std::nullopt;
  if (!built.logits ||
      (shape &&
       (shape->size() != 2 || (shape->back() != unknown &&
                               shape->back() != context.logitsDimension)))) {
    std::string returned = "no logits";
    if (shape)
      returned =
          shape->size() == 2
              ? "[batch, " + std::to_string(shape->back()) + "]"
              : "logits of " + std::to_string(shape->size()) + " dimensions";
    context.graph.addError("ensembler '" + ensembler.name() +
                           "' must return logits of shape [batch, " +
                           std::to_string(context.logitsDimension) +
                           "], but returns " + returned);
  }
  if (built.penalty && built.penalty.shape() && !built.penalty.shape()->empty())
    context.graph.addError(
        "ensembler '" + ensembler.name() +
        "' must return a scalar penalty, but returns a penalty of " +
        std::to_string(built.penalty.shape()->size()) + " dimensions");
  return mixture;
}

EnsembleTensors buildMixture(const Candidate &candidate,
                             const std::vector<Subnetwork> &members,
                             const Head &head, EnsembleContext &context) {
  NameScope scope(context.graph, candidate.scope("ensemble"));
  if (const auto *kind =
          std::get_if<ComplexityRegularizedEnsembler>(candidate.ensembler))
    return WeightedSumBuilder(context.graph, *kind, members, head).build();
  if (const auto *mean = std::get_if<MeanEnsembler>(candidate.ensembler))
    return buildMean(*mean, context);
  return buildOwn(
      *std::get<std::shared_ptr<const UserEnsembler>>(*candidate.ensembler),
      candidate.scope("ensemble"), context);
}

void warmStart(Graph &graph, const Candidate &candidate,
               const Candidate &previous, const Head &head) {
  const auto *kind =
      std::get_if<ComplexityRegularizedEnsembler>(candidate.ensembler);
  if (!kind || !kind->warmStart || candidate.ensembler != previous.ensembler)
    return;
  std::string from = previous.scope("ensemble") + "/",
              to = candidate.scope("ensemble") + "/";
  size_t kept = 0;
  for (size_t i = 0; i < candidate.members.size(); ++i)
    if (candidate.members[i] < previous.members.size()) {
      ++kept;
      for (const HeadLogitsRange &part : partsOf(head))
        graph.findVariable(to + weightName(i, part))
            .assign(graph.findVariable(from +
                                       weightName(candidate.members[i], part)));
    }
  // Copy the bias only if the candidate keeps all members of `previous`. The
  // bias was trained for the sum of all of them, so a pruned ensemble starts
  // with a bias of zero (AN-173).
  if (kind->useBias && kept == previous.members.size())
    for (const HeadLogitsRange &part : partsOf(head))
      graph.findVariable(to + "bias" + part.suffix)
          .assign(graph.findVariable(from + "bias" + part.suffix));
}

Variable averageOf(Graph &graph, const std::string &scope) {
  NameScope names(graph, scope);
  // Like AdaNet's checkpoints, keep the state of TensorFlow's zero-debiased
  // moving average: the biased average and the number of updates.
  for (const char *part : {"/biased", "/local_step"})
    graph.variable(scope + "/adanet_loss" + part, {}, DType::Float32, zeros(),
                   untrained);
  return graph.variable("adanet_loss", {}, DType::Float32, zeros(), untrained);
}

/// Returns the two variables from which a candidate's moving average is
/// computed: the biased average and the number of updates.
static std::pair<Variable, Variable> sumsOf(Graph &graph,
                                            const std::string &scope) {
  std::string inner = scope + "/" + scope + "/adanet_loss";
  return {graph.findVariable(inner + "/biased"),
          graph.findVariable(inner + "/local_step")};
}

void resetAverage(Graph &graph, const std::string &scope) {
  auto [biased, step] = sumsOf(graph, scope);
  biased.assign(graph.scalar(0));
  step.assign(graph.scalar(0));
}

Tensor moveAverage(Graph &graph, const std::string &scope, Tensor loss,
                   double decay) {
  Variable average = averageOf(graph, scope);
  auto [biased, step] = sumsOf(graph, scope);
  GraphImpl &data = graph.data();
  auto values = unwrap(llvm::ArrayRef<Tensor>({biased, step, loss}));
  Operation *moved =
      values
          ? data.create("ema", *values,
                        {data.builder.getNamedAttr(
                            "rate", data.builder.getF64FloatAttr(1 - decay))})
          : nullptr;
  if (!moved)
    return Tensor();
  biased.assign(wrap(data, moved->getResult(1)));
  step.assign(wrap(data, moved->getResult(2)));
  Tensor value = wrap(data, moved->getResult(0));
  average.assign(value);
  return value;
}

std::vector<Tensor> selectBest(const std::vector<Tensor> &losses,
                               const std::vector<std::vector<Tensor>> &values,
                               bool forceGrow) {
  std::vector<Tensor> lists;
  for (const std::vector<Tensor> &list : values)
    lists.insert(lists.end(), list.begin(), list.end());
  if (losses.empty() || !losses[0])
    return std::vector<Tensor>(values.size() + 1);
  GraphImpl &data = *losses[0].data();
  OpBuilder &builder = data.builder;
  // With nan = "dropped", `ingot.select_best` ignores candidates whose loss is
  // NaN (AN-137).
  auto results = createSegmented(
      data, "select_best", {losses, lists},
      {builder.getNamedAttr("nan", builder.getStringAttr("dropped")),
       builder.getNamedAttr("force_grow", builder.getBoolAttr(forceGrow))});
  results.resize(values.size() + 1);
  return results;
}

} // namespace ingot::ensemble
