//===- AdaNetEvaluation.cpp - Evaluations of AdaNet's graphs --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/AdaNet/AdaNetEvaluation.h"

#include "compiler/Import/AdaNet/AdaNetHeads.h"
#include "compiler/Import/Graph/Collections.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <limits>

using namespace llvm;

namespace ingot::importer {

namespace {

/// A candidate ensemble or a member (subnetwork) for which the evaluation
/// computes a loss and metrics.
struct EvaluatedModel {
  std::string name;  // "t1_linear"
  std::string scope; // "adanet/iteration_1/subnetwork_t1_linear/"
  Output loss = {-1, 0};
  HeadFigures figures;
};

/// Adds the nodes that evaluate the candidates of an AdaNet training graph.
class EvaluationNodeBuilder {
public:
  EvaluationNodeBuilder(const proto::MetaGraphDef &source, const Graph &graph,
                        const NodesRunByAdaNetHooks &adanet,
                        proto::GraphDef &nodes)
      : source(source), graph(graph), adanet(adanet), write(nodes) {}

  AdaNetEvaluation run();

private:
  bool findCandidates();
  llvm::DenseSet<int> inputsOf(Output output) const;
  void findMembers();
  std::string nameOf(Output output) const { return graph.nameOf(output); }
  void addMetrics(EvaluatedModel &evaluated, StringRef kind);
  std::string addBestIndex();
  Output adanetLoss(const EvaluatedModel &candidate) const;
  void addBest(const std::string &index);
  void fetch(const std::string &name, const std::string &node) {
    found.fetches.push_back(
        {name, StringRef(node).contains(':') ? node : node + ":0"});
  }

  const proto::MetaGraphDef &source;
  const Graph &graph;
  const NodesRunByAdaNetHooks &adanet;
  EvaluationNodeDefBuilder write;
  std::vector<EvaluatedModel> candidates, members;
  AdaNetEvaluation found;
};

} // namespace

static proto::DataType typeAttr(const proto::NodeDef &node, const char *key) {
  auto it = node.attr().find(key);
  return it == node.attr().end() ? proto::DT_INVALID : it->second.type();
}

/// Splits a node name such as "adanet/iteration_1/ensemble_NAME/loss", with
/// `kind` being "ensemble_". Returns the scope
/// "adanet/iteration_1/ensemble_NAME/" and NAME, or std::nullopt if the name
/// has another form.
static std::optional<std::pair<std::string, std::string>>
scopeOf(StringRef node, StringRef kind) {
  auto [adanet, rest] = node.split('/');
  auto [iteration, inner] = rest.split('/');
  auto [owner, last] = inner.split('/');
  if (adanet != "adanet" || !iteration.starts_with("iteration_") ||
      last.empty())
    return std::nullopt;
  std::string scope = (adanet + "/" + iteration + "/" + owner + "/").str();
  if (!owner.consume_front(kind) || owner.empty())
    return std::nullopt;
  return std::make_pair(scope, owner.str());
}

// Finds the candidates and their losses (AdaNet facts AN-034 and AN-041). With
// several candidates, AdaNet packs their losses into one tensor, in the order
// of the candidates, to select the best candidate's loss. A single candidate's
// loss is not packed; it is the last tensor in collection `losses`, to which
// Estimator appends it.
bool EvaluationNodeBuilder::findCandidates() {
  std::string stack = "adanet/iteration_" + std::to_string(adanet.iteration) +
                      "/best_loss/stack";
  SmallVector<Output> losses;
  if (int node = graph.find(stack); node >= 0 && graph[node].op() == "Pack") {
    losses.append(graph[node].inputs.begin(), graph[node].inputs.end());
  } else {
    std::vector<std::string> names = getNames(source, "losses");
    std::optional<Output> last =
        names.empty() ? std::nullopt : graph.findTensor(names.back());
    if (last)
      losses.push_back({last->first, std::max(last->second, 0)});
  }
  for (Output loss : losses) {
    if (typeAttr(*graph[loss.first].def, "T") != proto::DT_FLOAT)
      return false;
    auto scope = scopeOf(graph[loss.first].name(), "ensemble_");
    if (!scope)
      return false;
    candidates.push_back({scope->second, scope->first, loss, {}});
  }
  return !candidates.empty();
}

// Returns the nodes that draw an element from an iterator and that `output`
// depends on.
llvm::DenseSet<int> EvaluationNodeBuilder::inputsOf(Output output) const {
  llvm::DenseSet<int> inputs;
  for (int node : reach(graph, output.first, {}))
    if (graph[node].op() == "IteratorGetNext")
      inputs.insert(node);
  return inputs;
}

// Finds the loss of each member on the examples on which the candidates are
// evaluated: the first tensor in collection `losses` that is in the member's
// scope and reads only iterators that the candidates' losses read. For a member
// that has training data of its own, this skips the loss on that data, which
// the collection lists first.
void EvaluationNodeBuilder::findMembers() {
  llvm::DenseSet<int> ofCandidates;
  for (const EvaluatedModel &candidate : candidates)
    ofCandidates.insert_range(inputsOf(candidate.loss));
  for (const std::string &name : getNames(source, "losses")) {
    auto scope = scopeOf(name, "subnetwork_");
    std::optional<Output> loss = graph.findTensor(name);
    if (!scope || !loss || !is_contained(adanet.members, scope->second) ||
        any_of(members,
               [&](const EvaluatedModel &member) {
                 return member.name == scope->second;
               }) ||
        any_of(inputsOf(*loss),
               [&](int input) { return !ofCandidates.contains(input); }))
      continue;
    members.push_back({scope->second,
                       scope->first,
                       Output(loss->first, std::max(loss->second, 0)),
                       {}});
  }
}

// Fetches the metrics that the Estimator heads of `evaluated` report, such as
// accuracy, under names that begin with `kind` and the name of `evaluated`.
void EvaluationNodeBuilder::addMetrics(EvaluatedModel &evaluated,
                                       StringRef kind) {
  std::string prefix = (kind + "/" + evaluated.name + "/").str();
  evaluated.figures =
      addHeads(graph, write, evaluated.scope, evaluated.loss, prefix);
  for (auto &[name, tensor] : evaluated.figures)
    fetch(prefix + name, tensor);
}

// Returns the candidate's AdaNet loss (AdaNet fact AN-129): the sum of the
// head's loss and the penalty of the ensemble's mixture weights, or the head's
// loss alone if there is no penalty.
Output
EvaluationNodeBuilder::adanetLoss(const EvaluatedModel &candidate) const {
  for (int node = 0; node < graph.size(); ++node)
    if ((graph[node].op() == "AddV2" || graph[node].op() == "Add") &&
        graph[node].inputs.size() == 2 && graph[node].error.empty() &&
        graph[node].inputs[0] == candidate.loss &&
        graph[node].name().starts_with(candidate.scope) &&
        !graph[node].name().contains("/gradients/"))
      return {node, 0};
  return candidate.loss;
}

// Adds an ArgMin of the moving averages of the candidates' losses, which is the
// index of the best candidate (AdaNet fact AN-135). A NaN counts as the lowest
// loss. Returns the name of the ArgMin, or "" if a candidate has no moving
// average.
std::string EvaluationNodeBuilder::addBestIndex() {
  std::vector<std::string> averages;
  for (const EvaluatedModel &candidate : candidates) {
    StringRef scope = StringRef(candidate.scope).drop_back();
    std::string variable = (scope.rsplit('/').first + "/candidate_" +
                            candidate.name + "/adanet_loss")
                               .str();
    if (graph.find(variable) < 0)
      return "";
    averages.push_back(write.add("ReadVariableOp", "average/" + candidate.name,
                                 {variable}, {{"dtype", proto::DT_FLOAT}}));
  }
  std::string all = write.pack("averages", averages);
  std::string isNan =
      write.add("IsNan", "is_nan", {all}, {{"T", proto::DT_FLOAT}});
  std::string lowest =
      write.constant("lowest", -std::numeric_limits<float>::infinity());
  std::string compared = write.add("SelectV2", "compared", {isNan, lowest, all},
                                   {{"T", proto::DT_FLOAT}});
  std::string axis = write.constant("axis", int32_t(0));
  return write.add("ArgMin", "best", {compared, axis},
                   {{"T", proto::DT_FLOAT},
                    {"Tidx", proto::DT_INT32},
                    {"output_type", proto::DT_INT64}});
}

// Fetches the loss and the metrics of the best candidate (AdaNet fact AN-216).
// For each of them, packs the values of all candidates into one tensor and
// gathers the element at `index`, the tensor with the best candidate's index.
// Omits metrics that not all candidates have.
void EvaluationNodeBuilder::addBest(const std::string &index) {
  std::string axis = write.constant("best/axis", int32_t(0));
  auto addOf = [&](const std::string &name, ArrayRef<std::string> tensors) {
    std::string all = write.pack("all/" + name, tensors);
    std::string best = write.add("GatherV2", "best/" + name, {all, index, axis},
                                 {{"Tparams", proto::DT_FLOAT},
                                  {"Tindices", proto::DT_INT64},
                                  {"Taxis", proto::DT_INT32}});
    write.setInt("batch_dims", 0);
    fetch(name, best);
  };
  std::vector<std::string> losses;
  for (const EvaluatedModel &candidate : candidates)
    losses.push_back(nameOf(candidate.loss));
  addOf("loss", losses);
  for (auto &[name, tensor] : candidates.front().figures) {
    std::vector<std::string> tensors;
    for (const EvaluatedModel &candidate : candidates)
      if (auto it = candidate.figures.find(name); it != candidate.figures.end())
        tensors.push_back(it->second);
    if (tensors.size() == candidates.size())
      addOf(name, tensors);
  }
}

AdaNetEvaluation EvaluationNodeBuilder::run() {
  if (!findCandidates())
    return {};
  findMembers();
  std::string index = addBestIndex();
  if (index.empty())
    return {};
  fetch("best_ensemble_index", index);
  for (EvaluatedModel &candidate : candidates) {
    fetch("ensemble/" + candidate.name + "/loss", nameOf(candidate.loss));
    fetch("ensemble/" + candidate.name + "/adanet_loss",
          nameOf(adanetLoss(candidate)));
    addMetrics(candidate, "ensemble");
  }
  for (EvaluatedModel &member : members)
    addMetrics(member, "subnetwork");
  addBest(index);
  return std::move(found);
}

AdaNetEvaluation addAdaNetEvaluation(const proto::MetaGraphDef &source,
                                     const Graph &graph,
                                     const NodesRunByAdaNetHooks &adanet,
                                     proto::GraphDef &nodes) {
  AdaNetEvaluation found =
      EvaluationNodeBuilder(source, graph, adanet, nodes).run();
  std::vector<std::string *> tensors;
  for (AdaNetEvaluation::EvaluationFetch &fetch : found.fetches)
    tensors.push_back(&fetch.tensor);
  // AdaNet evaluates its networks in inference mode (AdaNet facts AN-039 and
  // AN-043). So replace each fetched tensor by one that is computed without
  // dropout, and with the moving averages of batch normalizations.
  found.mode = switchToInference(nodes, tensors);
  return found;
}

} // namespace ingot::importer
