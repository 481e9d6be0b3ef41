//===- AdaNetHeads.cpp - Evaluation figures of Estimator's heads ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/AdaNet/AdaNetHeads.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::importer {

namespace {

/// Recognizes the Estimator heads of a candidate or member by the ops that
/// compute the heads' losses, and adds nodes that compute these heads' figures
/// (HeadFigures).
class HeadRecognizer {
public:
  HeadRecognizer(const Graph &graph, EvaluationNodeDefBuilder &write,
                 StringRef scope, const std::string &prefix)
      : graph(graph), write(write), scope(scope), prefix(prefix) {}

  HeadFigures run(Output loss);

private:
  SmallVector<int> namesOf(const SmallVector<int> &found) const;
  bool add(int node);
  bool addClasses(int node);
  bool addRegression(int node);
  bool addSigmoid(int node);
  bool addOwnLoss(int node);

  std::string nameOf(Output output) const { return graph.nameOf(output); }
  int producer(int node, size_t input) const;
  int find(const Twine &inHead) const {
    return head.empty() ? -1 : graph.find((head + inHead).str());
  }
  int findLoss(const Twine &inLosses) const {
    return losses.empty() ? -1 : graph.find((losses + inLosses).str());
  }
  bool isLoss(int node) const;
  SmallVector<int> findLosses(const DenseSet<int> *reached) const;
  void enter(int node, int named);
  std::optional<Output> weights() const;
  int prediction() const;
  int productOf(int node) const;
  void set(StringRef name, const std::string &tensor) {
    figures[(name + suffix).str()] = tensor;
  }
  std::string flat(StringRef name, const std::string &tensor) {
    return write.flatten(own + name, tensor);
  }

  const Graph &graph;
  EvaluationNodeDefBuilder &write;
  StringRef scope;
  std::string prefix;
  HeadFigures figures;
  /// The names of the current head, which `enter` sets. `head` is the scope of
  /// the head's nodes, and `losses` is the scope of its losses, both without
  /// the last slash. `suffix` is appended to the names of its metrics, and
  /// `own` is the prefix of the names of nodes that are added for it.
  std::string head, losses, suffix, own;
};

} // namespace

static proto::DataType typeAttr(const proto::NodeDef &node, const char *key) {
  auto it = node.attr().find(key);
  return it == node.attr().end() ? proto::DT_INVALID : it->second.type();
}

int HeadRecognizer::producer(int node, size_t input) const {
  return node >= 0 && graph[node].error.empty() &&
                 input < graph[node].inputs.size()
             ? graph[node].inputs[input].first
             : -1;
}

/// Returns the scope of a head's losses that contains the node named `node`:
/// ".../head/losses", or ".../losses_1" for a head of a multi-head. Returns ""
/// if the node is in no such scope.
static std::string lossesOf(StringRef node) {
  size_t at = node.rfind("/losses");
  if (at == StringRef::npos)
    return "";
  size_t end = node.find('/', at + 1);
  StringRef number = node.slice(at + 7, end);
  if (end == StringRef::npos ||
      !(number.empty() ||
        (number.consume_front("_") && all_of(number, isDigit))))
    return "";
  return node.take_front(end).str();
}

/// Selects the head whose loss is `node`: sets `head`, `losses`, `suffix` and
/// `own`. In a multi-head, the scope of `node` may not contain the head's name,
/// so the name is taken from the scope of `named`, another node that computes
/// the same loss. A head without a name has scope "head" or "head_1".
void HeadRecognizer::enter(int node, int named) {
  losses = lossesOf(graph[node].name());
  std::string scoped = lossesOf(graph[named].name());
  head = StringRef(scoped).rsplit('/').first.str();
  suffix = "";
  own = prefix;
  StringRef name = StringRef(head).rsplit('/').second, number = name;
  bool isUnnamed =
      number.consume_front("head") &&
      (number.empty() || (number.consume_front("_") && !number.empty() &&
                          all_of(number, isDigit)));
  if (name.empty() || isUnnamed)
    return;
  suffix = ("/" + name).str();
  own = prefix + name.str() + "/";
}

/// Returns the tensor of example weights by which the current head multiplies
/// its losses. Returns std::nullopt if the head does not multiply its losses,
/// or only by a constant.
std::optional<Output> HeadRecognizer::weights() const {
  int product = findLoss("/weighted_loss/Mul");
  if (product < 0 || !graph[product].error.empty() ||
      graph[product].inputs.size() != 2 ||
      any_of(
          graph[product].inputs,
          [&](Output factor) { return graph[factor.first].op() == "Const"; }))
    return std::nullopt;
  return graph[product].inputs[1];
}

/// Returns the node that computes the predictions of a regression: the float
/// node in the head's scope `predictions` that is not an input of another node
/// in this scope. Returns -1 if there is not exactly one such node.
int HeadRecognizer::prediction() const {
  std::string predictions = head + "/predictions/";
  SmallVector<int> inside;
  DenseSet<int> taken;
  for (int node = 0; node < graph.size(); ++node)
    if (graph[node].name().starts_with(predictions) &&
        graph[node].error.empty()) {
      inside.push_back(node);
      for (Output input : graph[node].inputs)
        taken.insert(input.first);
    }
  erase_if(inside, [&](int node) {
    return taken.contains(node) ||
           typeAttr(*graph[node].def, "T") != proto::DT_FLOAT ||
           graph[node].op() == "Shape";
  });
  return inside.size() == 1 ? inside.front() : -1;
}

// Adds the accuracy and average loss of a head for several exclusive classes.
// Returns false if `node` is not the loss of such a head.
bool HeadRecognizer::addClasses(int node) {
  if (graph[node].op() != "SparseSoftmaxCrossEntropyWithLogits")
    return false;
  std::string last = write.constant(own + "last", int32_t(1));
  std::string predicted = write.add("ArgMax", own + "predicted",
                                    {nameOf(graph[node].inputs[0]), last},
                                    {{"T", proto::DT_FLOAT},
                                     {"Tidx", proto::DT_INT32},
                                     {"output_type", proto::DT_INT64}});
  std::string expected =
      write.cast(own + "expected", nameOf(graph[node].inputs[1]),
                 typeAttr(*graph[node].def, "Tlabels"), proto::DT_INT64);
  std::string right = write.add("Equal", own + "right", {predicted, expected},
                                {{"T", proto::DT_INT64}});
  set("accuracy",
      write.cast(own + "accuracy", right, proto::DT_BOOL, proto::DT_FLOAT));
  set("average_loss", nameOf({node, 0}));
  return true;
}

bool HeadRecognizer::addRegression(int node) {
  if (graph[node].op() != "SquaredDifference")
    return false;
  set("average_loss", flat("average_loss", nameOf({node, 0})));
  set("prediction/mean", flat("prediction", nameOf(graph[node].inputs[0])));
  set("label/mean", flat("label", nameOf(graph[node].inputs[1])));
  return true;
}

/// If `node` is the sum relu(x) - x * z + log1p(...), by which
/// tf.nn.sigmoid_cross_entropy_with_logits computes the loss of logits x and
/// labels z, returns the node of x * z; otherwise returns -1.
int HeadRecognizer::productOf(int node) const {
  int difference = producer(node, 0), log = producer(node, 1);
  if ((graph[node].op() != "AddV2" && graph[node].op() != "Add") ||
      difference < 0 || log < 0 || graph[difference].op() != "Sub" ||
      graph[log].op() != "Log1p")
    return -1;
  int product = producer(difference, 1);
  return product >= 0 && graph[product].op() == "Mul" &&
                 graph[product].inputs.size() == 2
             ? product
             : -1;
}

// Adds the figures of a binary classification head or of a multi-label head. A
// multi-label head averages its losses over the labels by a node `Mean`, which
// a binary classification head lacks. Returns false if `node` is not the loss
// of such a head.
bool HeadRecognizer::addSigmoid(int node) {
  int product = productOf(node);
  if (product < 0)
    return false;
  std::string logits = flat("logits", nameOf(graph[product].inputs[0]));
  std::string label = flat("label", nameOf(graph[product].inputs[1]));
  std::string predicted = write.add("Sigmoid", own + "prediction", {logits},
                                    {{"T", proto::DT_FLOAT}});
  set("curve/labels", label);
  set("curve/predictions", predicted);
  int mean = findLoss("/Mean");
  if (mean >= 0 && graph[mean].op() == "Mean") {
    set("average_loss", flat("average_loss", nameOf({mean, 0})));
    return true;
  }
  std::string zero = write.constant(own + "zero", 0.0f);
  std::string positive = write.add("Greater", own + "positive", {logits, zero},
                                   {{"T", proto::DT_FLOAT}});
  std::string chosen =
      write.cast(own + "predicted", positive, proto::DT_BOOL, proto::DT_FLOAT);
  std::string right = write.add("Equal", own + "right", {chosen, label},
                                {{"T", proto::DT_FLOAT}});
  set("accuracy",
      write.cast(own + "accuracy", right, proto::DT_BOOL, proto::DT_FLOAT));
  set("average_loss", flat("average_loss", nameOf({node, 0})));
  set("label/mean", label);
  set("prediction/mean", predicted);
  return true;
}

// Adds the figures of a regression head with a custom loss function, as for
// Poisson or logistic regression. Such a head also has an inverse link
// function, which computes the predictions.
bool HeadRecognizer::addOwnLoss(int node) {
  int label = findLoss("/labels"), predicted = prediction();
  if (label < 0 || predicted < 0 || find("/predictions/class_ids") >= 0)
    return false;
  for (int tensor : {label, predicted})
    if (typeAttr(*graph[tensor].def, "T") != proto::DT_FLOAT)
      return false;
  set("average_loss", flat("average_loss", nameOf({node, 0})));
  set("prediction/mean", flat("prediction", nameOf({predicted, 0})));
  set("label/mean", flat("label", nameOf({label, 0})));
  return true;
}

bool HeadRecognizer::isLoss(int node) const {
  const Graph::Node &it = graph[node];
  StringRef name = it.name(), op = it.op();
  if (!name.starts_with(scope) || !it.error.empty() ||
      // Batch normalization ("/moments/") and gradients also compute a
      // SquaredDifference, which is not a loss.
      name.contains("/moments/") || name.contains("/gradients/") ||
      typeAttr(*it.def, "T") != proto::DT_FLOAT)
    return false;
  // Estimator checks the result of a user's loss function and then forwards it
  // through an Identity. Of these nodes, only the Identity counts as the loss.
  if (name.contains("/call_loss_fn/"))
    return name.ends_with("/call_loss_fn/Identity");
  return (it.inputs.size() == 2 &&
          (op == "SparseSoftmaxCrossEntropyWithLogits" ||
           op == "SquaredDifference")) ||
         productOf(node) >= 0;
}

/// Returns the nodes that compute losses of heads, in the graph's order.
/// Searches only the nodes in the set `reached` or, if `reached` is null, only
/// nodes in a scope ".../HEAD/losses".
SmallVector<int>
HeadRecognizer::findLosses(const DenseSet<int> *reached) const {
  SmallVector<int> found;
  for (int node = 0; node < graph.size(); ++node)
    if ((reached ? reached->contains(node)
                 : lossesOf(graph[node].name()).ends_with("/losses")) &&
        isLoss(node))
      found.push_back(node);
  return found;
}

bool HeadRecognizer::add(int node) {
  if (graph[node].name().contains("/call_loss_fn/"))
    return addOwnLoss(node);
  return addClasses(node) || addRegression(node) || addSigmoid(node);
}

/// Returns, for each loss in `found`, a node that computes the same loss and
/// whose scope contains the head's name. A multi-head computes the losses of
/// its heads several times, but only the nodes that do so first are in scopes
/// with the heads' names. Returns an empty vector unless there is exactly one
/// such node for each loss.
SmallVector<int> HeadRecognizer::namesOf(const SmallVector<int> &found) const {
  if (found.size() < 2)
    return found;
  SmallVector<int> named = findLosses(nullptr);
  erase_if(named, [&](int node) {
    // Erase the losses of other multi-heads: if the losses in `found` are in
    // scope ".../HEADS/losses", keep only those in a scope
    // ".../HEADS/HEAD/losses".
    std::string losses = lossesOf(graph[node].name());
    StringRef heads = StringRef(losses).rsplit('/').first.rsplit('/').first;
    return !graph[found.front()].name().starts_with(heads.str() + "/losses");
  });
  bool areAlike = named.size() == found.size();
  for (size_t i = 0; areAlike && i < found.size(); ++i)
    areAlike = graph[named[i]].op() == graph[found[i]].op();
  return areAlike ? named : SmallVector<int>();
}

HeadFigures HeadRecognizer::run(Output loss) {
  DenseSet<int> reached = reach(graph, loss.first, {});
  SmallVector<int> found = findLosses(&reached), named = namesOf(found);
  // If no loss was recognized, or if the losses of a multi-head cannot be
  // attributed to its heads, return no metrics.
  if (found.empty() || named.empty())
    return {};
  for (auto [node, name] : zip(found, named)) {
    enter(node, name);
    if (!add(node))
      return {};
    if (std::optional<Output> by = weights())
      set("curve/weights", flat("weights", nameOf(*by)));
    // Several losses mean a multi-head, which adds up its heads' losses; report
    // the loss of each head, too.
    int value = findLoss("/weighted_loss/value");
    if (found.size() > 1 && value >= 0 &&
        typeAttr(*graph[value].def, "T") == proto::DT_FLOAT)
      set("loss", nameOf({value, 0}));
  }
  return std::move(figures);
}

HeadFigures addHeads(const Graph &graph, EvaluationNodeDefBuilder &write,
                     StringRef scope, Output loss, const std::string &prefix) {
  return HeadRecognizer(graph, write, scope, prefix).run(loss);
}

} // namespace ingot::importer
