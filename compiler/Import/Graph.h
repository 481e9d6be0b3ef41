//===- Graph.h - Nodes by name and number -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// An index of a GraphDef or of a function's body: finds nodes by name, and
// resolves the inputs of each node to outputs of other nodes.
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

/// An output of a node: the node's index in its graph, and the output's index
/// (port).
using Output = std::pair<int, int>;
/// Outputs that have a value already. Port -1 of a node marks that control
/// edges need not wait for the node.
using Feeds = llvm::DenseSet<Output>;

/// The parts of a tensor's name: "name", "name:1" or, for control inputs,
/// "^name". `parse` returns std::nullopt if the name is malformed.
struct TensorName {
  llvm::StringRef node;
  int port = 0;
  bool isControl = false;
  /// Whether the name states a port.
  bool hasPort = false;
  static std::optional<TensorName> parse(llvm::StringRef text);
};

class Graph;

/// A resource, identified by the node that creates its handle and by the graph
/// of that node. In a function's body the graph is often that of a caller.
struct Handle {
  const Graph *graph = nullptr;
  int node = -1;

  llvm::StringRef op() const;
  std::string name() const;
  using Key = std::pair<const Graph *, int>;
  Key key() const { return {graph, node}; }
};

/// The nodes of a GraphDef or of a function's body, by index and by name.
class Graph {
public:
  struct Node {
    const proto::NodeDef *def;
    llvm::SmallVector<Output, 4> inputs;
    llvm::SmallVector<int, 2> controls;
    /// The error in the name of an input; empty if all inputs exist.
    std::string error;

    llvm::StringRef name() const { return def->name(); }
    llvm::StringRef op() const { return def->op(); }
  };

  /// Indexes a graph. Nodes without a name and duplicate names are recorded as
  /// problems at once. An invalid input is recorded in `Node::error`, and
  /// becomes a problem only if the node is needed. `graph` must outlive the
  /// result.
  static Graph index(const proto::GraphDef &graph, Problems &problems);

  /// Returns the index of the first output of a node's output argument
  /// `argument`, by which function bodies name outputs; std::nullopt if the op
  /// has no argument of that name.
  using FindPort = llvm::function_ref<std::optional<int>(
      const proto::NodeDef &node, llvm::StringRef argument)>;

  /// Indexes a function's body. Its arguments are nodes of op `_Arg`, which
  /// have the first indices, from 0; its results are in `returns`.
  static Graph index(const proto::FunctionDef &function, FindPort findPort,
                     Problems &problems);

  const Node &operator[](int node) const { return nodes[node]; }
  int size() const { return nodes.size(); }
  /// Returns the index of the node of that name, or -1.
  int find(llvm::StringRef name) const;
  /// Returns the output that a user's "name:1" names; for "name", the node with
  /// port -1. Returns std::nullopt if the graph has no such node.
  std::optional<Output> findTensor(llvm::StringRef text) const;
  /// Returns a node's name as in diagnostics and locations: "node", or
  /// "function/node" in a function's body.
  std::string qualifiedName(int node) const;
  std::string nameOf(Output output) const;

  /// Follows an output back through Identity nodes (`isIdentity`).
  Output skipIdentities(Output output) const;
  /// Returns the strings of a constant, also through Identity nodes;
  /// std::nullopt for other outputs.
  std::optional<std::vector<std::string>> constantStrings(Output output) const;
  /// Returns the integer of a constant scalar, also through Identity nodes;
  /// std::nullopt for other outputs.
  std::optional<int64_t> constantInt(Output output) const;

  /// The number of a function's arguments.
  int numArguments() const { return arguments.size(); }

  /// For a function's body: the outputs that it returns, in order, and the
  /// nodes of its control outputs.
  llvm::SmallVector<Output> returns;
  llvm::SmallVector<int> controlReturns;

  /// Returns the loops and branches that TF1's control flow ops were raised to.
  const RaisedControl &raised() const { return control; }
  /// Returns the nodes that run inside a raised loop or branch; an empty set
  /// for other nodes.
  llvm::DenseSet<int> nestedIn(int node) const;
  /// Whether a node is the Merge of a loop-carried value.
  bool isLoopMerge(int node) const;

private:
  friend class LoopRaising;
  friend class Raising;
  /// Adds a node for each loop and branch of TF1's control flow ops (Raise.h).
  void raise();
  void raiseLoops();
  int addRaised(llvm::StringRef op, llvm::StringRef name,
                llvm::ArrayRef<Output> inputs);
  void add(const proto::NodeDef &def, Problems &problems);
  /// Resolves the inputs of all nodes by `resolve`. The first error of a node
  /// is kept in `Node::error`.
  template <typename Resolve> void connect(Resolve resolve);

  std::vector<Node> nodes;
  llvm::StringMap<int> byName;
  std::string function;
  /// The `_Arg` nodes for a function's arguments.
  std::deque<proto::NodeDef> arguments;
  /// The `_Loop` and `_Branches` nodes for TF1's loops and branches.
  std::deque<proto::NodeDef> raisedNodes;
  RaisedControl control;
};

/// Returns whether an op passes its inputs on unchanged, as Identity does.
bool isIdentity(llvm::StringRef op);

/// Returns whether a node is a placeholder with default that may be fed in a
/// step, such as a learning rate or a training flag. Placeholders of integers
/// and strings, which are sizes and paths, keep their defaults.
bool mayBeFed(const proto::NodeDef &node);

/// Returns the nodes that `targets` need in topological order: every node
/// follows its inputs and control inputs. Of the nodes that are ready, those
/// that write come last; otherwise the graph's order decides. So a read sees
/// the value from before the step unless a control edge says otherwise. Outputs
/// in `feeds` are not computed. Missing inputs and cycles are recorded as
/// problems; nodes on a cycle are left out.
std::vector<int> schedule(const Graph &graph, llvm::ArrayRef<int> targets,
                          const Feeds &feeds,
                          llvm::function_ref<bool(int node)> writes,
                          Problems &problems);

/// Returns the nodes that `targets` need, `targets` included. Outputs in
/// `feeds` need no nodes.
llvm::DenseSet<int> reach(const Graph &graph, llvm::ArrayRef<int> targets,
                          const Feeds &feeds);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_GRAPH_H
