//===- AdaNetEvaluation.cpp - What AdaNet's evaluation would say ----------===//

#include "compiler/Import/AdaNetEvaluation.h"

#include "compiler/Import/Collections.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <limits>
#include <map>

using namespace llvm;

namespace ingot::importer {

namespace {

/// Writes nodes, each with all attributes that its op has.
class NodeWriter {
public:
  explicit NodeWriter(proto::GraphDef &nodes) : nodes(nodes) {}

  using Type = proto::DataType;

  /// Adds a node and returns its name.
  std::string add(StringRef op, const Twine &name, ArrayRef<std::string> inputs,
                  std::initializer_list<std::pair<const char *, Type>> types) {
    node = nodes.add_node();
    node->set_name(("adanet_evaluation/" + name).str());
    node->set_op(op.str());
    for (const std::string &input : inputs)
      node->add_input(input);
    for (auto [key, type] : types)
      (*node->mutable_attr())[key].set_type(type);
    return node->name();
  }
  void setInt(const char *key, int64_t value) {
    (*node->mutable_attr())[key].set_i(value);
  }

  /// A constant: of rank 1 where `values` says so, else a scalar.
  std::string constant(const Twine &name, int32_t value, bool isList = false) {
    std::string added = add("Const", name, {}, {{"dtype", proto::DT_INT32}});
    auto &tensor = *(*node->mutable_attr())["value"].mutable_tensor();
    tensor.set_dtype(proto::DT_INT32);
    tensor.add_int_val(value);
    tensor.mutable_tensor_shape();
    if (isList)
      tensor.mutable_tensor_shape()->add_dim()->set_size(1);
    return added;
  }
  std::string constant(const Twine &name, float value) {
    std::string added = add("Const", name, {}, {{"dtype", proto::DT_FLOAT}});
    auto &tensor = *(*node->mutable_attr())["value"].mutable_tensor();
    tensor.set_dtype(proto::DT_FLOAT);
    tensor.add_float_val(value);
    tensor.mutable_tensor_shape();
    return added;
  }
  std::string cast(const Twine &name, const std::string &input, Type from,
                   Type to) {
    return from == to
               ? input
               : add("Cast", name, {input}, {{"SrcT", from}, {"DstT", to}});
  }
  std::string pack(const Twine &name, ArrayRef<std::string> inputs,
                   Type type = proto::DT_FLOAT) {
    std::string added = add("Pack", name, inputs, {{"T", type}});
    setInt("N", static_cast<int64_t>(inputs.size()));
    setInt("axis", 0);
    return added;
  }
  std::string flatten(const Twine &name, const std::string &input) {
    std::string shape = constant(name + "/shape", int32_t(-1), /*isList=*/true);
    return add("Reshape", name, {input, shape},
               {{"T", proto::DT_FLOAT}, {"Tshape", proto::DT_INT32}});
  }

private:
  proto::GraphDef &nodes;
  proto::NodeDef *node = nullptr;
};

/// A candidate or a member: its scope, its loss, and what else there is to know
/// of it, each a tensor with a number for each example.
struct Evaluated {
  std::string name;  // "t1_linear"
  std::string scope; // "adanet/iteration_1/subnetwork_t1_linear/"
  Output loss = {-1, 0};
  std::map<std::string, std::string> perExample;
};

class Evaluation {
public:
  Evaluation(const proto::MetaGraphDef &source, const Graph &graph,
             const AdaNetGraph &adanet, proto::GraphDef &nodes)
      : source(source), graph(graph), adanet(adanet), write(nodes) {}

  AdaNetEvaluation run();

private:
  bool findCandidates();
  void findMembers();
  std::string nameOf(Output output) const { return graph.nameOf(output); }
  void addMetrics(Evaluated &evaluated, StringRef kind);
  bool addClasses(Evaluated &evaluated, int node, const std::string &prefix);
  bool addRegression(Evaluated &evaluated, int node, const std::string &prefix);
  bool addTwoClasses(Evaluated &evaluated, int node, const std::string &prefix);
  std::string addBestIndex();
  Output adanetLoss(const Evaluated &candidate) const;
  void addBest(const std::string &index);
  void fetch(const std::string &name, const std::string &node) {
    found.fetches.push_back(
        {name, StringRef(node).contains(':') ? node : node + ":0"});
  }

  const proto::MetaGraphDef &source;
  const Graph &graph;
  const AdaNetGraph &adanet;
  NodeWriter write;
  std::vector<Evaluated> candidates, members;
  AdaNetEvaluation found;
};

} // namespace

static proto::DataType typeAttr(const proto::NodeDef &node, const char *key) {
  auto it = node.attr().find(key);
  return it == node.attr().end() ? proto::DT_INVALID : it->second.type();
}

/// "adanet/iteration_1/ensemble_NAME/" of a node's name, and NAME.
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

// AN-034, 041: the best candidate's loss is taken from a list of all
// candidates' losses, in the order of the candidates; of a single one it is the
// loss itself, which Estimator lists last.
bool Evaluation::findCandidates() {
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

// What a member's head computes stands in collection `losses`, too.
void Evaluation::findMembers() {
  for (const std::string &name : getNames(source, "losses")) {
    auto scope = scopeOf(name, "subnetwork_");
    std::optional<Output> loss = graph.findTensor(name);
    if (!scope || !loss || !is_contained(adanet.members, scope->second) ||
        any_of(members, [&](const Evaluated &member) {
          return member.name == scope->second;
        }))
      continue;
    members.push_back({scope->second,
                       scope->first,
                       Output(loss->first, std::max(loss->second, 0)),
                       {}});
  }
}

// A head for several classes.
bool Evaluation::addClasses(Evaluated &evaluated, int node,
                            const std::string &prefix) {
  if (graph[node].op() != "SparseSoftmaxCrossEntropyWithLogits" ||
      graph[node].inputs.size() != 2)
    return false;
  proto::DataType labels = typeAttr(*graph[node].def, "Tlabels");
  std::string last = write.constant(prefix + "last", int32_t(1));
  std::string predicted = write.add("ArgMax", prefix + "predicted",
                                    {nameOf(graph[node].inputs[0]), last},
                                    {{"T", proto::DT_FLOAT},
                                     {"Tidx", proto::DT_INT32},
                                     {"output_type", proto::DT_INT64}});
  std::string expected =
      write.cast(prefix + "expected", nameOf(graph[node].inputs[1]), labels,
                 proto::DT_INT64);
  std::string right =
      write.add("Equal", prefix + "right", {predicted, expected},
                {{"T", proto::DT_INT64}});
  evaluated.perExample["accuracy"] =
      write.cast(prefix + "accuracy", right, proto::DT_BOOL, proto::DT_FLOAT);
  evaluated.perExample["average_loss"] = nameOf({node, 0});
  return true;
}

bool Evaluation::addRegression(Evaluated &evaluated, int node,
                               const std::string &prefix) {
  if (graph[node].op() != "SquaredDifference" || graph[node].inputs.size() != 2)
    return false;
  evaluated.perExample["average_loss"] =
      write.flatten(prefix + "average_loss", nameOf({node, 0}));
  evaluated.perExample["prediction/mean"] =
      write.flatten(prefix + "prediction", nameOf(graph[node].inputs[0]));
  evaluated.perExample["label/mean"] =
      write.flatten(prefix + "label", nameOf(graph[node].inputs[1]));
  return true;
}

// tf.nn.sigmoid_cross_entropy_with_logits: relu(x) - x * z + log1p(...).
bool Evaluation::addTwoClasses(Evaluated &evaluated, int node,
                               const std::string &prefix) {
  auto producer = [&](int of, size_t input) {
    return input < graph[of].inputs.size() ? graph[of].inputs[input].first : -1;
  };
  int difference = producer(node, 0), log = producer(node, 1);
  if ((graph[node].op() != "AddV2" && graph[node].op() != "Add") ||
      difference < 0 || log < 0 || graph[difference].op() != "Sub" ||
      graph[log].op() != "Log1p")
    return false;
  int product = producer(difference, 1);
  if (product < 0 || graph[product].op() != "Mul" ||
      graph[product].inputs.size() != 2)
    return false;
  std::string logits =
      write.flatten(prefix + "logits", nameOf(graph[product].inputs[0]));
  std::string label =
      write.flatten(prefix + "label", nameOf(graph[product].inputs[1]));
  std::string zero = write.constant(prefix + "zero", 0.0f);
  std::string positive = write.add("Greater", prefix + "positive",
                                   {logits, zero}, {{"T", proto::DT_FLOAT}});
  std::string predicted = write.cast(prefix + "predicted", positive,
                                     proto::DT_BOOL, proto::DT_FLOAT);
  std::string right = write.add("Equal", prefix + "right", {predicted, label},
                                {{"T", proto::DT_FLOAT}});
  evaluated.perExample["accuracy"] =
      write.cast(prefix + "accuracy", right, proto::DT_BOOL, proto::DT_FLOAT);
  evaluated.perExample["average_loss"] =
      write.flatten(prefix + "average_loss", nameOf({node, 0}));
  evaluated.perExample["label/mean"] = label;
  evaluated.perExample["prediction/mean"] = write.add(
      "Sigmoid", prefix + "prediction", {logits}, {{"T", proto::DT_FLOAT}});
  return true;
}

// The head is told by what its loss is made of, in the scope of the candidate.
void Evaluation::addMetrics(Evaluated &evaluated, StringRef kind) {
  std::string prefix = (kind + "/" + evaluated.name + "/").str();
  DenseSet<int> reached = reach(graph, evaluated.loss.first, {});
  SmallVector<int> nodes(reached.begin(), reached.end());
  sort(nodes);
  // Several of them are several heads, whose figures have names of their own.
  int heads = 0;
  for (int node : nodes) {
    if (!graph[node].name().starts_with(evaluated.scope) ||
        // Batch normalization's.
        graph[node].name().contains("/moments/") ||
        !graph[node].error.empty() ||
        typeAttr(*graph[node].def, "T") != proto::DT_FLOAT)
      continue;
    std::string own =
        heads == 0 ? prefix : prefix + "_" + std::to_string(heads);
    heads += addClasses(evaluated, node, own) ||
             addRegression(evaluated, node, own) ||
             addTwoClasses(evaluated, node, own);
  }
  if (heads != 1)
    evaluated.perExample.clear();
  for (auto &[name, tensor] : evaluated.perExample)
    fetch(prefix + name, tensor);
}

// AN-129: the head's loss and, for ensembles that have one, the penalty of
// their weights.
Output Evaluation::adanetLoss(const Evaluated &candidate) const {
  for (int node = 0; node < graph.size(); ++node)
    if ((graph[node].op() == "AddV2" || graph[node].op() == "Add") &&
        graph[node].inputs.size() == 2 && graph[node].error.empty() &&
        graph[node].inputs[0] == candidate.loss &&
        graph[node].name().starts_with(candidate.scope) &&
        !graph[node].name().contains("/gradients/"))
      return {node, 0};
  return candidate.loss;
}

// AN-135: NaN counts as the lowest.
std::string Evaluation::addBestIndex() {
  std::vector<std::string> averages;
  for (const Evaluated &candidate : candidates) {
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

// AN-216: what every candidate has.
void Evaluation::addBest(const std::string &index) {
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
  for (const Evaluated &candidate : candidates)
    losses.push_back(nameOf(candidate.loss));
  addOf("loss", losses);
  for (auto &[name, tensor] : candidates.front().perExample) {
    std::vector<std::string> tensors;
    for (const Evaluated &candidate : candidates)
      if (auto it = candidate.perExample.find(name);
          it != candidate.perExample.end())
        tensors.push_back(it->second);
    if (tensors.size() == candidates.size())
      addOf(name, tensors);
  }
}

AdaNetEvaluation Evaluation::run() {
  if (!findCandidates())
    return {};
  findMembers();
  std::string index = addBestIndex();
  if (index.empty())
    return {};
  fetch("best_ensemble_index", index);
  for (Evaluated &candidate : candidates) {
    fetch("ensemble/" + candidate.name + "/loss", nameOf(candidate.loss));
    fetch("ensemble/" + candidate.name + "/adanet_loss",
          nameOf(adanetLoss(candidate)));
    addMetrics(candidate, "ensemble");
  }
  for (Evaluated &member : members)
    addMetrics(member, "subnetwork");
  addBest(index);
  return std::move(found);
}

AdaNetEvaluation addAdaNetEvaluation(const proto::MetaGraphDef &source,
                                     const Graph &graph,
                                     const AdaNetGraph &adanet,
                                     proto::GraphDef &nodes) {
  return Evaluation(source, graph, adanet, nodes).run();
}

} // namespace ingot::importer
