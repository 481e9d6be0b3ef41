//===- EntryFeeds.cpp - An entry's feeds ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Entries/EntryFeeds.h"

#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Graph/NodeAttributes.h"
#include "compiler/Import/Input/QueueImport.h"
#include "compiler/Import/Ops/OpTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace ingot::importer {

SmallVector<int> nodesOf(const Graph &graph, const EntrySpec &spec) {
  SmallVector<int> targets(spec.targets.begin(), spec.targets.end());
  for (const EntrySpec::FetchSpec &fetch : spec.fetches)
    targets.push_back(fetch.tensor.first);
  llvm::DenseSet<int> reached = reach(graph, targets, {});
  SmallVector<int> nodes(reached.begin(), reached.end());
  llvm::sort(nodes);
  return nodes;
}

// Returns the shape that a node declares for output `port`: attribute `shape`
// of a placeholder, the shape of a constant's value, or the shape that
// TensorFlow inferred and stored. Returns null if none of them states a rank.
static const proto::TensorShapeProto *declaredShape(const proto::NodeDef &node,
                                                    NodeAttributes &attributes,
                                                    int port) {
  SmallVector<const proto::TensorShapeProto *, 4> shapes;
  if (StringRef(node.op()).starts_with("Placeholder"))
    shapes.push_back(attributes.getShape("shape"));
  if (auto value = node.attr().find("value");
      node.op() == "Const" && value != node.attr().end())
    shapes.push_back(&value->second.tensor().tensor_shape());
  for (StringRef name : {"_output_shapes", "output_shapes"})
    if (const proto::AttrValue::ListValue *list = attributes.getList(name))
      if (port < list->shape_size())
        shapes.push_back(&list->shape(port));
  for (const proto::TensorShapeProto *shape : shapes)
    if (shape && !shape->unknown_rank())
      return shape;
  return nullptr;
}

// If output `port` belongs to a dequeue and the queue declares the shapes of
// its elements, returns the output's shape; otherwise std::nullopt.
static std::optional<proto::TensorShapeProto>
shapeFromQueue(const Graph &graph, int node, int port) {
  StringRef op = graph[node].op();
  if (!op.starts_with("QueueDequeue") || graph[node].inputs.empty())
    return std::nullopt;
  int queue = graph.skipIdentities(graph[node].inputs[0]).first;
  NodeAttributes attributes(*graph[queue].def);
  const proto::AttrValue::ListValue *shapes = attributes.getList("shapes");
  if (!shapes || port >= shapes->shape_size())
    return std::nullopt;
  proto::TensorShapeProto shape = shapes->shape(port);
  bool takesMany = op.contains("Many");
  if (shape.unknown_rank() || (!takesMany && !op.contains("UpTo")))
    return shape;
  std::optional<int64_t> count;
  if (takesMany && graph[node].inputs.size() == 2)
    count = graph.constantInt(graph[node].inputs[1]);
  proto::TensorShapeProto batch;
  batch.add_dim()->set_size(count.value_or(-1));
  batch.MergeFrom(shape);
  return batch;
}

TensorType typeOfFeed(Program &program, const EntrySpec::FeedSpec &feed,
                      std::string &error) {
  if (feed.type)
    return feed.type;
  const proto::NodeDef &node = *program.graph[feed.tensor.first].def;
  NodeAttributes attributes(node);
  proto::DataType dtype = proto::DT_INVALID;
  for (StringRef name : {"dtype", "DstT", "output_type", "T"})
    if (dtype == proto::DT_INVALID)
      dtype = attributes.getType(name, proto::DT_INVALID);
  auto [index, port] = feed.tensor;
  for (StringRef name : {"output_types", "component_types", "dtypes"}) {
    std::vector<proto::DataType> types = attributes.getTypes(name);
    if (static_cast<size_t>(port) < types.size())
      dtype = types[port];
  }
  if (StringRef(node.op()).starts_with("ReaderRead"))
    dtype = proto::DT_STRING;
  std::optional<proto::TensorShapeProto> queued =
      shapeFromQueue(program.graph, index, port);
  return convertTensorType(
      dtype, queued ? &*queued : declaredShape(node, attributes, port),
      program.context(), error);
}

// Imports the queues and staging areas that the nodes `nodes` of an entry fill,
// and the queues that these nodes close or test by QueueIsClosed. Queues that
// QueueRunners fill have been imported before.
static void addQueuesOf(Program &program, ArrayRef<int> nodes) {
  const Graph &graph = program.graph;
  SmallVector<int> all(nodes);
  for (int node : nodes)
    llvm::append_range(all, graph.nestedIn(node));
  llvm::sort(all);
  for (int node : all)
    if (graph[node].op() == "Stage")
      program.queues.addArea(program, node);
  for (StringRef prefix : {"QueueEnqueue", "QueueClose", "QueueIsClosed"})
    for (int node : all) {
      if (!graph[node].op().starts_with(prefix) || graph[node].inputs.empty())
        continue;
      int queue = graph.skipIdentities(graph[node].inputs[0]).first;
      program.queues.add(program, queue, prefix == "QueueEnqueue" ? node : -1);
    }
}

void addPlaceholders(Program &program, EntrySpec &spec) {
  const Graph &graph = program.graph;
  SmallVector<int> targets(spec.targets.begin(), spec.targets.end());
  llvm::DenseSet<Output> taken;
  for (const EntrySpec::FetchSpec &fetch : spec.fetches)
    targets.push_back(fetch.tensor.first);
  const Feeds &feeds = program.queues.fed;
  llvm::DenseSet<int> reached = reach(graph, targets, feeds);
  SmallVector<int> nodes(reached.begin(), reached.end());
  llvm::sort(nodes);
  addQueuesOf(program, nodes);
  auto take = [&](Output tensor) {
    if (feeds.contains(tensor) ||
        (isDequeue(graph[tensor.first].op()) &&
         !program.queues.isRun(program, tensor.first)))
      taken.insert(tensor);
  };
  for (int node : nodes) {
    if (graph[node].op() == "Placeholder")
      taken.insert({node, 0});
    else
      for (Output input : graph[node].inputs)
        take(input);
  }
  for (const EntrySpec::FetchSpec &fetch : spec.fetches)
    if (isDequeue(graph[fetch.tensor.first].op()))
      take(fetch.tensor);
  SmallVector<Output> sorted(taken.begin(), taken.end());
  llvm::sort(sorted);
  for (Output feed : sorted)
    spec.feeds.push_back({graph.nameOf(feed), feed, {}});
}

void warnOfQueues(Program &program, const EntrySpec &spec) {
  SmallVector<std::string> names;
  std::string why;
  for (const EntrySpec::FeedSpec &feed : spec.feeds)
    if (!spec.saver && feed.tensor.first >= 0 &&
        isDequeue(program.graph[feed.tensor.first].op()) &&
        !program.queues.fed.contains(feed.tensor)) {
      names.push_back("'" + feed.name + "'");
      if (why.empty())
        why = program.queues.reason(feed.tensor.first);
    }
  if (!names.empty())
    emitWarning(program.module.getLoc())
        << "entry '" << spec.name
        << "' takes tensors from a queue that the trainer cannot fill (" << why
        << "): each run of the entry needs feeds for "
        << llvm::join(names, ", ");
}

// Returns the static type of the feed that replaces a PlaceholderWithDefault.
// Its shape is the one that the node declares if that is static, otherwise the
// shape of the constant default value. Returns null if neither shape is static.
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

// Returns whether node `value` computes the same values in every step: it
// depends only on pure ops, and on no placeholder.
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
