//===- Scope.h - Nodes of a graph or of a function's body -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Adds nodes: names them, writes their inputs in the form of a graph or a
// function, and completes their attributes from the op's signature.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_EXPORT_SCOPE_H
#define INGOT_COMPILER_EXPORT_SCOPE_H

#include "compiler/Export/Attributes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace ingot::exporter {

/// One output of a node, or an argument of a function.
struct Tensor {
  std::string node;
  /// The output argument and the index in it; empty for a function's argument.
  std::string argument;
  int index = 0;
  /// The same as one number, as graphs number outputs.
  int port = 0;
  proto::DataType dtype = proto::DT_INVALID;
};

/// A node to add. Attributes of types and numbers that follow, by the
/// signature, from inputs and outputs may be omitted.
struct NodeSpec {
  llvm::StringRef op;
  llvm::SmallVector<Tensor> inputs;
  /// The types of its outputs, as far as they are needed.
  llvm::SmallVector<proto::DataType> outputs;
  AttributeMap attributes;
  std::vector<std::string> controls;
  /// The desired name; the op's if empty.
  std::string name;
  /// Its output is fetched under this name.
  bool mayTakeReserved = false;
};

/// The main graph, or the body of one function.
class Scope {
public:
  /// Nodes are appended to `nodes`, which belongs to a message.
  Scope(google::protobuf::RepeatedPtrField<proto::NodeDef> &nodes,
        bool isFunction)
      : nodes(nodes), isFunction(isFunction) {}

  /// Adds a node and returns its outputs. If an earlier entry of the same graph
  /// has the same node under the same name, that one is reused. `name`, if not
  /// null, receives the node's name.
  llvm::SmallVector<Tensor> add(NodeSpec spec, std::string *name = nullptr);

  /// From here on, nodes with the names of earlier ones may share these.
  void beginEntry() { ofThisEntry.clear(); }

  /// Reserves a name for the node whose output is fetched under it.
  void reserve(llvm::StringRef name) { reserved.insert(name); }
  bool isReserved(llvm::StringRef name) const {
    return reserved.contains(name);
  }
  bool isTaken(llvm::StringRef name) const { return places.contains(name); }
  /// An argument's name, which no node may have.
  void addArgument(llvm::StringRef name) { places[name] = -1; }

  /// The node of this name, or null.
  const proto::NodeDef *find(llvm::StringRef name) const;

  /// A tensor as another node's input.
  std::string reference(const Tensor &tensor) const;

private:
  std::string uniqueName(llvm::StringRef base);

  google::protobuf::RepeatedPtrField<proto::NodeDef> &nodes;
  bool isFunction;
  llvm::StringMap<int> places; // of nodes, by name
  llvm::StringMap<unsigned> numbers;
  llvm::StringSet<> reserved, ofThisEntry;
};

/// A name without the characters that TensorFlow forbids.
std::string toNodeName(llvm::StringRef name);

} // namespace ingot::exporter

#endif // INGOT_COMPILER_EXPORT_SCOPE_H
