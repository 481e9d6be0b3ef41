//===- BlockImport.h - Imports nodes as ops of a block ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports target nodes, and all nodes that they depend on, as ops of an entry,
// an iterator or a function. The op table has an import function for each
// TensorFlow op, which imports the nodes of this op.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_CONTROLFLOW_BLOCKIMPORT_H
#define INGOT_COMPILER_IMPORT_CONTROLFLOW_BLOCKIMPORT_H

#include "compiler/Import/Graph/Graph.h"
#include "compiler/Import/Graph/NodeAttributes.h"
#include "compiler/Import/Ops/OpTable.h"
#include "dialects/Ingot/IR/IngotDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace mlir::ingot {
class VariableOp;
} // namespace mlir::ingot

namespace ingot::importer {

class Program;

/// The value of a node's output: either `value`, a tensor or a dataset, or, if
/// `value` is null, the resource `handle`, such as a variable or an iterator.
struct ImportedNodeOutput {
  ImportedNodeOutput() = default;
  ImportedNodeOutput(mlir::Value value) : value(value) {}
  ImportedNodeOutput(ResourceHandle handle) : handle(handle) {}

  mlir::Value value;
  ResourceHandle handle;
  /// Set if the output is a reference variable (see `BlockImport::reference`):
  /// the variable that `value` was read from.
  std::optional<ResourceHandle> reference;
};

/// Imports nodes of one graph into one block. Keeps the values of outputs that
/// are already imported, and the nodes whose import has failed.
class BlockImport {
public:
  BlockImport(Program &program, const Graph &graph, mlir::Block &block,
              ImportErrors &problems);

  /// Gives an output of the graph the value or resource `argument`, so that
  /// `import` does not import the node that computes the output.
  void feed(Output output, const ImportedNodeOutput &argument);

  bool isFed(Output output) const { return feeds.contains(output); }

  /// Marks a node as already executed, so that nodes with a control edge from
  /// it need not wait.
  void markRun(int node) { feeds.insert({node, -1}); }
  /// Marks an output of a `_Branches` node as used by the block around this
  /// one, so that the output is imported even if no node of this block uses it.
  /// A `_Branches` node represents the two branches of a tf.cond
  /// (RaiseControlFlow.h).
  void want(Output output) { wanted.insert(output); }
  bool isWanted(Output output) const { return wanted.contains(output); }
  /// Returns whether `import` has to run the node: whether its targets depend
  /// on it.
  bool isNeeded(int node) const { return needed.contains(node); }
  /// Returns whether an output of the node is an input of a needed node.
  bool isRead(int node) const { return read.contains(node); }

  /// Imports `targets` and all nodes that they depend on. Records their
  /// problems; outputs that depend on a failed node get no value.
  void import(llvm::ArrayRef<int> targets);

  /// Returns the imported tensor or dataset of an output. Returns null if the
  /// output is a resource, or if its import has failed with a recorded problem.
  mlir::Value value(Output output) const { return values.lookup(output); }
  /// Returns the resource that an output is a handle of. Follows the handle
  /// back through Identity nodes, arguments of functions and results of calls.
  /// If the output is not a handle, the result names the output's own node.
  ResourceHandle handle(Output output) const;
  /// If an output is a reference variable (of VariableV2 or a similar op),
  /// directly or through Identity nodes, returns the variable; otherwise
  /// std::nullopt. In TensorFlow, such an output is the variable's own buffer,
  /// so a use of the output reads the variable's value at the time of the use.
  std::optional<ResourceHandle> reference(Output output) const;
  /// Returns the value of an output. If the output is a reference variable,
  /// creates a read of the variable at the insertion point. Returns null if the
  /// output is a resource, or if the import of its node or of the variable has
  /// failed with a recorded problem.
  mlir::Value current(Output output, mlir::Location loc);
  /// Returns the value or resource of an output, to pass it to a nested body,
  /// such as a called function or a branch. For a reference variable, passes
  /// the variable instead of its value, so that the nested body reads the
  /// variable.
  ImportedNodeOutput currentArgument(Output output, mlir::Location loc);
  /// Returns the value or resource of an output. For a reference variable,
  /// returns the value that was read when the variable's node was imported.
  ImportedNodeOutput argument(Output output) const;

  /// Returns whether a node of this body could not be imported.
  bool hasFailed() const { return !failed.empty(); }

  /// Erases ops without uses and side effects from `block`. Such ops come from
  /// nodes that were imported only because other nodes have control edges from
  /// them. These edges are not needed any more once all side effects are in
  /// order.
  static void eraseDead(mlir::Block &block);

  Program &program;
  const Graph &graph;
  mlir::OpBuilder builder;
  ImportErrors &problems;
  /// If set, is called for each op that the import of a node has appended to
  /// the block. For a node that calls a function, these are the ops of the
  /// function's body.
  std::function<void(int node, mlir::Operation &op)> onImport;

private:
  friend class NodeImport;

  llvm::DenseMap<Output, mlir::Value> values;
  /// Maps each handle that is a fed output or the result of a call to the
  /// resource to which it refers. The node that creates the resource may be in
  /// another graph.
  llvm::DenseMap<Output, ResourceHandle> handles;
  /// If a fed output is a reference variable in the block around this one, maps
  /// the output to this variable.
  llvm::DenseMap<Output, ResourceHandle> references;
  Feeds feeds;
  llvm::DenseSet<int> needed, read;
  llvm::DenseSet<Output> wanted;
  llvm::DenseSet<int> imported;
  /// The nodes that could not be imported: those with a recorded problem, and
  /// those that depend on them.
  llvm::DenseSet<int> failed;
};

/// Imports one node. The import function of the node's TensorFlow op gets this
/// object to read the node's inputs and attributes, create ops, and set
/// outputs.
class NodeImport {
public:
  NodeImport(BlockImport &body, int index, const OpTableRow &info);

  BlockImport &body;
  const int index;
  const Graph::Node &node;
  const OpTableRow &info;
  NodeAttributes attributes;
  mlir::Location loc;

  mlir::MLIRContext *context() const { return loc.getContext(); }
  size_t numInputs() const { return node.inputs.size(); }

  /// Checks that the node has `count` inputs; otherwise records a problem and
  /// returns false.
  bool expectInputs(size_t count);
  bool expectAtLeastInputs(size_t count);
  /// Returns the value of input `input`. If the input is a reference variable,
  /// creates a read of the variable at the insertion point. Returns null for a
  /// resource handle, or if the import of the input has failed with a recorded
  /// problem.
  mlir::Value value(size_t input);
  /// Returns the value of an input that must be a tensor. If it is not one,
  /// records a problem and returns null.
  mlir::Value tensor(size_t input);
  /// Returns the tensors of inputs `first` to `end` - 1. If one is not a
  /// tensor, records a problem and returns only the tensors before it.
  llvm::SmallVector<mlir::Value> tensors(size_t first, size_t end);
  /// Returns the strings of input `input` if the input is a constant, or an
  /// argument of a function to which the call passes a constant; otherwise
  /// std::nullopt.
  std::optional<std::vector<std::string>> constantStrings(size_t input) const;
  /// Returns the value of an input that must be a dataset. If it is not one,
  /// records a problem and returns null.
  mlir::Value dataset(size_t input);
  /// Returns the node that created the resource handle that is input `input`.
  ResourceHandle handle(size_t input) const;
  /// Returns the variable that input `input` is a handle of. If the input is no
  /// variable, or the variable cannot be compiled, records a problem and
  /// returns null.
  mlir::ingot::VariableOp variable(size_t input);

  void setOutput(int port, mlir::Value value);
  /// Sets an output to the result of a function: a value or a resource.
  void setOutput(int port, const ImportedNodeOutput &argument);

  /// Creates an op whose result types are inferred from its operands. Returns
  /// null, with a recorded problem, if the operands are incompatible.
  mlir::Operation *create(llvm::StringRef opName, mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  template <typename OpT>
  mlir::Operation *
  create(mlir::ValueRange operands,
         llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return create(OpT::getOperationName(), operands, attributes);
  }
  /// Creates an op like `create` and returns its first result. Returns null if
  /// an operand is null, so calls can be nested without checks.
  template <typename OpT>
  mlir::Value make(mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    if (!llvm::all_of(operands, [](mlir::Value value) { return bool(value); }))
      return {};
    mlir::Operation *op = create<OpT>(operands, attributes);
    return op ? op->getResult(0) : mlir::Value();
  }
  /// Verifies an op that was not created by `create`. If it is invalid, erases
  /// it, records a problem and returns null.
  mlir::Operation *verified(mlir::Operation *op);

  /// Records that this node cannot be compiled, because of `reason`.
  void unsupported(const llvm::Twine &reason = "");
  /// Records that the graph is malformed at this node.
  void malformed(const llvm::Twine &message);
  /// Marks the node as failed; its problem has been recorded elsewhere.
  void fail() { body.failed.insert(index); }
  bool hasFailed() const { return body.failed.contains(index); }

  /// Returns the types of the node's tensor inputs: "'x:0' is float32 [2],
  /// 'y:0' is float32 [3]".
  std::string describeInputs() const;

  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute value);
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_CONTROLFLOW_BLOCKIMPORT_H
