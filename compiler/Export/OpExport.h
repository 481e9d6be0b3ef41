//===- OpExport.h - Exports one ingot op as nodes ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Helpers to export an op as nodes, and the table of functions that export ops.
// Ops that become one node with the same operands need no function:
// OneToOneExport.cpp exports them.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_EXPORT_OPEXPORT_H
#define INGOT_COMPILER_EXPORT_OPEXPORT_H

#include "compiler/Export/ControlDependencies.h"
#include "compiler/Export/NodeDefWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <memory>

namespace ingot::exporter {

class BlockExport;

/// The state that the exports of all entries share: the program, its graph, and
/// the graph's functions.
class ProgramExport {
public:
  ProgramExport(mlir::ModuleOp module, proto::GraphDef &graph)
      : symbols(module), graph(graph) {}

  mlir::SymbolTable symbols;
  proto::GraphDef &graph;
  bool failed = false;

  using Fill = llvm::function_ref<llvm::SmallVector<NodeOutput>(
      BlockExport &block, llvm::ArrayRef<NodeOutput> arguments)>;
  /// Adds a function to the graph and returns its name, which is unique. `fill`
  /// adds the function's nodes, and returns its results. `arguments` are the
  /// types of its arguments. `outputs`, if not null, receives the types of the
  /// results.
  std::string
  addFunction(llvm::StringRef name, llvm::ArrayRef<proto::DataType> arguments,
              Fill fill,
              llvm::SmallVectorImpl<proto::DataType> *outputs = nullptr);

  /// Returns the name of the graph's function for a `func.func`. Exports the
  /// function on first use.
  std::string functionOf(mlir::FlatSymbolRefAttr symbol);

private:
  std::map<std::string, std::string> compiled;
  llvm::StringSet<> functionNames;
};

/// Exports the ops of one block as nodes of `scope`, which is the main graph or
/// the body of one function.
class BlockExport {
public:
  BlockExport(ProgramExport &program, NodeDefWriter &scope)
      : program(program), scope(scope) {}

  /// Exports all ops of a block except its terminator.
  void run(mlir::Block &block);
  /// Exports one op. Its operands must have been exported.
  void run(mlir::Operation *op);

  NodeOutput value(mlir::Value value);
  void bind(mlir::Value value, NodeOutput tensor) { values[value] = tensor; }

  /// Return the handle of a variable, an iterator or a lookup table. The node
  /// that creates it is added on first use.
  NodeOutput variable(llvm::StringRef symbol);
  NodeOutput iterator(llvm::StringRef symbol);
  NodeOutput table(llvm::StringRef symbol);

  /// Records that the entry fetches `value` as output `port` of a node called
  /// `node`.
  void want(mlir::Value value, llvm::StringRef node, int port);
  /// Returns whether a node of this name is fetched, and each of its fetched
  /// outputs is the corresponding value in `outputs`.
  bool isWanted(mlir::ValueRange outputs, llvm::StringRef node) const;

  /// Makes run() skip `op`, because the node of another op also does the work
  /// of `op`.
  void absorb(mlir::Operation *op) { absorbed.insert(op); }

  ProgramExport &program;
  NodeDefWriter &scope;
  ControlDependencies effects;
  /// The outputs of summary nodes, which become the inputs of one MergeSummary
  /// node.
  llvm::SmallVector<NodeOutput> summaries;

private:
  NodeOutput handle(llvm::StringRef key, NodeSpec spec);

  llvm::DenseMap<mlir::Value, NodeOutput> values;
  llvm::StringMap<NodeOutput> handles;
  llvm::StringMap<llvm::SmallVector<std::pair<mlir::Value, int>, 1>> wanted;
  llvm::DenseSet<mlir::Operation *> absorbed;
};

/// An op that is being exported, with helpers that read its attributes and add
/// its nodes.
class OpExport {
public:
  OpExport(BlockExport &block, mlir::Operation *op) : block(block), op(op) {}

  BlockExport &block;
  mlir::Operation *op;

  NodeOutput operand(unsigned index);
  llvm::SmallVector<NodeOutput> operands(unsigned first = 0);
  llvm::SmallVector<NodeOutput> tensors(mlir::ValueRange values);
  proto::DataType resultType(unsigned index = 0);

  // Attributes of the ingot op, by name:
  llvm::StringRef text(llvm::StringRef name);
  int64_t integer(llvm::StringRef name);
  bool flag(llvm::StringRef name);
  float number(llvm::StringRef name);
  proto::DataType type(llvm::StringRef name);
  llvm::ArrayRef<int64_t> integers(llvm::StringRef name);
  llvm::SmallVector<llvm::StringRef> texts(llvm::StringRef name);
  llvm::SmallVector<proto::DataType> types(llvm::StringRef name);

  /// Make the nodes that `emit` adds wait for earlier nodes that access
  /// `resource` (touch), or for all earlier nodes that have side effects
  /// (touchAll), by control inputs. Call them before `emit`.
  void touch(llvm::StringRef resource, bool writes);
  void touchAll();

  /// Adds the node whose outputs are the op's results, in the same order.
  void emit(llvm::StringRef node, llvm::ArrayRef<NodeOutput> inputs,
            AttributeMap attributes = {});
  /// Adds a node with outputs of the given types, and returns these outputs.
  /// The first outputs replace the op's results `results`, in the same order.
  llvm::SmallVector<NodeOutput> emit(llvm::StringRef node,
                                     llvm::ArrayRef<NodeOutput> inputs,
                                     llvm::ArrayRef<proto::DataType> outputs,
                                     AttributeMap attributes = {},
                                     mlir::ValueRange results = {});
  /// Adds a helper node, and returns its first output, which has type `output`.
  /// `addAll` returns all outputs.
  NodeOutput add(llvm::StringRef node, llvm::ArrayRef<NodeOutput> inputs,
                 proto::DataType output, AttributeMap attributes = {});
  llvm::SmallVector<NodeOutput> addAll(llvm::StringRef node,
                                       llvm::ArrayRef<NodeOutput> inputs,
                                       llvm::ArrayRef<proto::DataType> outputs,
                                       AttributeMap attributes = {});
  /// Add a Const node.
  NodeOutput constant(proto::AttrValue value);
  NodeOutput scalar(int64_t value, proto::DataType dtype = proto::DT_INT32);
  NodeOutput vector(llvm::ArrayRef<int64_t> values,
                    proto::DataType dtype = proto::DT_INT32);
  /// Returns `tensor` converted to element type `dtype`.
  NodeOutput cast(NodeOutput tensor, proto::DataType dtype);

  void set(unsigned result, NodeOutput tensor);
  /// Emits an error that the op cannot be exported. Its results are set to a
  /// tensor that no node computes, so that the export can continue and report
  /// further errors.
  void refuse(const llvm::Twine &why);

  std::string nodeName() const;

private:
  std::string resource;
  bool touches = false, writes = false, touchesAll = false;
};

using ExportFn = void (*)(OpExport &);
using ExportTable = llvm::StringMap<ExportFn>;

/// Exports an op that becomes one node with the same operands, according to its
/// row in the importer's op table (OneToOneOpTableRow). Returns false if there
/// is no row.
bool exportByRow(OpExport &op);
/// Returns whether exportByRow can export an op of this name.
bool hasRow(llvm::StringRef op);

/// Returns whether a read of a variable is used only by optimizer updates and
/// row updates of the same variable. No node is added for such a read, because
/// TensorFlow's update op reads the variable itself.
bool isOnlyStepped(mlir::Operation *read);

/// Returns whether a variable holds state of random ops: the position of an op
/// in its sequence of random numbers, or the session's seed. TensorFlow's graph
/// has no such variables.
bool isRandomState(ProgramExport &program, llvm::StringRef symbol);

/// Returns the functions that export those ops that exportByRow cannot export,
/// by op name.
const ExportTable &getExportTable();

// Each of these functions adds the ops of one family, such as arrays, to
// `table`. Each is defined in a file of its own, such as ArrayExport.cpp.
void addArrayExports(ExportTable &table);
void addControlExports(ExportTable &table);
void addImageExports(ExportTable &table);
void addInputExports(ExportTable &table);
void addListExports(ExportTable &table);
void addOptimizerExports(ExportTable &table);
void addRandomExports(ExportTable &table);
void addReductionExports(ExportTable &table);
void addReportExports(ExportTable &table);
void addStateExports(ExportTable &table);
void addStringExports(ExportTable &table);
void addTableExports(ExportTable &table);

/// Exports a flat_map over a group_dataset, together with the map that computes
/// keys, as a GroupByWindowDataset.
void exportGroupByWindow(OpExport &op);

} // namespace ingot::exporter

#endif // INGOT_COMPILER_EXPORT_OPEXPORT_H
