//===- Graph.h - An index of a graph's nodes --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Indexes the nodes of a GraphDef or of a function's body: finds nodes by name,
// and resolves the inputs of each node to outputs of other nodes.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_GRAPH_GRAPH_H
#define INGOT_COMPILER_IMPORT_GRAPH_GRAPH_H

#include "compiler/Import/ControlFlow/RaiseControlFlow.h"
#include "compiler/Import/ImportErrors.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <deque>
#include <optional>

namespace ingot::importer {

/// An output of a node: the node's index in its graph, and the output's index
/// (port).
using Output = std::pair<int, int>;
/// Outputs that have a value already, so that the nodes that compute them need
/// not run. The pair {node, -1} means that the node has run, so nodes with a
/// control edge from it need not wait.
using Feeds = llvm::DenseSet<Output>;

/// The parts of a tensor's name: "name", "name:1" or, for control inputs,
/// "^name". `parse` returns std::nullopt if the name is malformed.
struct TensorName {
  llvm::StringRef node;
  int port = 0;
  bool isControl = false;
  /// Whether the name ends with a port, like "name:1".
  bool hasPort = false;
  static std::optional<TensorName> parse(llvm::StringRef text);
};

class Graph;

/// A resource, identified by the node that creates its handle and by the graph
/// of that node. For a handle in a function's body, this is often the graph of
/// a caller.
struct ResourceHandle {
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
    /// The message for the first input of the node that is malformed or does
    /// not exist. Empty if all inputs exist.
    std::string error;

    llvm::StringRef name() const { return def->name(); }
    llvm::StringRef op() const { return def->op(); }
  };

  /// Indexes a GraphDef, which must outlive the result. Nodes without a name
  /// and duplicate names are immediately recorded in `problems`. An invalid
  /// input is only recorded in `Node::error`; it becomes a problem only if an
  /// entry needs the node. `targets` has the names of nodes that entries run;
  /// names that the graph lacks are ignored.
  static Graph index(const proto::GraphDef &graph, ImportErrors &problems,
                     llvm::ArrayRef<std::string> targets = {});

  /// Returns the index of the first output that belongs to the output argument
  /// `argument` of a node; function bodies name outputs in this way. Returns
  /// std::nullopt if the op has no argument of that name.
  using FindPort = llvm::function_ref<std::optional<int>(
      const proto::NodeDef &node, llvm::StringRef argument)>;

  /// Indexes the body of a function. The function's arguments become nodes of
  /// op `_Arg`, whose indices start at 0, and `returns` lists the function's
  /// results.
  static Graph index(const proto::FunctionDef &function, FindPort findPort,
                     ImportErrors &problems);

  const Node &operator[](int node) const { return nodes[node]; }
  int size() const { return nodes.size(); }
  /// Returns the index of the node of that name, or -1.
  int find(llvm::StringRef name) const;
  /// Returns the output that `text` names, such as "name:1". If `text` names
  /// only a node, as "name" does, returns this node with port -1. Returns
  /// std::nullopt if the graph has no such node.
  std::optional<Output> findTensor(llvm::StringRef text) const;
  /// Returns the name of a node for diagnostics and locations: "node", or
  /// "function/node" in the body of a function.
  std::string qualifiedName(int node) const;
  std::string nameOf(Output output) const;

  /// Returns the output that `output` forwards through Identity nodes (see
  /// `isIdentity`), or `output` itself.
  Output skipIdentities(Output output) const;
  /// If `output` is a constant of strings, or Identity nodes forward one to it,
  /// returns the strings; otherwise std::nullopt.
  std::optional<std::vector<std::string>> constantStrings(Output output) const;
  /// If `output` is a constant integer scalar, or Identity nodes forward one to
  /// it, returns its value; otherwise std::nullopt.
  std::optional<int64_t> constantInt(Output output) const;

  /// Returns the number of arguments of the function whose body this is.
  int numArguments() const { return arguments.size(); }

  /// For a function's body: the outputs that it returns, in order, and the
  /// nodes of its control outputs.
  llvm::SmallVector<Output> returns;
  llvm::SmallVector<int> controlReturns;

  /// Returns the loops and branches that TF1's control flow ops (Switch, Merge,
  /// Enter, ...) form. Each has been replaced by one `_Loop` or `_Branches`
  /// node.
  const RaisedControlFlow &raised() const { return control; }
  /// Returns the nodes that run inside of `node` if it is a raised loop
  /// (`_Loop`) or branch (`_Branches`); otherwise an empty set.
  llvm::DenseSet<int> nestedIn(int node) const;
  /// Returns whether `node` is the Merge of a loop-carried value, which
  /// forwards the initial value or the value from the previous iteration.
  bool isLoopMerge(int node) const;

private:
  friend class BranchContexts;
  friend class BranchRaising;
  friend class DeadNodeReplacement;
  friend class TF1LoopRaiser;
  /// Adds a `_Loop` or `_Branches` node for each loop and branch that TF1's
  /// control flow ops form (RaiseControlFlow.h).
  void raise(llvm::ArrayRef<int> targets);
  void raiseLoops();
  void raiseBranches(llvm::ArrayRef<int> targets);
  /// Replaces each node that an Exit in `RaisedControlFlow::exitsThatWait`
  /// makes dead by a `_Dead` node (ControlFlow/DeadNodes.cpp).
  void replaceDeadNodes();
  int addRaised(llvm::StringRef op, llvm::StringRef name,
                llvm::ArrayRef<Output> inputs);
  void add(const proto::NodeDef &def, ImportErrors &problems);
  /// Resolves the inputs of all nodes by calling `resolve` with each input's
  /// name. Keeps the first error of each node in `Node::error`.
  template <typename Resolve> void connect(Resolve resolve);

  std::vector<Node> nodes;
  llvm::StringMap<int> byName;
  std::string function;
  /// Owns the NodeDefs of the `_Arg` nodes that represent a function's
  /// arguments. This is a deque, which never moves its elements, because each
  /// Node points to its NodeDef.
  std::deque<proto::NodeDef> arguments;
  /// Owns the NodeDefs of `_Loop`, `_Branches` and `_Dead` nodes.
  std::deque<proto::NodeDef> raisedNodes;
  RaisedControlFlow control;
};

/// Returns why the value of `exit`, one of `RaisedControlFlow::exitsThatWait`,
/// is dead in TensorFlow, and how to mend the graph: "waits for 'node', ...".
std::string whyExitIsDead(const Graph &graph, int exit);

/// Returns whether an op passes its inputs on unchanged, as Identity does.
bool isIdentity(llvm::StringRef op);

/// Returns whether a node is a PlaceholderWithDefault that may become a feed of
/// the step, such as a learning rate or a training flag. A placeholder for
/// integers or strings is assumed to be a size or a path and keeps its default.
bool mayBeFed(const proto::NodeDef &node);

/// Returns the nodes that `targets` depend on in topological order, so that
/// each node comes after its inputs and control inputs. Among the nodes that
/// could come next, nodes that write variables come last; otherwise the graph's
/// order decides. So a read sees the value from before the step unless a
/// control edge requires otherwise. Omits the nodes of outputs in `feeds`.
/// Records missing inputs and cycles as problems, and omits nodes on a cycle.
std::vector<int> schedule(const Graph &graph, llvm::ArrayRef<int> targets,
                          const Feeds &feeds,
                          llvm::function_ref<bool(int node)> writes,
                          ImportErrors &problems);

/// Returns `nodes`, and all nodes that depend on one of them by an input or a
/// control edge.
llvm::DenseSet<int> dependents(const Graph &graph, llvm::ArrayRef<int> nodes);

/// Returns `targets` and all nodes that they depend on, except nodes that are
/// needed only to compute outputs in `feeds`.
llvm::DenseSet<int> reach(const Graph &graph, llvm::ArrayRef<int> targets,
                          const Feeds &feeds);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_GRAPH_GRAPH_H
