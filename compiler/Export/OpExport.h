//===- OpExport.h - Exports ops to TensorFlow's -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The helpers with which the families of ops are exported as nodes, and the
// table of those that are not one node with the same operands.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_EXPORT_OPEXPORT_H
#define INGOT_COMPILER_EXPORT_OPEXPORT_H

#include "compiler/Export/Effects.h"
#include "compiler/Export/Scope.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <memory>

namespace ingot::exporter {

class BlockExport;

/// Shared by all entries: the program, and the graph's functions.
class ProgramExport {
public:
  ProgramExport(mlir::ModuleOp module, proto::GraphDef &graph)
      : symbols(module), graph(graph) {}

  mlir::SymbolTable symbols;
  proto::GraphDef &graph;
  bool failed = false;

  using Fill = llvm::function_ref<llvm::SmallVector<Tensor>(
      BlockExport &block, llvm::ArrayRef<Tensor> arguments)>;
  /// Adds a function on tensors of these types with results from `fill`;
  /// returns its name. `outputs`, if not null, receives the types of the
  /// results.
  std::string
  addFunction(llvm::StringRef name, llvm::ArrayRef<proto::DataType> arguments,
              Fill fill,
              llvm::SmallVectorImpl<proto::DataType> *outputs = nullptr);

  /// The function of a `func.func`, created on first use.
  std::string functionOf(mlir::FlatSymbolRefAttr symbol);

private:
  std::map<std::string, std::string> compiled;
  llvm::StringSet<> functionNames;
};

/// The ops of one block, and of the regions in it, as nodes of one scope.
class BlockExport {
public:
  BlockExport(ProgramExport &program, Scope &scope)
      : program(program), scope(scope) {}

  /// Exports all ops of a block but its terminator.
  void run(mlir::Block &block);
  /// One op, whose operands have been exported.
  void run(mlir::Operation *op);

  Tensor value(mlir::Value value);
  void bind(mlir::Value value, Tensor tensor) { values[value] = tensor; }

  /// The handles of a variable, an iterator, a lookup table.
  Tensor variable(llvm::StringRef symbol);
  Tensor iterator(llvm::StringRef symbol);
  Tensor table(llvm::StringRef name, proto::DataType key, proto::DataType value,
               bool isMutable);

  /// The name of a fetch, by the value that it fetches.
  void want(mlir::Value value, llvm::StringRef node, int port);
  /// Whether a node of this name is fetched, and only these outputs of it.
  bool isWanted(mlir::ValueRange outputs, llvm::StringRef node) const;

  /// An op that was exported as part of another one.
  void absorb(mlir::Operation *op) { absorbed.insert(op); }

  ProgramExport &program;
  Scope &scope;
  Effects effects;
  /// The outputs of summary ops.
  llvm::SmallVector<Tensor> summaries;

private:
  Tensor handle(llvm::StringRef key, NodeSpec spec);

  llvm::DenseMap<mlir::Value, Tensor> values;
  llvm::StringMap<Tensor> handles;
  llvm::StringMap<llvm::SmallVector<std::pair<mlir::Value, int>, 1>> wanted;
  llvm::DenseSet<mlir::Operation *> absorbed;
};

/// One op during its export.
class OpExport {
public:
  OpExport(BlockExport &block, mlir::Operation *op) : block(block), op(op) {}

  BlockExport &block;
  mlir::Operation *op;

  Tensor operand(unsigned index);
  llvm::SmallVector<Tensor> operands(unsigned first = 0);
  llvm::SmallVector<Tensor> tensors(mlir::ValueRange values);
  proto::DataType resultType(unsigned index = 0);

  // Attributes of ours.
  llvm::StringRef text(llvm::StringRef name);
  int64_t integer(llvm::StringRef name);
  bool flag(llvm::StringRef name);
  float number(llvm::StringRef name);
  proto::DataType type(llvm::StringRef name);
  llvm::ArrayRef<int64_t> integers(llvm::StringRef name);
  llvm::SmallVector<llvm::StringRef> texts(llvm::StringRef name);
  llvm::SmallVector<proto::DataType> types(llvm::StringRef name);

  /// Control inputs for the nodes that have our results, like those of nodes
  /// that access `resource`; `touchAll` for unknown effects.
  void touch(llvm::StringRef resource, bool writes);
  void touchAll();

  /// The node that has our results, in order.
  void emit(llvm::StringRef node, llvm::ArrayRef<Tensor> inputs,
            AttributeMap attributes = {});
  /// The same, but returns its outputs. `results` are our results for the
  /// node's first outputs.
  llvm::SmallVector<Tensor> emit(llvm::StringRef node,
                                 llvm::ArrayRef<Tensor> inputs,
                                 llvm::ArrayRef<proto::DataType> outputs,
                                 AttributeMap attributes = {},
                                 mlir::ValueRange results = {});
  /// A helper node; returns its first output, of this type.
  Tensor add(llvm::StringRef node, llvm::ArrayRef<Tensor> inputs,
             proto::DataType output, AttributeMap attributes = {});
  llvm::SmallVector<Tensor> addAll(llvm::StringRef node,
                                   llvm::ArrayRef<Tensor> inputs,
                                   llvm::ArrayRef<proto::DataType> outputs,
                                   AttributeMap attributes = {});
  /// Helper constants.
  Tensor constant(proto::AttrValue value);
  Tensor scalar(int64_t value, proto::DataType dtype = proto::DT_INT32);
  Tensor vector(llvm::ArrayRef<int64_t> values,
                proto::DataType dtype = proto::DT_INT32);
  /// A tensor with elements of this type.
  Tensor cast(Tensor tensor, proto::DataType dtype);

  void set(unsigned result, Tensor tensor);
  /// There is no node for this op: all results get placeholders.
  void refuse(const llvm::Twine &why);

  std::string nodeName() const;

private:
  std::string resource;
  bool touches = false, writes = false, touchesAll = false;
};

using ExportFn = void (*)(OpExport &);
using ExportTable = llvm::StringMap<ExportFn>;

/// Exports ops that become one node with the same operands, by the importer's
/// rows; false for others.
bool exportByRow(OpExport &op);
/// Whether an op of this name has such a row.
bool hasRow(llvm::StringRef op);

/// Whether all users of this op's value are optimizer updates and row updates
/// of the variable itself.
bool isOnlyStepped(mlir::Operation *read);

/// Whether a variable is a random op's position, or the session's seed.
bool isRandomState(ProgramExport &program, llvm::StringRef symbol);

/// All other ops, by name.
const ExportTable &getExportTable();

// The families, each in a file of its own.
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

/// A flat_map over a group.
void exportGroupByWindow(OpExport &op);

} // namespace ingot::exporter

#endif // INGOT_COMPILER_EXPORT_OPEXPORT_H
