//===- Graph.cpp - An index of a graph's nodes ----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Graph/Graph.h"

#include "compiler/Import/Graph/Constants.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace ingot::importer {

std::optional<TensorName> TensorName::parse(StringRef text) {
  TensorName result;
  result.isControl = text.consume_front("^");
  auto [node, port] = text.split(':');
  result.node = node;
  result.hasPort = node.size() != text.size();
  if (node.empty() || node.contains('^'))
    return std::nullopt;
  // The text after the colon must be a non-negative int, written as digits
  // only. A control input ("^node") has no port.
  if (result.hasPort &&
      (result.isControl || port.empty() || !all_of(port, isDigit) ||
       port.getAsInteger(10, result.port)))
    return std::nullopt;
  return result;
}

bool isIdentity(StringRef op) {
  return StringSwitch<bool>(op)
      .Cases({"Identity", "IdentityN", "StopGradient", "PreventGradient"}, true)
      .Cases({"Snapshot", "PlaceholderWithDefault"}, true)
      .Default(false);
}

bool mayBeFed(const proto::NodeDef &def) {
  if (def.op() != "PlaceholderWithDefault")
    return false;
  auto it = def.attr().find("dtype");
  return it != def.attr().end() &&
         llvm::is_contained({proto::DT_FLOAT, proto::DT_DOUBLE, proto::DT_HALF,
                             proto::DT_BFLOAT16, proto::DT_BOOL,
                             proto::DT_COMPLEX64, proto::DT_COMPLEX128},
                            it->second.type());
}

void Graph::add(const proto::NodeDef &def, ImportErrors &problems) {
  int index = nodes.size();
  nodes.push_back({&def, {}, {}, {}});
  if (def.name().empty())
    problems.malformed("node " + Twine(index) + " (" + def.op() +
                       ") has no name");
  else if (!byName.try_emplace(def.name(), index).second)
    problems.malformed("duplicate node '" + qualifiedName(index) +
                       "'; each node needs a name of its own");
}

template <typename Resolve> void Graph::connect(Resolve resolve) {
  for (Node &node : nodes) {
    for (const std::string &input : node.def->input()) {
      std::string error;
      std::optional<Output> output = resolve(input, error);
      if (!output) {
        node.error = std::move(error);
        break;
      }
      if (output->second < 0) {
        node.controls.push_back(output->first);
      } else if (!node.controls.empty()) {
        node.error = "input '" + input +
                     "' follows a control input (^NODE), but these come last";
        break;
      } else {
        node.inputs.push_back(*output);
      }
    }
  }
}

Graph Graph::index(const proto::GraphDef &def, ImportErrors &problems,
                   ArrayRef<std::string> targets) {
  Graph graph;
  graph.nodes.reserve(def.node_size());
  for (const proto::NodeDef &node : def.node())
    graph.add(node, problems);
  graph.connect(
      [&](StringRef text, std::string &error) -> std::optional<Output> {
        std::optional<TensorName> name = TensorName::parse(text);
        if (!name) {
          error = ("input '" + text +
                   "' is not a tensor name (NODE, NODE:PORT or ^NODE)")
                      .str();
          return std::nullopt;
        }
        int node = graph.find(name->node);
        if (node < 0) {
          error = ("input '" + text + "' does not exist").str();
          return std::nullopt;
        }
        return Output(node, name->isControl ? -1 : name->port);
      });
  SmallVector<int> targetNodes;
  for (const std::string &target : targets)
    if (std::optional<Output> found = graph.findTensor(target))
      targetNodes.push_back(found->first);
  graph.raise(targetNodes);
  return graph;
}

// Resolves `text`, an input of a node in a function's body. It has the form
// "node:output_argument:2", where 2 is the index of the tensor within the
// output argument. Returns std::nullopt, with `error` set, on failure.
static std::optional<Output> resolveInFunction(const Graph &graph,
                                               StringRef text,
                                               Graph::FindPort findPort,
                                               std::string &error) {
  bool isControl = StringRef(text).starts_with("^");
  SmallVector<StringRef, 3> parts;
  text.drop_front(isControl ? 1 : 0).split(parts, ':');
  int node = graph.find(parts[0]);
  if (node < 0) {
    error = ("input '" + text + "' does not exist").str();
    return std::nullopt;
  }
  if (isControl)
    return Output(node, -1);
  int port = 0;
  bool isArgument = graph[node].op() == "_Arg";
  bool malformed = parts.size() > 3 || (!isArgument && parts.size() == 1);
  if (!malformed && parts.size() > 1 &&
      (isArgument || parts.size() == 3 || all_of(parts.back(), isDigit)))
    malformed =
        !all_of(parts.back(), isDigit) || parts.back().getAsInteger(10, port);
  if (!malformed && !isArgument && parts.size() == 3) {
    std::optional<int> first = findPort(*graph[node].def, parts[1]);
    malformed = !first || port > INT_MAX - *first;
    if (!malformed)
      port += *first;
  }
  if (!malformed)
    return Output(node, port);
  error = ("input '" + text +
           "' is not a tensor name (NODE:OUTPUT:INDEX, or ARGUMENT)")
              .str();
  return std::nullopt;
}

Graph Graph::index(const proto::FunctionDef &def, FindPort findPort,
                   ImportErrors &problems) {
  Graph graph;
  graph.function = def.signature().name();
  for (const proto::OpDef::ArgDef &argument : def.signature().input_arg()) {
    proto::NodeDef &node = graph.arguments.emplace_back();
    node.set_name(argument.name());
    node.set_op("_Arg");
    graph.add(node, problems);
  }
  for (const proto::NodeDef &node : def.node_def())
    graph.add(node, problems);
  graph.connect([&](StringRef text, std::string &error) {
    return resolveInFunction(graph, text, findPort, error);
  });
  for (const proto::OpDef::ArgDef &result : def.signature().output_arg()) {
    auto it = def.ret().find(result.name());
    std::string error = "no node is given";
    std::optional<Output> output;
    if (it != def.ret().end())
      output = resolveInFunction(graph, it->second, findPort, error);
    if (output && output->second >= 0)
      graph.returns.push_back(*output);
    else
      problems.malformed("function '" + graph.function + "': " + error +
                         " for result '" + result.name() + "'");
  }
  for (const std::string &output : def.signature().control_output()) {
    auto it = def.control_ret().find(output);
    int node = it == def.control_ret().end() ? -1 : graph.find(it->second);
    if (node >= 0)
      graph.controlReturns.push_back(node);
  }
  graph.raise({});
  return graph;
}

StringRef ResourceHandle::op() const { return (*graph)[node].op(); }
std::string ResourceHandle::name() const { return graph->qualifiedName(node); }

int Graph::find(StringRef name) const {
  auto it = byName.find(name);
  return it == byName.end() ? -1 : it->second;
}

std::optional<Output> Graph::findTensor(StringRef text) const {
  std::optional<TensorName> name = TensorName::parse(text);
  if (!name)
    return std::nullopt;
  int node = find(name->node);
  if (node < 0)
    return std::nullopt;
  return Output(node, name->hasPort ? name->port : -1);
}

std::string Graph::qualifiedName(int node) const {
  StringRef name = nodes[node].name();
  return function.empty() ? name.str() : function + "/" + name.str();
}

std::string Graph::nameOf(Output output) const {
  return qualifiedName(output.first) + ":" + std::to_string(output.second);
}

Output Graph::skipIdentities(Output output) const {
  // Limit the iterations by the size of the graph, since a malformed graph may
  // have a cycle of Identity nodes.
  for (int i = 0; i < size(); ++i) {
    const Node &node = nodes[output.first];
    if (!isIdentity(node.op()) || mayBeFed(*node.def) || !node.error.empty() ||
        static_cast<size_t>(output.second) >= node.inputs.size())
      break;
    output = node.inputs[output.second];
  }
  return output;
}

static const proto::TensorProto *constantOf(const Graph &graph, Output output) {
  output = graph.skipIdentities(output);
  const Graph::Node &node = graph[output.first];
  if (node.op() != "Const" || output.second != 0)
    return nullptr;
  auto it = node.def->attr().find("value");
  if (it == node.def->attr().end() || !it->second.has_tensor())
    return nullptr;
  return &it->second.tensor();
}

std::optional<std::vector<std::string>>
Graph::constantStrings(Output output) const {
  const proto::TensorProto *tensor = constantOf(*this, output);
  return tensor ? getStrings(*tensor) : std::nullopt;
}

std::optional<int64_t> Graph::constantInt(Output output) const {
  const proto::TensorProto *tensor = constantOf(*this, output);
  if (!tensor || tensor->tensor_shape().dim_size() != 0)
    return std::nullopt;
  StringRef content = tensor->tensor_content();
  if (tensor->dtype() == proto::DT_INT32) {
    if (content.size() == 4)
      return support::endian::read32le(content.data());
    return tensor->int_val_size() ? tensor->int_val(0) : 0;
  }
  if (tensor->dtype() == proto::DT_INT64) {
    if (content.size() == 8)
      return support::endian::read64le(content.data());
    return tensor->int64_val_size() ? tensor->int64_val(0) : 0;
  }
  return std::nullopt;
}

} // namespace ingot::importer
