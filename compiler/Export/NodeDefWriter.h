//===- NodeDefWriter.h - Nodes of a graph or a function ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Adds nodes to a graph or to a function's body: gives them unique names,
// writes their inputs in the form that graphs or functions use, and adds
// attributes that follow from the op's signature.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_EXPORT_NODEDEFWRITER_H
#define INGOT_COMPILER_EXPORT_NODEDEFWRITER_H

#include "compiler/Export/Attributes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace ingot::exporter {

/// An output of a node, or an argument of a function.
struct NodeOutput {
  std::string node;
  /// How a function's body refers to the output: by the name of the node's
  /// output argument, and by the index within this argument. `argument` is
  /// empty for a function's argument.
  std::string argument;
  int index = 0;
  /// How a graph refers to the output: by its index among all outputs of the
  /// node.
  int port = 0;
  proto::DataType dtype = proto::DT_INVALID;
};

/// A node to add. Attributes that state types and numbers of inputs or outputs
/// may be left out if they follow from the op's signature.
struct NodeSpec {
  llvm::StringRef op;
  llvm::SmallVector<NodeOutput> inputs;
  /// The types of the node's outputs. The list may omit outputs at its end that
  /// nothing uses.
  llvm::SmallVector<proto::DataType> outputs;
  AttributeMap attributes;
  std::vector<std::string> controls;
  /// The desired name. If it is empty, the name of the op is used.
  std::string name;
  /// Whether the node may have a reserved name, because it is the feed, fetch
  /// or target for which the name is reserved.
  bool mayTakeReserved = false;
};

/// The nodes of the main graph, or of one function's body.
class NodeDefWriter {
public:
  /// Appends nodes to `nodes`, the field of a GraphDef or a FunctionDef.
  NodeDefWriter(google::protobuf::RepeatedPtrField<proto::NodeDef> &nodes,
                bool isFunction)
      : nodes(nodes), isFunction(isFunction) {}

  /// Adds a node and returns its outputs. If an earlier entry has added a node
  /// with the same name, op, inputs and attributes, returns the outputs of that
  /// node instead. `name`, if not null, receives the node's name.
  llvm::SmallVector<NodeOutput> add(NodeSpec spec, std::string *name = nullptr);

  /// Begins a new entry. An entry can reuse nodes that earlier entries have
  /// added, but each node represents at most one op of an entry.
  void beginEntry() { ofThisEntry.clear(); }

  /// Reserves `name` for the node that provides the feed, fetch or target of
  /// this name.
  void reserve(llvm::StringRef name) { reserved.insert(name); }
  bool isReserved(llvm::StringRef name) const {
    return reserved.contains(name);
  }
  bool isTaken(llvm::StringRef name) const { return places.contains(name); }
  /// Reserves the name of a function's argument: no node can have it.
  void addArgument(llvm::StringRef name) { places[name] = -1; }

  /// Returns the node with this name, or null if there is none.
  const proto::NodeDef *find(llvm::StringRef name) const;

  /// Returns the text by which another node's input refers to a tensor.
  std::string reference(const NodeOutput &tensor) const;

private:
  std::string uniqueName(llvm::StringRef base);

  google::protobuf::RepeatedPtrField<proto::NodeDef> &nodes;
  bool isFunction;
  llvm::StringMap<int> places; // index in `nodes`, by name
  llvm::StringMap<unsigned> numbers;
  llvm::StringSet<> reserved, ofThisEntry;
};

/// Makes a valid node name from `name`: replaces characters that node names
/// cannot have by '_'.
std::string toNodeName(llvm::StringRef name);

} // namespace ingot::exporter

#endif // INGOT_COMPILER_EXPORT_NODEDEFWRITER_H
