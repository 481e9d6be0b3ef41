//===- Graph.h - Nodes by name and number -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// An index of a GraphDef, or of a function's body: nodes by name, and the
// outputs that each node takes.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_GRAPH_H
#define INGOT_COMPILER_IMPORT_GRAPH_H

#include "compiler/Import/Problems.h"
#include "compiler/Import/Raise.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <deque>
#include <optional>

namespace ingot::importer {

/// Output `port` of node `node`.
using Output = std::pair<int, int>;
/// Tensors with given values; port -1 stands for a node that control edges need
/// not wait for.
using Feeds = llvm::DenseSet<Output>;

/// The parts of a tensor's name: "name", "name:1" or, for control inputs,
/// "^name". Nothing if it is malformed.
struct TensorName {
  llvm::StringRef node;
  int port = 0;
  bool isControl = false;
  /// Whether the port is written out.
  bool hasPort = false;
  static std::optional<TensorName> parse(llvm::StringRef text);
};

class Graph;

/// A resource: the node that creates its handle, and the graph of that node,
/// which inside a function is often a caller's.
struct Handle {
  const Graph *graph = nullptr;
  int node = -1;

  llvm::StringRef op() const;
  std::string name() const;
  using Key = std::pair<const Graph *, int>;
  Key key() const { return {graph, node}; }
};

class Graph {
public:
  struct Node {
    const proto::NodeDef *def;
    llvm::SmallVector<Output, 4> inputs;
    llvm::SmallVector<int, 2> controls;
    /// The error in the names of its inputs; empty if there is none.
    std::string error;

    llvm::StringRef name() const { return def->name(); }
    llvm::StringRef op() const { return def->op(); }
  };

  /// Indexes a graph. Nodes without a name and duplicate names are problems at
  /// once; an error in inputs is kept with the node, and counts only if
  /// something needs the node. `graph` must outlive the result.
  static Graph index(const proto::GraphDef &graph, Problems &problems);

  /// The first output of the output argument `argument` of a node, as bodies of
  /// functions name outputs; nothing if there is none of that name.
  using FindPort = llvm::function_ref<std::optional<int>(
      const proto::NodeDef &node, llvm::StringRef argument)>;

  /// Indexes a function's body. Its arguments are nodes of op `_Arg`, numbered
  /// from 0, before all others; its results are in `returns`.
  static Graph index(const proto::FunctionDef &function, FindPort findPort,
                     Problems &problems);

  const Node &operator[](int node) const { return nodes[node]; }
  int size() const { return nodes.size(); }
  /// The node of that name, or -1.
  int find(llvm::StringRef name) const;
  /// The output or (port -1) node of a user's "name" or "name:1".
  std::optional<Output> findTensor(llvm::StringRef text) const;
  /// The name in diagnostics and locations: "function/node".
  std::string qualifiedName(int node) const;
  std::string nameOf(Output output) const;

  /// Follows an output back through Identity and its like.
  Output skipIdentities(Output output) const;
  /// The strings of a constant (through Identity); nothing for other outputs.
  std::optional<std::vector<std::string>> constantStrings(Output output) const;
  /// The integer of a constant scalar (through Identity).
  std::optional<int64_t> constantInt(Output output) const;

  /// The number of a function's arguments.
  int numArguments() const { return arguments.size(); }

  /// Of a function: its outputs in order, and the nodes of its control outputs.
  llvm::SmallVector<Output> returns;
  llvm::SmallVector<int> controlReturns;

  /// TF1's loops and branches.
  const RaisedControl &raised() const { return control; }
  /// The nodes that run inside a raised loop or branch.
  llvm::DenseSet<int> nestedIn(int node) const;
  /// Whether a node is the Merge of a loop-carried value.
  bool isLoopMerge(int node) const;

private:
  friend class LoopRaising;
  friend class Raising;
  /// Inserts a node before each of TF1's loops and branches (Raise.cpp).
  void raise();
  void raiseLoops();
  int addRaised(llvm::StringRef op, llvm::StringRef name,
                llvm::ArrayRef<Output> inputs);
  void add(const proto::NodeDef &def, Problems &problems);
  template <typename Resolve> void connect(Resolve resolve);

  std::vector<Node> nodes;
  llvm::StringMap<int> byName;
  std::string function;
  /// Nodes that stand for a function's arguments.
  std::deque<proto::NodeDef> arguments;
  /// Nodes that stand for TF1's loops and branches.
  std::deque<proto::NodeDef> raisedNodes;
  RaisedControl control;
};

/// Whether an op passes its inputs on unchanged.
bool isIdentity(llvm::StringRef op);

/// Whether a node has a default that may be fed in a step: a learning rate, or
/// a training flag. Integers and strings, which are sizes and paths, keep their
/// defaults.
bool mayBeFed(const proto::NodeDef &node);

/// The nodes that `targets` need, in topological order: every node follows its
/// inputs and control inputs; of the nodes that are ready, one that `writes`
/// waits until no other is left, otherwise the graph's order decides. So a read
/// sees the values from before the step unless a control edge says otherwise.
/// Outputs in `feeds` are not computed. Missing inputs and cycles are problems;
/// nodes on a cycle are left out.
std::vector<int> schedule(const Graph &graph, llvm::ArrayRef<int> targets,
                          const Feeds &feeds,
                          llvm::function_ref<bool(int node)> writes,
                          Problems &problems);

/// The nodes that `targets` need, themselves included.
llvm::DenseSet<int> reach(const Graph &graph, llvm::ArrayRef<int> targets,
                          const Feeds &feeds);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_GRAPH_H
