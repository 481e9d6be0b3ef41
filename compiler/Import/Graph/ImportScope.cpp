//===- ImportScope.cpp - Moves a graph into a name scope ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Graph/ImportScope.h"

#include "compiler/Import/Variables.h"
#include "runtime/Checkpoint/ControlFlowContexts.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using llvm::StringRef;

namespace ingot::importer {

bool isNameScope(StringRef scope) {
  auto mayBegin = [](char c) { return llvm::isAlnum(c) || c == '.'; };
  return !scope.empty() && mayBegin(scope.front()) &&
         llvm::all_of(scope, [&](char c) {
           return mayBegin(c) || StringRef("_\\/>-").contains(c);
         });
}

namespace {

/// Adds a name scope to the names in a graph.
class NameScopeAdder {
public:
  explicit NameScopeAdder(StringRef scope) : scope(scope.rtrim('/')) {}

  /// Puts the scope before a name. In a control input "^name" or a colocation
  /// "loc:@name", inserts the scope after "^" or "loc:@". An empty name stays
  /// empty.
  void name(std::string &text) const {
    if (text.empty())
      return;
    StringRef bare = text, mark;
    for (StringRef start : {"^", "loc:@"})
      if (bare.consume_front(start)) {
        mark = start;
        break;
      }
    text = (mark + scope + "/" + bare).str();
  }

  void node(proto::NodeDef &node) const;
  void variable(std::string &bytes) const;
  void context(StringRef key, std::string &bytes) const;
  void saver(proto::SaverDef &saver) const {
    name(*saver.mutable_filename_tensor_name());
    name(*saver.mutable_save_tensor_name());
    name(*saver.mutable_restore_op_name());
  }
  void collection(StringRef key, proto::CollectionDef &collection) const;
  void
  tensors(google::protobuf::Map<std::string, proto::TensorInfo> &infos) const {
    for (auto &[key, info] : infos)
      name(*info.mutable_name());
  }

private:
  StringRef scope;
};

} // namespace

void NameScopeAdder::node(proto::NodeDef &node) const {
  name(*node.mutable_name());
  for (std::string &input : *node.mutable_input())
    name(input);
  if (auto colocated = node.mutable_attr()->find("_class");
      colocated != node.mutable_attr()->end())
    for (std::string &text : *colocated->second.mutable_list()->mutable_s())
      if (StringRef(text).starts_with("loc:@"))
        name(text);
}

void NameScopeAdder::variable(std::string &bytes) const {
  proto::VariableDef variable;
  if (!variable.ParseFromString(bytes))
    return; // checkCollections() reports the malformed VariableDef
  name(*variable.mutable_variable_name());
  name(*variable.mutable_initializer_name());
  name(*variable.mutable_snapshot_name());
  name(*variable.mutable_initial_value_name());
  if (variable.has_save_slice_info_def())
    name(*variable.mutable_save_slice_info_def()->mutable_full_name());
  bytes = variable.SerializeAsString();
}

void NameScopeAdder::context(StringRef key, std::string &bytes) const {
  bool broken = false;
  std::string renamed = renameContext(
      key, bytes,
      [&](std::string_view text) {
        std::string renamed(text);
        name(renamed);
        return renamed;
      },
      broken);
  // If `bytes` is not a valid context, such as a WhileContextDef, leave it
  // unchanged. TensorFlow reports the damage when it imports a MetaGraphDef
  // that the trainer has written.
  if (!broken)
    bytes = std::move(renamed);
}

void NameScopeAdder::collection(StringRef key,
                                proto::CollectionDef &collection) const {
  if (collection.has_node_list())
    for (std::string &value : *collection.mutable_node_list()->mutable_value())
      name(value);
  if (!collection.has_bytes_list())
    return;
  for (std::string &bytes : *collection.mutable_bytes_list()->mutable_value()) {
    if (proto::SaverDef def; key == "savers" && def.ParseFromString(bytes)) {
      saver(def);
      bytes = def.SerializeAsString();
    } else if (key == "global_step" || key.ends_with("variables")) {
      variable(bytes);
    } else if (isContextCollection(key)) {
      context(key, bytes);
    }
  }
}

/// Sets attribute `frame_name` of the Enters of each loop to the name of the
/// loop's WhileContextDef, which already includes the import scope. TensorFlow
/// does the same when it imports the contexts.
static void renameFrames(proto::MetaGraphDef &graph) {
  llvm::StringMap<proto::NodeDef *> enters;
  for (proto::NodeDef &node : *graph.mutable_graph_def()->mutable_node())
    if (node.op() == "Enter" || node.op() == "RefEnter")
      enters[node.name()] = &node;
  if (enters.empty())
    return;
  auto visit = [&](std::string_view loop,
                   const std::vector<std::string_view> &tensors) {
    for (StringRef tensor : tensors)
      if (proto::NodeDef *enter = enters.lookup(tensor.split(':').first))
        (*enter->mutable_attr())["frame_name"].set_s(std::string(loop));
  };
  for (const char *key : {"while_context", "cond_context"})
    if (auto found = graph.collection_def().find(key);
        found != graph.collection_def().end())
      for (const std::string &context : found->second.bytes_list().value())
        forEachLoop(key, context, visit);
}

void addImportScope(proto::MetaGraphDef &graph, StringRef scope) {
  NameScopeAdder scoping(scope);
  for (proto::NodeDef &node : *graph.mutable_graph_def()->mutable_node())
    scoping.node(node);
  for (auto &[key, collection] : *graph.mutable_collection_def())
    scoping.collection(key, collection);
  renameFrames(graph);
  if (graph.has_saver_def())
    scoping.saver(*graph.mutable_saver_def());
  for (auto &[key, signature] : *graph.mutable_signature_def()) {
    scoping.tensors(*signature.mutable_inputs());
    scoping.tensors(*signature.mutable_outputs());
  }
  for (proto::AssetFileDef &asset : *graph.mutable_asset_file_def())
    scoping.name(*asset.mutable_tensor_info()->mutable_name());
}

void addScopeToResources(proto::MetaGraphDef &graph, StringRef scope) {
  NameScopeAdder scoping(scope);
  auto rename = [&](proto::NodeDef &node) {
    if (auto shared = node.mutable_attr()->find("shared_name");
        shared != node.mutable_attr()->end() &&
        shared->second.s() != anonymousName)
      scoping.name(*shared->second.mutable_s());
  };
  proto::GraphDef &nodes = *graph.mutable_graph_def();
  for (proto::NodeDef &node : *nodes.mutable_node())
    rename(node);
  for (proto::FunctionDef &function :
       *nodes.mutable_library()->mutable_function())
    for (proto::NodeDef &node : *function.mutable_node_def())
      rename(node);
  if (graph.has_object_graph_def())
    for (proto::SavedObject &object :
         *graph.mutable_object_graph_def()->mutable_nodes())
      if (object.has_variable())
        scoping.name(*object.mutable_variable()->mutable_name());
}

} // namespace ingot::importer
