//===- EntryFeeds.cpp - An entry's feeds ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/EntryFeeds.h"

#include "compiler/Import/NodeAttributes.h"
#include "compiler/Import/OpTable.h"
#include "compiler/Import/Types.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace ingot::importer {

SmallVector<int> nodesOf(const Graph &graph, const EntrySpec &spec) {
  SmallVector<int> targets(spec.targets.begin(), spec.targets.end());
  for (const EntrySpec::Fetch &fetch : spec.fetches)
    targets.push_back(fetch.tensor.first);
  llvm::DenseSet<int> reached = reach(graph, targets, {});
  SmallVector<int> nodes(reached.begin(), reached.end());
  llvm::sort(nodes);
  return nodes;
}

void addPlaceholders(const Graph &graph, EntrySpec &spec) {
  for (int node : nodesOf(graph, spec))
    if (graph[node].op() == "Placeholder")
      spec.feeds.push_back({graph.nameOf({node, 0}), {node, 0}, {}});
}

// Returns the static type of the feed that replaces a PlaceholderWithDefault:
// the shape is the one that the node declares, otherwise that of its constant
// default. Returns null if neither shape is static.
static TensorType typeOfDefault(const Graph &graph, int node,
                                MLIRContext *context) {
  NodeAttributes own(*graph[node].def);
  proto::DataType dtype = own.getType("dtype", proto::DT_INVALID);
  std::string error;
  auto convert = [&](const proto::TensorShapeProto *shape) {
    auto type = dyn_cast_or_null<RankedTensorType>(
        shape ? convertTensorType(dtype, shape, context, error) : TensorType());
    return type && type.hasStaticShape() ? type : RankedTensorType();
  };
  if (RankedTensorType type = convert(own.getShape("shape")))
    return type;
  int value = graph.skipIdentities(graph[node].inputs[0]).first;
  if (graph[value].op() != "Const")
    return {};
  const auto &attributes = graph[value].def->attr();
  auto tensor = attributes.find("value");
  return tensor == attributes.end() || !tensor->second.has_tensor()
             ? RankedTensorType()
             : convert(&tensor->second.tensor().tensor_shape());
}

// Returns whether node `value` computes the same in every step: it depends only
// on pure ops, and on no placeholder.
static bool isConstant(Program &program, int value) {
  const Graph &graph = program.graph;
  return llvm::all_of(reach(graph, value, {}), [&](int needed) {
    return findOp(graph[needed].op()) && graph[needed].op() != "Placeholder" &&
           program.effectOf(graph, needed) == Effect::Pure;
  });
}

std::optional<EntrySpec> addDefaults(Program &program, EntrySpec &spec) {
  const Graph &graph = program.graph;
  EntrySpec defaults;
  defaults.name = spec.name + "/defaults";
  defaults.role = mlir::ingot::Role::defaults;
  for (int node : nodesOf(graph, spec)) {
    if (!mayBeFed(*graph[node].def) || graph[node].inputs.size() != 1)
      continue;
    Output value = graph[node].inputs[0];
    TensorType type = typeOfDefault(graph, node, program.context());
    if (!type || !isConstant(program, value.first))
      continue;
    spec.feeds.push_back({graph.nameOf({node, 0}), {node, 0}, type});
    defaults.fetches.push_back({graph.nameOf({node, 0}), value});
  }
  if (defaults.fetches.empty())
    return std::nullopt;
  return defaults;
}

} // namespace ingot::importer
