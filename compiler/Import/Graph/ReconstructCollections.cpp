//===- ReconstructCollections.cpp - Collections of bare GraphDefs ---------===//
// SPDX-License-Identifier: Apache-2.0
//
// A bare GraphDef has no collections and no SaverDef. Both are reconstructed
// from the names that TensorFlow gives to the nodes of variables and savers.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Import.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using llvm::StringRef;

namespace ingot::importer {

// Adds collection `variables`. It lists each VarHandleOp "w" for which the
// graph has the node "w/Assign": tf.Variable gives this name to the
// initializer.
static void addVariables(proto::MetaGraphDef &graph,
                         const llvm::StringMap<const proto::NodeDef *> &nodes) {
  std::string bytes;
  for (const proto::NodeDef &node : graph.graph_def().node()) {
    if (node.op() != "VarHandleOp")
      continue;
    proto::VariableDef variable;
    variable.set_variable_name(node.name() + ":0");
    if (nodes.contains(node.name() + "/Assign"))
      variable.set_initializer_name(node.name() + "/Assign");
    else
      continue;
    variable.set_is_resource(true);
    (*graph.mutable_collection_def())["variables"]
        .mutable_bytes_list()
        ->add_value(variable.SerializeAsString());
  }
}

// Returns the name of the first Identity that waits for node `name` by a
// control edge. In a sharded saver's scope, this is usually `save/Identity`; if
// slices of partitioned variables already use this name, TensorFlow appends a
// number to the name of the saver's Identity.
static std::optional<std::string> waiterFor(const proto::MetaGraphDef &graph,
                                            StringRef name) {
  for (const proto::NodeDef &node : graph.graph_def().node())
    if (node.op() == "Identity" && node.input_size() > 1 &&
        llvm::is_contained(node.input(), ("^" + name).str()))
      return node.name();
  return std::nullopt;
}

void addConventions(proto::MetaGraphDef &graph) {
  llvm::StringMap<const proto::NodeDef *> nodes;
  for (const proto::NodeDef &node : graph.graph_def().node())
    nodes.try_emplace(node.name(), &node);
  auto opOf = [&](StringRef name) -> StringRef {
    const proto::NodeDef *node = nodes.lookup(name);
    return node ? StringRef(node->op()) : StringRef();
  };
  addVariables(graph, nodes);
  if (opOf("init") == "NoOp")
    (*graph.mutable_collection_def())["init_op"].mutable_node_list()->add_value(
        "init");
  // Recognize the nodes of a tf.train.Saver by their names. The save tensor is
  // the Identity that runs after all other save nodes.
  bool sharded = opOf("save/MergeV2Checkpoints") == "MergeV2Checkpoints";
  std::string saved =
      sharded ? waiterFor(graph, "save/MergeV2Checkpoints").value_or("")
              : "save/control_dependency";
  if (opOf(saved) == "Identity" && opOf("save/restore_all") == "NoOp" &&
      !opOf("save/Const").empty()) {
    proto::SaverDef &saver = *graph.mutable_saver_def();
    saver.set_filename_tensor_name("save/Const:0");
    saver.set_save_tensor_name(saved + ":0");
    saver.set_restore_op_name("save/restore_all");
    saver.set_max_to_keep(5);
    saver.set_sharded(sharded);
    saver.set_keep_checkpoint_every_n_hours(10000);
  }
}

void declareUnknownShapes(proto::MetaGraphDef &graph) {
  // Change only graphs of producer versions 1 to 23. Since version 24, a
  // placeholder's shape can state that its rank is unknown. Version 0 means
  // that TensorFlow did not write the graph.
  int version = graph.graph_def().versions().producer();
  if (version < 1 || version > 23)
    return;
  for (proto::NodeDef &node : *graph.mutable_graph_def()->mutable_node()) {
    auto shape = node.mutable_attr()->find("shape");
    if (node.op() == "Placeholder" && shape != node.mutable_attr()->end() &&
        shape->second.has_shape() && shape->second.shape().dim_size() == 0)
      shape->second.mutable_shape()->set_unknown_rank(true);
  }
}

std::optional<std::vector<std::string>>
placeholdersOf(const proto::MetaGraphDef &graph, StringRef tensor) {
  llvm::StringMap<const proto::NodeDef *> nodes;
  for (const proto::NodeDef &node : graph.graph_def().node())
    nodes[node.name()] = &node;
  auto nodeOf = [&](StringRef input) {
    input.consume_front("^");
    return nodes.lookup(input.split(':').first);
  };
  const proto::NodeDef *first = nodeOf(tensor);
  if (!first)
    return std::nullopt;
  llvm::SetVector<const proto::NodeDef *> reached;
  reached.insert(first);
  std::vector<std::string> placeholders;
  for (size_t at = 0; at < reached.size(); ++at) {
    const proto::NodeDef *node = reached[at];
    if (node->op() == "Placeholder")
      placeholders.push_back(node->name() + ":0");
    for (const std::string &input : node->input())
      if (const proto::NodeDef *from = nodeOf(input))
        reached.insert(from);
  }
  return placeholders;
}

} // namespace ingot::importer
