//===- InferenceMode.cpp - Inference mode of training graphs --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/InferenceMode.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstring>
#include <map>

using namespace llvm;

namespace ingot::importer {

namespace {

/// The prefix of the names of cloned nodes.
constexpr StringLiteral scope("adanet_evaluation/inference/");

/// Finds the layers of a training graph that can be switched to inference mode,
/// and clones the nodes that depend on them.
class Switcher {
public:
  Switcher(proto::GraphDef &nodes, InferenceMode &mode)
      : nodes(nodes), graph(Graph::index(nodes, known)), mode(mode) {}

  void run(ArrayRef<std::string *> tensors);

private:
  StringRef op(Output output) const {
    return output.first < 0 ? StringRef() : graph[output.first].op();
  }
  Output input(int node, size_t index) const;
  std::optional<double> scalar(Output output) const;
  std::optional<int> variableReadBy(Output output) const;
  bool isBatchStatistic(Output output) const;

  std::optional<Output> withoutDropout(int node) const;
  bool isDraw(Output mask, double &rate) const;
  void findAverages();
  void addAverage(int node);
  void decide(const DenseSet<int> &reached);

  DenseSet<int> copiedOf(const DenseSet<int> &reached) const;
  std::string renamed(StringRef input, const DenseSet<int> &copied,
                      int depth = 0) const;
  void copy(int node, const DenseSet<int> &copied);

  // Problems of the graph, which the importer records itself. `graph` is an
  // index of `nodes`, whose NodeDefs keep their addresses when nodes are added.
  Problems known;
  proto::GraphDef &nodes;
  Graph graph;
  InferenceMode &mode;
  /// Maps the mean or variance of a batch to the variable with its moving
  /// average.
  std::map<Output, int> averages;
  /// Maps an output to the tensor that replaces it in inference mode.
  std::map<Output, std::string> replaced;
  /// Fused batch normalizations that have the moving averages as inputs.
  DenseSet<int> normalizations;
};

} // namespace

Output Switcher::input(int node, size_t index) const {
  if (node < 0 || !graph[node].error.empty() ||
      index >= graph[node].inputs.size())
    return {-1, 0};
  return graph[node].inputs[index];
}

/// Returns the value of a constant float scalar, or std::nullopt.
std::optional<double> Switcher::scalar(Output output) const {
  if (op(output) != "Const")
    return std::nullopt;
  auto it = graph[output.first].def->attr().find("value");
  if (it == graph[output.first].def->attr().end())
    return std::nullopt;
  const proto::TensorProto &tensor = it->second.tensor();
  if (tensor.tensor_shape().dim_size() != 0)
    return std::nullopt;
  if (tensor.float_val_size() == 1)
    return tensor.float_val(0);
  if (tensor.double_val_size() == 1)
    return tensor.double_val(0);
  if (tensor.dtype() == proto::DT_FLOAT &&
      tensor.tensor_content().size() == sizeof(float)) {
    float value;
    std::memcpy(&value, tensor.tensor_content().data(), sizeof(value));
    return value;
  }
  return std::nullopt;
}

/// Returns whether `mask` is "RandomUniform() >= rate", possibly cast, with a
/// constant `rate`.
bool Switcher::isDraw(Output mask, double &rate) const {
  if (op(mask) == "Cast")
    mask = input(mask.first, 0);
  if (op(mask) != "GreaterEqual")
    return false;
  StringRef draw = op(input(mask.first, 0));
  auto number = scalar(input(mask.first, 1));
  if (!number || (draw != "RandomUniform" && draw != "StatelessRandomUniform" &&
                  draw != "StatelessRandomUniformV2"))
    return false;
  rate = *number;
  return true;
}

// If `node` is tf.nn.dropout, in the form of one of several TensorFlow
// versions, returns the output that it drops elements of; otherwise
// std::nullopt. Dropout is x / keep if a random number in [0, 1) is at least
// the rate, else 0.
std::optional<Output> Switcher::withoutDropout(int node) const {
  Output scaled, mask;
  if (graph[node].op() == "SelectV2") {
    mask = input(node, 0);
    scaled = input(node, 1);
    if (scalar(input(node, 2)) != 0.0)
      return std::nullopt;
  } else if (graph[node].op() == "Mul") {
    scaled = input(node, 0);
    mask = input(node, 1);
  } else {
    return std::nullopt;
  }
  double rate = 0;
  if (!isDraw(mask, rate))
    return std::nullopt;
  for (size_t i : {0, 1}) {
    std::optional<double> factor = scalar(input(scaled.first, i));
    if (!factor)
      continue;
    // The constants of the graph have the precision of a float.
    if (op(scaled) == "Mul" && std::abs(*factor * (1 - rate) - 1) < 1e-5)
      return input(scaled.first, 1 - i);
    if (op(scaled) == "RealDiv" && i == 1 &&
        std::abs(*factor - (1 - rate)) < 1e-5)
      return input(scaled.first, 0);
  }
  return std::nullopt;
}

/// Returns the node of the variable whose value `output` is, or std::nullopt.
std::optional<int> Switcher::variableReadBy(Output output) const {
  if (output.first < 0)
    return std::nullopt;
  int node = graph.skipIdentities(output).first;
  if (Output handle = input(node, 0);
      graph[node].op() == "ReadVariableOp" && handle.first >= 0)
    node = graph.skipIdentities(handle).first;
  if (graph[node].op() != "VarHandleOp" &&
      !graph[node].op().starts_with("Variable"))
    return std::nullopt;
  return node;
}

/// Returns whether `output` is a statistic of a batch: a mean (of values, or of
/// squared differences), or a statistic that a fused batch normalization
/// returns.
bool Switcher::isBatchStatistic(Output output) const {
  if (op(output) == "Squeeze" || op(output) == "Reshape")
    output = input(output.first, 0);
  if (op(output).starts_with("FusedBatchNorm"))
    return output.second == 1 || output.second == 2;
  return op(output) == "Mean";
}

// Recognizes the update of a moving average in the form of tf.layers and Keras,
// variable -= (variable - statistic) * (1 - decay), and records the variable as
// the average of the statistic.
void Switcher::addAverage(int node) {
  auto variable = variableReadBy(input(node, 0));
  Output product = input(node, 1);
  if (!variable || op(product) != "Mul")
    return;
  for (size_t i : {0, 1}) {
    Output difference = input(product.first, i);
    if (op(difference) != "Sub")
      continue;
    Output statistic = input(difference.first, 1);
    if (variableReadBy(input(difference.first, 0)) == variable &&
        isBatchStatistic(statistic))
      averages.emplace(statistic, *variable);
  }
}

void Switcher::findAverages() {
  for (int node = 0; node < graph.size(); ++node) {
    StringRef op = graph[node].op();
    if (op != "AssignSubVariableOp" && op != "AssignSub")
      continue;
    auto variable = variableReadBy(input(node, 0));
    if (!variable)
      continue;
    // Other variables are moving averages, but not of a batch normalization.
    StringRef name = graph[*variable].name().rsplit('/').second;
    if (name.starts_with("moving_mean") || name.starts_with("moving_variance"))
      addAverage(node);
  }
}

/// Decides which layers among the nodes `reached`, those of the evaluation, are
/// switched to inference mode, and records the replacements of their outputs.
void Switcher::decide(const DenseSet<int> &reached) {
  SmallVector<int> order(reached.begin(), reached.end());
  sort(order);
  auto note = [&](std::vector<std::string> &list, StringRef what, int node) {
    list.push_back((what + " '" + graph[node].name() + "'").str());
  };
  auto readOf = [&](Output statistic) -> std::string {
    auto it = averages.find(statistic);
    return it == averages.end() ? "" : graph[it->second].name().str();
  };
  for (int node : order) {
    if (auto kept = withoutDropout(node)) {
      replaced[{node, 0}] = graph.nameOf(*kept);
      note(mode.switched, "dropout", node);
      continue;
    }
    if (!graph[node].op().starts_with("FusedBatchNorm"))
      continue;
    auto training = graph[node].def->attr().find("is_training");
    if (training != graph[node].def->attr().end() && !training->second.b())
      continue;
    // The moving averages already are inputs of the node, which it ignores in
    // training mode.
    if (!readOf({node, 1}).empty() && !readOf({node, 2}).empty() &&
        variableReadBy(input(node, 3)) == averages[{node, 1}] &&
        variableReadBy(input(node, 4)) == averages[{node, 2}]) {
      normalizations.insert(node);
      note(mode.switched, "batch normalization", node);
    } else {
      note(mode.left, "batch normalization", node);
    }
  }
  for (auto &[statistic, variable] : averages) {
    if (!reached.contains(statistic.first) ||
        op(statistic).starts_with("FusedBatchNorm"))
      continue;
    proto::NodeDef *read = nodes.add_node();
    read->set_name((scope + graph[statistic.first].name() + "/average").str());
    read->set_op(graph[variable].op() == "VarHandleOp" ? "ReadVariableOp"
                                                       : "Identity");
    read->add_input(graph[variable].name().str());
    const auto &attributes = graph[variable].def->attr();
    if (auto type = attributes.find("dtype"); type != attributes.end())
      (*read->mutable_attr())[read->op() == "Identity" ? "T" : "dtype"] =
          type->second;
    replaced[statistic] = read->name();
    note(mode.switched, "batch normalization", statistic.first);
  }
}

/// Returns the nodes to clone: those that depend on a switched layer. Control
/// edges count, since a check of shapes would otherwise run the layer in
/// training mode. If a node belongs to a loop, all nodes are cloned, as the
/// names of frames must be unique. The nodes of the input are shared, so that
/// they can be fed.
DenseSet<int> Switcher::copiedOf(const DenseSet<int> &reached) const {
  DenseSet<int> copied = normalizations;
  auto canCopy = [&](int node) {
    const Graph::Node &it = graph[node];
    return it.error.empty() && !(it.inputs.empty() && it.controls.empty()) &&
           !it.op().starts_with("Iterator");
  };
  bool grows = true, hasLoop = false;
  // Repeat until no node is added, as loops have back edges.
  while (grows) {
    grows = false;
    for (int node : reached) {
      if (copied.contains(node) || !canCopy(node))
        continue;
      bool depends = any_of(graph[node].inputs,
                            [&](Output input) {
                              return replaced.count(input) != 0 ||
                                     copied.contains(input.first);
                            }) ||
                     any_of(graph[node].controls, [&](int control) {
                       return copied.contains(control);
                     });
      if (!depends)
        continue;
      copied.insert(node);
      hasLoop |= is_contained({"Enter", "Merge", "NextIteration", "Exit"},
                              graph[node].op());
      grows = true;
    }
  }
  if (hasLoop)
    for (int node : reached)
      if (canCopy(node))
        copied.insert(node);
  return copied;
}

/// Returns the input of a clone that stands for `input` of the original node:
/// the replacement of a layer's output, an output of another clone, or `input`
/// itself if it does not depend on a switched layer.
std::string Switcher::renamed(StringRef input, const DenseSet<int> &copied,
                              int depth) const {
  auto name = TensorName::parse(input);
  int node = name ? graph.find(name->node) : -1;
  if (node < 0)
    return input.str();
  if (!name->isControl)
    if (auto it = replaced.find({node, name->port});
        // `depth` limits the recursion for a layer that is its own input, which
        // is malformed; the importer reports it.
        it != replaced.end() && depth < graph.size())
      // A layer's inputs may depend on switched layers, too.
      return renamed(it->second, copied, depth + 1);
  if (!copied.contains(node))
    return input.str();
  std::string text = name->isControl ? "^" : "";
  text += scope.str() + name->node.str();
  if (name->hasPort)
    text += ":" + std::to_string(name->port);
  return text;
}

/// Clones a node with its inputs renamed. The clones of a loop are in a frame
/// of their own; colocation constraints (`_class`) are dropped.
void Switcher::copy(int node, const DenseSet<int> &copied) {
  const proto::NodeDef &from = *graph[node].def;
  proto::NodeDef *to = nodes.add_node();
  to->set_op(from.op());
  to->set_name(scope.str() + from.name());
  for (const std::string &input : from.input())
    to->add_input(renamed(input, copied));
  *to->mutable_attr() = from.attr();
  to->mutable_attr()->erase("_class");
  if (auto it = to->mutable_attr()->find("frame_name");
      it != to->mutable_attr()->end())
    it->second.set_s(scope.str() + it->second.s());
  if (normalizations.contains(node))
    (*to->mutable_attr())["is_training"].set_b(false);
}

void Switcher::run(ArrayRef<std::string *> tensors) {
  SmallVector<int> targets;
  for (const std::string *tensor : tensors)
    if (auto output = graph.findTensor(*tensor))
      targets.push_back(output->first);
  DenseSet<int> reached = reach(graph, targets, {});
  findAverages();
  decide(reached);
  if (replaced.empty() && normalizations.empty())
    return;
  DenseSet<int> copied = copiedOf(reached);
  SmallVector<int> order(copied.begin(), copied.end());
  sort(order);
  for (int node : order)
    copy(node, copied);
  for (std::string *tensor : tensors)
    *tensor = renamed(*tensor, copied);
}

InferenceMode switchToInference(proto::GraphDef &nodes,
                                ArrayRef<std::string *> tensors) {
  InferenceMode mode;
  Switcher(nodes, mode).run(tensors);
  return mode;
}

} // namespace ingot::importer
