//===- ReadObjectives.cpp - λ and β, from the graph -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/AdaNetTool/ModelOverview.h"

#include "runtime/Support/ProtoWireReader.h"

#include "proto/Graph.pb.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <unordered_map>

using namespace ingot;
using namespace ingot::adanet;

// The size limit of a graph file: 2 GiB, the largest size of a Protobuf
// message.
static constexpr uint64_t mostBytes = uint64_t(1) << 31;

namespace {

/// A graph's nodes by name. Evaluates scalars that depend on constants only.
class ConstantScalarEvaluator {
public:
  explicit ConstantScalarEvaluator(const proto::GraphDef &graph) {
    for (const proto::NodeDef &node : graph.node())
      nodes.emplace(node.name(), &node);
  }

  const proto::NodeDef *find(const std::string &name) const {
    auto found = nodes.find(name);
    return found == nodes.end() ? nullptr : found->second;
  }
  /// Returns the node that computes data input `index` of `node`; null for a
  /// control input or if there is none.
  const proto::NodeDef *input(const proto::NodeDef &node, int index) const {
    if (index >= node.input_size() || node.input(index).starts_with("^"))
      return nullptr;
    return find(node.input(index).substr(0, node.input(index).find(':')));
  }

  /// Returns the value of a scalar that is computed from constants by the few
  /// ops that penalties use; std::nullopt for any other node. `depth` limits
  /// the recursion, as a graph may have cycles.
  std::optional<double> value(const proto::NodeDef *node, int depth = 0) const;

private:
  static std::optional<double> constant(const proto::NodeDef &node);
  std::unordered_map<std::string, const proto::NodeDef *> nodes;
};

} // namespace

/// Returns the value of a scalar Const node, which TensorProto stores either in
/// the typed field or as raw bytes; std::nullopt for other types and shapes.
std::optional<double>
ConstantScalarEvaluator::constant(const proto::NodeDef &node) {
  auto found = node.attr().find("value");
  if (found == node.attr().end() || !found->second.has_tensor())
    return std::nullopt;
  const proto::TensorProto &tensor = found->second.tensor();
  if (tensor.tensor_shape().dim_size() != 0)
    return std::nullopt;
  const std::string &bytes = tensor.tensor_content();
  auto raw = [&](auto type) -> std::optional<double> {
    if (bytes.size() != sizeof(type))
      return std::nullopt;
    std::memcpy(&type, bytes.data(), sizeof(type));
    return static_cast<double>(type);
  };
  switch (tensor.dtype()) {
  case proto::DT_FLOAT:
    return tensor.float_val_size() ? tensor.float_val(0) : raw(float());
  case proto::DT_DOUBLE:
    return tensor.double_val_size() ? tensor.double_val(0) : raw(double());
  case proto::DT_INT32:
    return tensor.int_val_size() ? tensor.int_val(0) : raw(int32_t());
  case proto::DT_INT64:
    return tensor.int64_val_size() ? static_cast<double>(tensor.int64_val(0))
                                   : raw(int64_t());
  default:
    return std::nullopt;
  }
}

std::optional<double> ConstantScalarEvaluator::value(const proto::NodeDef *node,
                                                     int depth) const {
  if (!node || depth > 16)
    return std::nullopt;
  const std::string &op = node->op();
  if (op == "Const")
    return constant(*node);
  auto x = value(input(*node, 0), depth + 1);
  if (!x)
    return std::nullopt;
  if (op == "Identity" || op == "Cast" || op == "Reshape" || op == "Squeeze")
    return x;
  if (op == "Sqrt")
    return std::sqrt(*x);
  auto y = value(input(*node, 1), depth + 1);
  if (!y)
    return std::nullopt;
  if (op == "Mul")
    return *x * *y;
  if (op == "AddV2" || op == "Add")
    return *x + *y;
  return std::nullopt;
}

// Reads λ, β and the members' complexities r of one ensemble from the graph's
// nodes in `scope`. A Mul node multiplies each member's norm by λ r + β, or by
// β alone if λ is 0. The node's other input is this factor (AN-129, AN-156).
static void readObjective(
    const ConstantScalarEvaluator &graph,
    const std::unordered_map<std::string, const proto::NodeDef *> &productsOf,
    const std::string &scope, Ensemble &ensemble) {
  double total = 0;
  for (size_t i = 0; i < ensemble.weights.size(); ++i) {
    std::string norm =
        scope + "norm" + (i ? "_" + std::to_string(i) : "") + "/Squeeze";
    if (!graph.find(norm))
      return;
    auto product = productsOf.find(norm);
    // AdaNet adds no node that multiplies the norm if λ and β are 0.
    if (product == productsOf.end()) {
      ensemble.lambda = ensemble.beta = 0;
      ensemble.weights[i].factor = ensemble.weights[i].penalty = 0;
      continue;
    }
    const proto::NodeDef *first = graph.input(*product->second, 0);
    const proto::NodeDef *factor = first && first->name() != norm
                                       ? first
                                       : graph.input(*product->second, 1);
    auto value = graph.value(factor);
    if (!value)
      return;
    if (factor->op() == "AddV2" || factor->op() == "Add") {
      const proto::NodeDef *scaled = graph.input(*factor, 0);
      if (scaled && scaled->op() == "Mul") {
        ensemble.lambda = graph.value(graph.input(*scaled, 0));
        ensemble.weights[i].complexity = graph.value(graph.input(*scaled, 1));
      }
      ensemble.beta = graph.value(graph.input(*factor, 1));
    } else if (factor->op() == "Const") {
      ensemble.lambda = 0;
      ensemble.beta = value;
    }
    ensemble.weights[i].factor = value;
    ensemble.weights[i].penalty = *value * ensemble.weights[i].norm;
    total += *ensemble.weights[i].penalty;
  }
  if (!ensemble.weights.empty())
    ensemble.penalty = total;
}

/// Returns the paths of graphs to try: the checkpoint's .meta file, then all
/// .meta files of the directory, by descending step.
static std::vector<std::string> graphsOf(FileSystem &fileSystem,
                                         const ModelOverview &model) {
  std::vector<std::pair<int64_t, std::string>> found;
  auto names = fileSystem.list(model.directory);
  if (!names)
    return {};
  for (const std::string &name : *names) {
    if (!name.ends_with(".meta"))
      continue;
    std::string prefix = name.substr(0, name.size() - 5);
    size_t dash = prefix.rfind('-');
    std::string digits =
        dash == std::string::npos ? "" : prefix.substr(dash + 1);
    if (digits.empty() || digits.size() > 18 ||
        digits.find_first_not_of("0123456789") != std::string::npos)
      continue;
    found.emplace_back(std::stoll(digits), model.directory + "/" + name);
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<std::string> paths = {model.checkpoint + ".meta"};
  for (auto &[step, path] : found)
    paths.push_back(std::move(path));
  return paths;
}

/// Reads the GraphDef of a MetaGraphDef. Other fields are skipped, not parsed.
static Expected<proto::GraphDef> readGraph(FileSystem &fileSystem,
                                           const std::string &path) {
  INGOT_ASSIGN_OR_RETURN(auto file, fileSystem.openForReading(path));
  auto damaged = [&](const std::string &what) {
    return Status(StatusCode::DataLoss, "'" + path + "' " + what);
  };
  if (file->size() > mostBytes)
    return damaged("has " + std::to_string(file->size()) +
                   " bytes, but a graph has at most 2 GiB");
  std::string bytes(file->size(), '\0');
  INGOT_ASSIGN_OR_RETURN(size_t found,
                         file->read(0, bytes.size(), bytes.data()));
  bytes.resize(found);
  constexpr uint32_t graphDef = 2;
  ProtoWireReader reader(bytes);
  proto::GraphDef graph;
  uint32_t field = 0, type = 0;
  std::string_view part;
  while (!reader.atEnd()) {
    if (!reader.readTag(field, type) ||
        (field == graphDef && type == Delimited
             ? !reader.readDelimited(part) ||
                   !graph.MergeFromString(std::string(part))
             : !reader.skip(field, type)))
      return damaged("is not a MetaGraphDef, or is damaged");
  }
  return graph;
}

void adanet::readObjectives(FileSystem &fileSystem, ModelOverview &model,
                            SessionLogger &reporter) {
  std::string scope =
      "adanet/iteration_" + std::to_string(model.current) + "/subnetwork_";
  for (const std::string &path : graphsOf(fileSystem, model)) {
    if (fileSystem.kindOf(path) != FileKind::Regular)
      continue;
    auto source = readGraph(fileSystem, path);
    if (!source) {
      reporter.warning(source.status().message() + "; λ and β are not shown");
      continue;
    }
    const auto &nodes = source->node();
    if (std::none_of(nodes.begin(), nodes.end(),
                     [&](const proto::NodeDef &node) {
                       return node.name().starts_with(scope);
                     }))
      continue;
    ConstantScalarEvaluator graph(*source);
    // Maps the name of each node that computes the norm of a mixture weight
    // ("…/Squeeze") to the node that multiplies the norm by a factor. Nodes of
    // gradients multiply norms too, but are not part of the objective.
    std::unordered_map<std::string, const proto::NodeDef *> productsOf;
    for (const proto::NodeDef &node : nodes)
      if (node.op() == "Mul" && node.input_size() >= 2 &&
          node.name().find("/gradients/") == std::string::npos)
        for (int i = 0; i < 2; ++i)
          if (node.input(i).ends_with("/Squeeze"))
            productsOf.emplace(node.input(i), &node);
    model.graph = path;
    for (IterationOverview &view : model.iterations)
      for (Ensemble &ensemble : view.ensembles)
        readObjective(graph, productsOf,
                      "adanet/iteration_" + std::to_string(view.number) +
                          "/ensemble_" + ensemble.name + "/",
                      ensemble);
    return;
  }
}
