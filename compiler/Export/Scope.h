//===- Scope.h - Nodes of a graph or of a function's body -------*- C++ -*-===//
//
// Where nodes are added: gives them names, writes their inputs the way a graph
// or a function does, and completes their attributes from the op's signature.
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
  /// The output argument and the place in it; empty for a function's argument.
  std::string argument;
  int index = 0;
  /// The same as one number, as graphs count outputs.
  int port = 0;
  proto::DataType dtype = proto::DT_INVALID;
};

/// A node that is to be added. Attributes of types and numbers that the
/// signature says follow from inputs and outputs and need not be given.
struct NodeSpec {
  llvm::StringRef op;
  llvm::SmallVector<Tensor> inputs;
  /// The types of its outputs, as many as are of interest.
  llvm::SmallVector<proto::DataType> outputs;
  AttributeMap attributes;
  std::vector<std::string> controls;
  /// The name that it should get; the op's where empty.
  std::string name;
  /// What it gives is what is asked for under this name.
  bool mayTakeReserved = false;
};

/// The main graph, or the body of one function.
class Scope {
public:
  /// Nodes go to the end of `nodes`, which belongs to a message.
  Scope(google::protobuf::RepeatedPtrField<proto::NodeDef> &nodes,
        bool isFunction)
      : nodes(nodes), isFunction(isFunction) {}

  /// Adds a node and gives its outputs. Where an earlier entry of the same
  /// graph has the same node under the same name, that one is taken. `name`,
  /// where given, is what the node was called.
  llvm::SmallVector<Tensor> add(NodeSpec spec, std::string *name = nullptr);

  /// From here on nodes with names of those before may be taken for them.
  void beginEntry() { ofThisEntry.clear(); }

  /// A name that only the node may get which gives what is called so.
  void reserve(llvm::StringRef name) { reserved.insert(name); }
  bool isReserved(llvm::StringRef name) const {
    return reserved.contains(name);
  }
  bool isTaken(llvm::StringRef name) const { return places.contains(name); }
  /// An argument's name, which no node may have.
  void addArgument(llvm::StringRef name) { places[name] = -1; }

  /// A node that is there, or null.
  const proto::NodeDef *find(llvm::StringRef name) const;

  /// A tensor as another node's input has it.
  std::string reference(const Tensor &tensor) const;

private:
  std::string uniqueName(llvm::StringRef base);

  google::protobuf::RepeatedPtrField<proto::NodeDef> &nodes;
  bool isFunction;
  llvm::StringMap<int> places; // of nodes, by name
  llvm::StringMap<unsigned> numbers;
  llvm::StringSet<> reserved, ofThisEntry;
};

/// A name without the characters that TensorFlow's names may not have.
std::string toNodeName(llvm::StringRef name);

} // namespace ingot::exporter

#endif // INGOT_COMPILER_EXPORT_SCOPE_H
