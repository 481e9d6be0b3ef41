//===- InferenceMode.cpp - Inference mode of training graphs --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Entries/InferenceMode.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstring>
#include <map>

using namespace llvm;

namespace ingot::importer {

namespace {

/// The prefix of the names of cloned nodes.
constexpr StringLiteral scope("adanet_evaluation/inference/");

/// Finds the dropout and batch normalization layers of a training graph that
/// can be switched to inference mode, and clones the nodes that depend on them.
class InferenceModeRewriter {
public:
  InferenceModeRewriter(proto::GraphDef &nodes, InferenceModeChanges &mode)
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

  // `graph` indexes `nodes`. The index stays valid when nodes are added,
  // because adding a node does not move the existing NodeDefs. `known` receives
  // the problems of indexing, which are ignored because the importer records
  // them itself.
  ImportErrors known;
  proto::GraphDef &nodes;
  Graph graph;
  InferenceModeChanges &mode;
  /// Maps an output that is the mean or variance of a batch to the node of the
  /// variable with the moving average of this mean or variance.
  std::map<Output, int> averages;
  /// Maps an output of a layer to the name of the tensor that replaces it in
  /// inference mode.
  std::map<Output, std::string> replaced;
  /// FusedBatchNorm nodes whose inputs are already the moving averages of their
  /// own batch statistics, so that a clone only needs is_training = false.
  DenseSet<int> normalizations;
};

} // namespace

Output InferenceModeRewriter::input(int node, size_t index) const {
  if (node < 0 || !graph[node].error.empty() ||
      index >= graph[node].inputs.size())
    return {-1, 0};
  return graph[node].inputs[index];
}

/// Returns the value of `output` if it is a constant float scalar, otherwise
/// std::nullopt.
std::optional<double> InferenceModeRewriter::scalar(Output output) const {
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

/// Returns whether `mask` is the dropout mask "RandomUniform() >= rate"
/// (possibly cast) with a constant rate, and sets `rate`.
bool InferenceModeRewriter::isDraw(Output mask, double &rate) const {
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

// If `node` is the result of tf.nn.dropout, returns the output x to which the
// dropout is applied. The result is x / (1 - rate) if a random number in [0, 1)
// is at least the rate, and 0 otherwise. Several TensorFlow versions express
// this by different nodes. Returns std::nullopt for other nodes.
std::optional<Output> InferenceModeRewriter::withoutDropout(int node) const {
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
    // The graph has both the factor 1 / (1 - rate) and the rate as rounded
    // float constants, so compare them with a tolerance.
    if (op(scaled) == "Mul" && std::abs(*factor * (1 - rate) - 1) < 1e-5)
      return input(scaled.first, 1 - i);
    if (op(scaled) == "RealDiv" && i == 1 &&
        std::abs(*factor - (1 - rate)) < 1e-5)
      return input(scaled.first, 0);
  }
  return std::nullopt;
}

/// Returns the node of the variable that `output` reads, or std::nullopt if it
/// is no read of a variable.
std::optional<int> InferenceModeRewriter::variableReadBy(Output output) const {
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

/// Returns whether `output` can be a mean or variance of a batch: a Mean (of
/// values, or of squared differences), or output 1 or 2 of a FusedBatchNorm.
bool InferenceModeRewriter::isBatchStatistic(Output output) const {
  if (op(output) == "Squeeze" || op(output) == "Reshape")
    output = input(output.first, 0);
  if (op(output).starts_with("FusedBatchNorm"))
    return output.second == 1 || output.second == 2;
  return op(output) == "Mean";
}

// Recognizes the update of a moving average in the form of tf.layers and Keras,
// variable -= (variable - statistic) * (1 - decay), and records the variable as
// the average of the statistic.
void InferenceModeRewriter::addAverage(int node) {
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

void InferenceModeRewriter::findAverages() {
  for (int node = 0; node < graph.size(); ++node) {
    StringRef op = graph[node].op();
    if (op != "AssignSubVariableOp" && op != "AssignSub")
      continue;
    auto variable = variableReadBy(input(node, 0));
    if (!variable)
      continue;
    // Only variables with the names below belong to a batch normalization.
    // Other variables, such as moving averages of weights, are updated in the
    // same way.
    StringRef name = graph[*variable].name().rsplit('/').second;
    if (name.starts_with("moving_mean") || name.starts_with("moving_variance"))
      addAverage(node);
  }
}

/// Decides for each layer among `reached`, the nodes that the evaluation needs,
/// whether it can be switched to inference mode. If so, adds the layer to
/// `replaced` or `normalizations`, and to `mode.switched`; otherwise adds it to
/// `mode.left`.
void InferenceModeRewriter::decide(const DenseSet<int> &reached) {
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
    // In training mode, the node ignores inputs 3 and 4, the moving averages.
    // If these inputs read the variables that the node's own batch statistics
    // update, a clone of the node with is_training = false is its inference
    // form.
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

/// Returns the nodes to clone for inference mode: those in `reached` that
/// depend on a layer that is switched to inference mode. A control edge counts
/// as a dependence, since a node that checks shapes, for example, would
/// otherwise run the layer in training mode. If a TF1 control flow op such as
/// Enter or Merge is cloned, all nodes in `reached` are cloned, because the
/// clone of a loop needs a frame of its own, which must contain the whole loop.
/// Nodes that draw from iterators, and nodes without inputs, are never cloned,
/// so that the evaluation's input can be fed.
DenseSet<int>
InferenceModeRewriter::copiedOf(const DenseSet<int> &reached) const {
  DenseSet<int> copied = normalizations;
  auto canCopy = [&](int node) {
    const Graph::Node &it = graph[node];
    return it.error.empty() && !(it.inputs.empty() && it.controls.empty()) &&
           !it.op().starts_with("Iterator");
  };
  bool grows = true, hasLoop = false;
  // Repeat until no further node must be cloned (`copied`). One pass would not
  // suffice, because loops have back edges.
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

/// Returns the input that a clone has in place of `input`: the tensor that
/// replaces a layer's output, or an output of another clone. If `input` depends
/// on no layer that is switched, returns `input` itself.
std::string InferenceModeRewriter::renamed(StringRef input,
                                           const DenseSet<int> &copied,
                                           int depth) const {
  auto name = TensorName::parse(input);
  int node = name ? graph.find(name->node) : -1;
  if (node < 0)
    return input.str();
  if (!name->isControl)
    if (auto it = replaced.find({node, name->port});
        // `depth` limits the recursion: in a malformed graph, a layer may be
        // its own input. The importer reports such a cycle.
        it != replaced.end() && depth < graph.size())
      // The replacement may itself depend on another switched layer.
      return renamed(it->second, copied, depth + 1);
  if (!copied.contains(node))
    return input.str();
  std::string text = name->isControl ? "^" : "";
  text += scope.str() + name->node.str();
  if (name->hasPort)
    text += ":" + std::to_string(name->port);
  return text;
}

/// Adds a clone of a node, with renamed inputs, to `nodes`. Clones of a loop's
/// nodes get a frame of their own. A colocation constraint (`_class`) is
/// dropped, as it may name a node that has no clone.
void InferenceModeRewriter::copy(int node, const DenseSet<int> &copied) {
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

void InferenceModeRewriter::run(ArrayRef<std::string *> tensors) {
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

InferenceModeChanges switchToInference(proto::GraphDef &nodes,
                                       ArrayRef<std::string *> tensors) {
  InferenceModeChanges mode;
  InferenceModeRewriter(nodes, mode).run(tensors);
  return mode;
}

} // namespace ingot::importer
