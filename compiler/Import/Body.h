//===- Body.h - Imports nodes as ops of a block -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports the nodes that some targets need, into an entry, an iterator or a
// function. Each node is imported by the function that the op table has for it.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_BODY_H
#define INGOT_COMPILER_IMPORT_BODY_H

#include "compiler/Import/Attributes.h"
#include "compiler/Import/Graph.h"
#include "compiler/Import/OpTable.h"
#include "dialects/Ingot/IngotDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::ingot {
class VariableOp;
} // namespace mlir::ingot

namespace ingot::importer {

class Program;

/// An output's value: a tensor or a dataset, or the handle of a resource.
struct Argument {
  Argument() = default;
  Argument(mlir::Value value) : value(value) {}
  Argument(Handle handle) : handle(handle) {}

  mlir::Value value;
  Handle handle;
  /// The reference variable that the value is, if it is one (Body::reference).
  std::optional<Handle> reference;
};

/// One block under construction.
class Body {
public:
  Body(Program &program, const Graph &graph, mlir::Block &block,
       Problems &problems);

  /// Sets the value of an output, or the resource whose handle it is, in place
  /// of computing it.
  void feed(Output output, const Argument &argument);

  bool isFed(Output output) const { return feeds.contains(output); }

  /// Marks a node as executed; its consumers need not wait for it.
  void markRun(int node) { feeds.insert({node, -1}); }
  /// An output of a raised node that the importer of this body uses.
  void want(Output output) { wanted.insert(output); }
  bool isWanted(Output output) const { return wanted.contains(output); }
  /// Whether the import of the targets needs the node.
  bool isNeeded(int node) const { return needed.contains(node); }

  /// Imports all nodes that the targets need. Problems are recorded; outputs
  /// that depend on a problem have no value.
  void import(llvm::ArrayRef<int> targets);

  /// An output's value; null after a recorded problem, or if it is not a
  /// tensor.
  mlir::Value value(Output output) const { return values.lookup(output); }
  /// The resource whose handle an output is: through Identity, arguments of
  /// functions and results of calls. The node itself if it is not a handle.
  Handle handle(Output output) const;
  /// The reference variable (VariableV2 and its like) that an output is, also
  /// through Identity: TensorFlow passes on the variable's own buffer, so that
  /// its value is read at the use. Nothing if it is a value.
  std::optional<Handle> reference(Output output) const;
  /// The output's current value, read here if it is a reference variable; null
  /// as in `value`, or if the variable has a recorded problem.
  mlir::Value current(Output output, mlir::Location loc);
  /// Likewise, for a body inside this one: a reference variable stays one.
  Argument currentArgument(Output output, mlir::Location loc);
  /// The output's value, or its handle if it has none.
  Argument argument(Output output) const;

  /// Whether some node could not be imported.
  bool hasFailed() const { return !failed.empty(); }

  /// Erases dead ops: control edges bring in ops that matter for order only,
  /// which is imported by then.
  static void eraseDead(mlir::Block &block);

  Program &program;
  const Graph &graph;
  mlir::OpBuilder builder;
  Problems &problems;

private:
  friend class NodeImport;

  llvm::DenseMap<Output, mlir::Value> values;
  /// Handles of resources that nodes of other graphs created.
  llvm::DenseMap<Output, Handle> handles;
  /// Reference variables from the body around this one.
  llvm::DenseMap<Output, Handle> references;
  Feeds feeds;
  llvm::DenseSet<int> needed;
  llvm::DenseSet<Output> wanted;
  llvm::DenseSet<int> imported;
  /// Nodes with a recorded problem, and their consumers.
  llvm::DenseSet<int> failed;
};

/// One node during its import: its inputs, attributes and location, and the
/// destinations of its outputs.
class NodeImport {
public:
  NodeImport(Body &body, int index, const OpInfo &info);

  Body &body;
  const int index;
  const Graph::Node &node;
  const OpInfo &info;
  Attributes attributes;
  mlir::Location loc;

  mlir::MLIRContext *context() const { return loc.getContext(); }
  size_t numInputs() const { return node.inputs.size(); }

  /// Checks the number of inputs; a problem if it differs.
  bool expectInputs(size_t count);
  bool expectAtLeastInputs(size_t count);
  /// The value of an input, read here if it is a reference variable; null for a
  /// handle or after a recorded problem.
  mlir::Value value(size_t input);
  /// The value of an input that must be a tensor; otherwise null, with a
  /// problem.
  mlir::Value tensor(size_t input);
  /// The tensors from input `first` on; fewer, with a problem, if one is not a
  /// tensor.
  llvm::SmallVector<mlir::Value> tensors(size_t first, size_t end);
  /// The strings of an input that is constant, also through arguments of
  /// functions; nothing for other inputs.
  std::optional<std::vector<std::string>> constantStrings(size_t input) const;
  /// The value of an input that must be a dataset; otherwise null, with a
  /// problem.
  mlir::Value dataset(size_t input);
  /// The node that created the handle that an input is.
  Handle handle(size_t input) const;
  /// The variable whose handle an input is; otherwise null, with a problem.
  mlir::ingot::VariableOp variable(size_t input);

  void setOutput(int port, mlir::Value value);
  /// Likewise, for the result of a function.
  void setOutput(int port, const Argument &argument);

  /// Creates an op whose result types are inferred from its operands; null,
  /// with a problem, if they are incompatible.
  mlir::Operation *create(llvm::StringRef opName, mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  template <typename OpT>
  mlir::Operation *
  create(mlir::ValueRange operands,
         llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return create(OpT::getOperationName(), operands, attributes);
  }
  /// Its first result; null also if an operand is null.
  template <typename OpT>
  mlir::Value make(mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    if (!llvm::all_of(operands, [](mlir::Value value) { return bool(value); }))
      return {};
    mlir::Operation *op = create<OpT>(operands, attributes);
    return op ? op->getResult(0) : mlir::Value();
  }
  /// Verifies an op that was created otherwise; if it is not valid, erases it
  /// and records a problem.
  mlir::Operation *verified(mlir::Operation *op);

  /// This node cannot be compiled, because of `reason`.
  void unsupported(const llvm::Twine &reason = "");
  /// The graph is malformed at this node.
  void malformed(const llvm::Twine &message);
  /// Its problem has been recorded elsewhere.
  void fail() { body.failed.insert(index); }
  bool hasFailed() const { return body.failed.contains(index); }

  /// "'x:0' is float32 [2], 'y:0' is float32 [3]": the types of its tensors.
  std::string describeInputs() const;

  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute value);
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_BODY_H
