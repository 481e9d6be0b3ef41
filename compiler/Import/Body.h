//===- Body.h - Nodes become ops in a block ---------------------*- C++ -*-===//
//
// The import of what some targets need: into an entry, an iterator or a
// function. Each node is handed to the function that the op table has for it.
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

/// What an output gives: a tensor or a dataset, or the handle of a resource.
struct Argument {
  Argument() = default;
  Argument(mlir::Value value) : value(value) {}
  Argument(Handle handle) : handle(handle) {}

  mlir::Value value;
  Handle handle;
  /// Of a value that is a reference variable's: which (Body::reference).
  std::optional<Handle> reference;
};

/// One block under construction.
class Body {
public:
  Body(Program &program, const Graph &graph, mlir::Block &block,
       Problems &problems);

  /// Gives an output its value, or the resource whose handle it is, instead of
  /// computing it.
  void feed(Output output, const Argument &argument);

  bool isFed(Output output) const { return feeds.contains(output); }

  /// A node that has run: what waits for it need not.
  void markRun(int node) { feeds.insert({node, -1}); }
  /// An output of a raised node that whoever imports this body asks for.
  void want(Output output) { wanted.insert(output); }
  bool isWanted(Output output) const { return wanted.contains(output); }
  /// Whether the import of the targets needs the node.
  bool isNeeded(int node) const { return needed.contains(node); }

  /// Imports all that the targets need. Whatever goes wrong is recorded in the
  /// problems; the outputs that depend on it have no value.
  void import(llvm::ArrayRef<int> targets);

  /// An output's value. Null where it has none, because of a recorded problem
  /// or because it is no tensor.
  mlir::Value value(Output output) const { return values.lookup(output); }
  /// The resource whose handle an output is: through Identity, arguments of
  /// functions and results of calls. The node itself where it is no handle.
  Handle handle(Output output) const;
  /// The reference variable (VariableV2 and its like) that an output is, also
  /// behind Identity: TensorFlow hands on the variable's own buffer there, so
  /// its value is read where it is used. Nothing where it is a value.
  std::optional<Handle> reference(Output output) const;
  /// The output's value as of now, read here where it is a reference variable;
  /// null as `value`, or where the variable has a recorded problem.
  mlir::Value current(Output output, mlir::Location loc);
  /// Likewise, for a body inside this one: a reference variable stays one.
  Argument currentArgument(Output output, mlir::Location loc);
  /// The output's value; its handle where it has none.
  Argument argument(Output output) const;

  /// Whether some node could not be imported.
  bool hasFailed() const { return !failed.empty(); }

  /// Erases ops whose results are not used and that do nothing else: a control
  /// edge brings in ops of which nothing is left once order is all it says.
  static void eraseDead(mlir::Block &block);

  Program &program;
  const Graph &graph;
  mlir::OpBuilder builder;
  Problems &problems;

private:
  friend class NodeImport;

  llvm::DenseMap<Output, mlir::Value> values;
  /// Handles of resources that other graphs' nodes made.
  llvm::DenseMap<Output, Handle> handles;
  /// Reference variables that came in from around this body.
  llvm::DenseMap<Output, Handle> references;
  Feeds feeds;
  llvm::DenseSet<int> needed;
  llvm::DenseSet<Output> wanted;
  llvm::DenseSet<int> imported;
  /// Nodes with a recorded problem, and those that need them.
  llvm::DenseSet<int> failed;
};

/// One node while it is imported: its inputs, attributes and location, and
/// where its outputs go.
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

  /// Whether there are so many inputs; a problem where not.
  bool expectInputs(size_t count);
  bool expectAtLeastInputs(size_t count);
  /// The value of an input, read here where it is a reference variable; null
  /// where it is a handle or has a recorded problem.
  mlir::Value value(size_t input);
  /// The value of an input that must be a tensor; null, and a problem, where
  /// it is something else.
  mlir::Value tensor(size_t input);
  /// The tensors from input `first` on; fewer than there are, and a problem,
  /// where one is something else.
  llvm::SmallVector<mlir::Value> tensors(size_t first, size_t end);
  /// The strings of an input that is constant, also where it is an argument of
  /// a function; nothing for anything else.
  std::optional<std::vector<std::string>> constantStrings(size_t input) const;
  /// The value of an input that must be a dataset; likewise.
  mlir::Value dataset(size_t input);
  /// The node that made the handle that an input is.
  Handle handle(size_t input) const;
  /// The variable whose handle an input is; null, and a problem, where it is
  /// something else.
  mlir::ingot::VariableOp variable(size_t input);

  void setOutput(int port, mlir::Value value);
  /// Likewise, for what a function returned.
  void setOutput(int port, const Argument &argument);

  /// Creates an op whose result types follow from its operands; null, and a
  /// problem, where they do not go together.
  mlir::Operation *create(llvm::StringRef opName, mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  template <typename OpT>
  mlir::Operation *
  create(mlir::ValueRange operands,
         llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return create(OpT::getOperationName(), operands, attributes);
  }
  /// Its first result; null, too, where an operand is.
  template <typename OpT>
  mlir::Value make(mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    if (!llvm::all_of(operands, [](mlir::Value value) { return bool(value); }))
      return {};
    mlir::Operation *op = create<OpT>(operands, attributes);
    return op ? op->getResult(0) : mlir::Value();
  }
  /// Verifies an op that was created otherwise; erases it, null and a problem,
  /// where it is not valid.
  mlir::Operation *verified(mlir::Operation *op);

  /// This node cannot be compiled, because of `reason`.
  void unsupported(const llvm::Twine &reason = "");
  /// The graph contradicts itself at this node.
  void malformed(const llvm::Twine &message);
  /// Its problem has been recorded elsewhere.
  void fail() { body.failed.insert(index); }
  bool hasFailed() const { return body.failed.contains(index); }

  /// "'x:0' is float32 [2], 'y:0' is float32 [3]": what its tensors are.
  std::string describeInputs() const;

  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute value);
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_BODY_H
