//===- ServingGraph.cpp - A training graph as a SavedModel ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Writes SavedModels in the form of tf.saved_model.builder, which TensorFlow
// 2's loader also reads: graph, collections of variables and tables, SaverDef,
// signatures.
//
//===----------------------------------------------------------------------===//

#include "runtime/Checkpoint/ServingGraph.h"

#include "runtime/Checkpoint/MetaGraphWire.h"

#include <algorithm>
#include <map>
#include <set>

using namespace ingot;
using namespace ingot::wire;

namespace {

// Field numbers that MetaGraphWire.h lacks: of MetaGraphDef, MetaInfoDef,
// SavedModel, SignatureDef and TensorInfo.
constexpr uint32_t signatureField = 5, objectGraphField = 7;
constexpr uint32_t infoTags = 4, schemaVersion = 1, metaGraphs = 2;
constexpr uint32_t signatureInputs = 1, signatureOutputs = 2,
                   signatureMethod = 3;
constexpr uint32_t tensorName = 1, tensorType = 2, tensorShape = 3;

constexpr std::string_view serveTag = "serve",
                           predictMethod = "tensorflow/serving/predict",
                           inferencePrefix = "tensorflow/serving/";
constexpr std::string_view tablesCollection = "table_initializer",
                           mainOpCollection = "saved_model_main_op",
                           mainOpName = "saved_model_init_all_tables";
// The collections that a SavedModel loader reads. Those in
// `variableCollections` contain VariableDefs, those in `nodeCollections` names
// of nodes.
constexpr std::string_view variableCollections[] = {
    "variables", "trainable_variables", "model_variables"};
constexpr std::string_view nodeCollections[] = {
    tablesCollection, "legacy_init_op", mainOpCollection};

template <size_t N>
bool isOneOf(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Returns the name of a tensor's node: "dense/BiasAdd" for "dense/BiasAdd:0"
/// and "^dense/BiasAdd".
std::string_view nodeOf(std::string_view tensor) {
  tensor.remove_prefix(tensor.starts_with('^'));
  return tensor.substr(0, tensor.find(':'));
}

/// Reduces a training graph to the nodes that serving needs.
class ServingGraphBuilder {
public:
  ServingGraphBuilder(std::string_view metaGraph,
                      std::span<const ServingSignature> added)
      : metaGraph(metaGraph), added(added) {}

  Expected<ServingGraph> run();

private:
  void need(std::string_view tensor);
  void needSignature(std::string_view signature);
  Status findNeeded();
  Status findSignatures();
  Status findSaver();
  std::string node(std::string_view message);
  void collection(std::string_view entry, std::string &out);
  std::string info(std::string_view message);
  Expected<std::string> pruned();
  void addSignatures(std::string &out);
  void addMainOp(std::string &out);

  std::string
  rewrite(std::string_view message,
          const std::function<bool(const WireField &, std::string &)> &edit) {
    return wire::rewrite(message, edit, broken);
  }

  std::string_view metaGraph;
  std::span<const ServingSignature> added;
  // NodeDefs, keyed by node name.
  std::map<std::string_view, std::string_view> nodes;
  std::set<std::string_view> needed; // names of nodes to keep
  // SignatureDefs, keyed by signature name.
  std::map<std::string, std::string> signatures;
  std::string_view saver; // serialized SaverDef
  /// The nodes that initialize lookup tables. Loaders run them through a main
  /// op, which is added if the graph has none (`hasMainOp`).
  std::vector<std::string_view> tables;
  bool hasMainOp = false;
  bool broken = false;
};

} // namespace

/// Adds the node of a tensor, and all nodes from which it is computed, to
/// `needed`.
void ServingGraphBuilder::need(std::string_view tensor) {
  std::vector<std::string_view> left = {nodeOf(tensor)};
  while (!left.empty()) {
    auto found = nodes.find(left.back());
    left.pop_back();
    if (found == nodes.end() || !needed.insert(found->first).second)
      continue;
    forEach(found->second, nodeDef::input,
            [&](std::string_view input) { left.push_back(nodeOf(input)); });
  }
}

void ServingGraphBuilder::needSignature(std::string_view signature) {
  for (uint32_t side : {signatureInputs, signatureOutputs})
    forEach(signature, side, [&](std::string_view entry) {
      need(fieldOf(fieldOf(entry, mapValue), tensorName));
    });
}

/// Returns a serialized map entry: the tensor's key and its TensorInfo.
static std::string
tensorEntry(const ServingSignature::SignatureTensor &tensor) {
  std::string shape, info, entry;
  for (int64_t size : tensor.shape) {
    std::string dim;
    appendVarint(dim, 1 << 3);
    appendVarint(dim, static_cast<uint64_t>(size));
    appendMessage(shape, 2, dim);
  }
  appendMessage(info, tensorName, tensor.tensor);
  appendVarint(info, tensorType << 3);
  appendVarint(info, static_cast<uint64_t>(tensor.dtype));
  appendMessage(info, tensorShape, shape);
  appendMessage(entry, mapKey, tensor.key);
  appendMessage(entry, mapValue, info);
  return entry;
}

static std::string signatureDef(const ServingSignature &signature) {
  std::string message;
  for (const ServingSignature::SignatureTensor &input : signature.inputs)
    appendMessage(message, signatureInputs, tensorEntry(input));
  for (const ServingSignature::SignatureTensor &output : signature.outputs)
    appendMessage(message, signatureOutputs, tensorEntry(output));
  appendMessage(message, signatureMethod, predictMethod);
  return message;
}

/// Collects the signatures to serve: those of the graph, and those of `added`
/// whose names the graph does not have.
Status ServingGraphBuilder::findSignatures() {
  forEach(metaGraph, signatureField, [&](std::string_view entry) {
    std::string_view signature = fieldOf(entry, mapValue);
    if (fieldOf(signature, signatureMethod).starts_with(inferencePrefix))
      signatures.emplace(fieldOf(entry, mapKey), signature);
  });
  std::string problems;
  for (const ServingSignature &signature : added) {
    // A signature of the graph itself takes precedence over an `added` one of
    // the same name: its keys are the user's, while those of `added` are names
    // of tensors.
    if (signatures.count(signature.name))
      continue;
    for (const auto *side : {&signature.inputs, &signature.outputs})
      for (const ServingSignature::SignatureTensor &tensor : *side)
        if (!nodes.count(nodeOf(tensor.tensor)))
          problems += "\n  '" + tensor.tensor + "' of '" + signature.name + "'";
    signatures.emplace(signature.name, signatureDef(signature));
  }
  if (!problems.empty())
    return Status(
        StatusCode::InvalidArgument,
        "a SavedModel cannot be written: the program's graph has no node for "
        "these tensors of signatures; compile the program again:" +
            problems);
  if (signatures.empty())
    return Status(StatusCode::InvalidArgument,
                  "nothing to serve: a SavedModel needs an inference signature "
                  "in the graph, or an entry with feeds");
  // If there is only one signature, it also becomes the default signature
  // "serving_default".
  if (signatures.size() == 1)
    signatures.emplace("serving_default", signatures.begin()->second);
  return Status::ok();
}

Status ServingGraphBuilder::findSaver() {
  saver = fieldOf(metaGraph, metaGraphDef::saver);
  // If export_meta_graph() was called without a Saver, the SaverDef is only in
  // collection `savers`, not in the field `saver_def`.
  forEach(metaGraph, metaGraphDef::collection, [&](std::string_view entry) {
    if (fieldOf(entry, mapKey) == "savers")
      forEach(fieldOf(fieldOf(entry, mapValue), collectionDef::bytesList),
              collectionDef::value, [&](std::string_view listed) {
                if (saver.empty())
                  saver = listed;
              });
  });
  if (saver.empty())
    return Status(StatusCode::FailedPrecondition,
                  "the program's graph has no saver, which TensorFlow needs to "
                  "restore variables: export the graph with a tf.train.Saver, "
                  "and compile it again");
  return Status::ok();
}

/// Collects the signatures to serve, finds the SaverDef, and marks all nodes
/// that signatures, saver, variables and table initializers need.
Status ServingGraphBuilder::findNeeded() {
  forEach(fieldOf(metaGraph, metaGraphDef::graph), graphDef::node,
          [&](std::string_view message) {
            nodes.emplace(fieldOf(message, nodeDef::name), message);
          });
  INGOT_RETURN_IF_ERROR(findSignatures());
  INGOT_RETURN_IF_ERROR(findSaver());
  for (uint32_t name :
       {saverDef::filenameTensor, saverDef::saveTensor, saverDef::restoreOp})
    need(fieldOf(saver, name));
  for (const auto &[name, signature] : signatures)
    needSignature(signature);
  forEach(metaGraph, metaGraphDef::collection, [&](std::string_view entry) {
    std::string_view key = fieldOf(entry, mapKey);
    std::string_view list = fieldOf(entry, mapValue);
    if (isOneOf(nodeCollections, key))
      forEach(fieldOf(list, collectionDef::nodeList), collectionDef::value,
              [&](std::string_view name) {
                need(name);
                if (key == tablesCollection)
                  tables.push_back(name);
                else
                  hasMainOp = true;
              });
    if (isOneOf(variableCollections, key))
      forEach(
          fieldOf(list, collectionDef::bytesList), collectionDef::value,
          [&](std::string_view variable) {
            // Loaders look up the initializer, the snapshot and the initial
            // value of each VariableDef that they read. So these nodes are kept
            // for each variable whose own node is kept.
            if (needed.count(nodeOf(fieldOf(variable, variableDef::variable))))
              for (uint32_t part :
                   {variableDef::initializer, variableDef::snapshot,
                    variableDef::initialValue})
                need(fieldOf(variable, part));
          });
  });
  return Status::ok();
}

/// Copies a NodeDef. Removes from its attribute `_class` all colocations with
/// nodes that serving does not need.
std::string ServingGraphBuilder::node(std::string_view message) {
  return rewrite(message, [&](const WireField &field, std::string &out) {
    if (field.number != nodeDef::attr ||
        fieldOf(field.payload, mapKey) != "_class")
      return false;
    std::string list, value, entry;
    size_t kept = 0;
    forEach(fieldOf(fieldOf(field.payload, mapValue), attrValue::list),
            attrValue::listS, [&](std::string_view place) {
              if (size_t at = place.find('@');
                  at != std::string_view::npos &&
                  !needed.count(place.substr(at + 1)))
                return;
              appendMessage(list, attrValue::listS, place);
              ++kept;
            });
    if (kept == 0)
      return true;
    appendMessage(value, attrValue::list, list);
    appendMessage(entry, mapKey, "_class");
    appendMessage(entry, mapValue, value);
    appendMessage(out, field.number, entry);
    return true;
  });
}

/// Copies a collection if SavedModel loaders read it. Of collections of
/// variables, only the VariableDefs of kept variables are copied.
void ServingGraphBuilder::collection(std::string_view entry, std::string &out) {
  std::string_view key = fieldOf(entry, mapKey);
  if (isOneOf(nodeCollections, key) || key == "asset_filepaths" ||
      key == "saved_model_assets") {
    appendMessage(out, metaGraphDef::collection, entry);
    return;
  }
  if (!isOneOf(variableCollections, key))
    return;
  std::string list, value, edited;
  forEach(fieldOf(fieldOf(entry, mapValue), collectionDef::bytesList),
          collectionDef::value, [&](std::string_view variable) {
            if (needed.count(nodeOf(fieldOf(variable, variableDef::variable))))
              appendMessage(list, collectionDef::value, variable);
          });
  if (list.empty())
    return;
  appendMessage(value, collectionDef::bytesList, list);
  appendMessage(edited, mapKey, key);
  appendMessage(edited, mapValue, value);
  appendMessage(out, metaGraphDef::collection, edited);
}

std::string ServingGraphBuilder::info(std::string_view message) {
  std::string edited =
      rewrite(message, [](const WireField &field, std::string &) {
        return field.number == infoTags;
      });
  appendMessage(edited, infoTags, serveTag);
  return edited;
}

void ServingGraphBuilder::addSignatures(std::string &out) {
  for (const auto &[name, signature] : signatures) {
    std::string entry;
    appendMessage(entry, mapKey, name);
    appendMessage(entry, mapValue, signature);
    appendMessage(out, signatureField, entry);
  }
}

/// Adds a main op, a NoOp that depends on the initializers of all tables.
/// Loaders run the main op after they have restored the variables. Without it,
/// they would leave the tables uninitialized.
void ServingGraphBuilder::addMainOp(std::string &out) {
  if (hasMainOp || tables.empty())
    return;
  std::string message, graph, list, value, entry;
  appendMessage(message, nodeDef::name, mainOpName);
  appendMessage(message, nodeDef::op, "NoOp");
  for (std::string_view table : tables)
    appendMessage(message, nodeDef::input, "^" + std::string(nodeOf(table)));
  // Appends the node as a second `graph_def` field: protobuf merges all
  // occurrences of a message field when it parses them.
  appendMessage(graph, graphDef::node, message);
  appendMessage(out, metaGraphDef::graph, graph);
  appendMessage(list, collectionDef::value, mainOpName);
  appendMessage(value, collectionDef::nodeList, list);
  appendMessage(entry, mapKey, mainOpCollection);
  appendMessage(entry, mapValue, value);
  appendMessage(out, metaGraphDef::collection, entry);
}

/// Returns the serialized MetaGraphDef, reduced to the nodes that findNeeded()
/// has marked.
Expected<std::string> ServingGraphBuilder::pruned() {
  INGOT_RETURN_IF_ERROR(findNeeded());
  bool hasInfo = false;
  std::string out = rewrite(metaGraph, [&](const WireField &field,
                                           std::string &edited) {
    switch (field.number) {
    case metaGraphDef::info:
      hasInfo = true;
      appendMessage(edited, field.number, info(field.payload));
      return true;
    case metaGraphDef::graph:
      appendMessage(edited, field.number,
                    rewrite(field.payload, [&](const WireField &part,
                                               std::string &graph) {
                      if (part.number != graphDef::node)
                        return part.number == graphDef::debugInfo;
                      if (needed.count(fieldOf(part.payload, nodeDef::name)))
                        appendMessage(graph, part.number, node(part.payload));
                      return true;
                    }));
      return true;
    case metaGraphDef::collection:
      collection(field.payload, edited);
      return true;
    case signatureField:
    case metaGraphDef::saver:
      return true;
    default:
      return false;
    }
  });
  if (!hasInfo)
    appendMessage(out, metaGraphDef::info, info(""));
  appendMessage(out, metaGraphDef::saver, saver);
  addMainOp(out);
  addSignatures(out);
  return out;
}

Expected<ServingGraph> ServingGraphBuilder::run() {
  ServingGraph serving;
  std::string graph;
  if (!fieldOf(metaGraph, objectGraphField).empty()) {
    graph = metaGraph;
    forEach(metaGraph, signatureField, [&](std::string_view entry) {
      if (!fieldOf(entry, mapKey).starts_with("__"))
        signatures.emplace(fieldOf(entry, mapKey), "");
    });
  } else {
    INGOT_ASSIGN_OR_RETURN(graph, pruned());
  }
  if (broken)
    return Status(StatusCode::DataLoss,
                  "the program is damaged and must be compiled again: the "
                  "graph in it is not a valid MetaGraphDef");
  appendVarint(serving.savedModel, schemaVersion << 3);
  appendVarint(serving.savedModel, 1);
  appendMessage(serving.savedModel, metaGraphs, graph);
  for (const auto &[name, signature] : signatures)
    serving.signatures.push_back(name);
  return serving;
}

Expected<ServingGraph>
ingot::servingGraph(std::string_view metaGraph,
                    std::span<const ServingSignature> added) {
  return ServingGraphBuilder(metaGraph, added).run();
}
