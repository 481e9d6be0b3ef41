//===- OpExport.h - From ops of ours to TensorFlow's ------------*- C++ -*-===//
//
// What the families of ops need to write themselves as nodes, and the table
// of those that are not one node with the same operands.
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

/// What is the same for all entries: the program, and the functions that the
/// graph gets.
class ProgramExport {
public:
  ProgramExport(mlir::ModuleOp module, proto::GraphDef &graph)
      : symbols(module), graph(graph) {}

  mlir::SymbolTable symbols;
  proto::GraphDef &graph;
  bool failed = false;

  using Fill = llvm::function_ref<llvm::SmallVector<Tensor>(
      BlockExport &block, llvm::ArrayRef<Tensor> arguments)>;
  /// Adds a function that takes tensors of these types and gives what `fill`
  /// says; its name. `outputs`, where given, is told the types of the results.
  std::string
  addFunction(llvm::StringRef name, llvm::ArrayRef<proto::DataType> arguments,
              Fill fill,
              llvm::SmallVectorImpl<proto::DataType> *outputs = nullptr);

  /// The function of a `func.func`, made where it is first asked for.
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

  /// The name that a fetch asks for, by the value that it asks for.
  void want(mlir::Value value, llvm::StringRef node, int port);
  /// Whether a node of this name is asked for, and all that is asked of it are
  /// these outputs.
  bool isWanted(mlir::ValueRange outputs, llvm::StringRef node) const;

  /// An op that another one has exported along with itself.
  void absorb(mlir::Operation *op) { absorbed.insert(op); }

  ProgramExport &program;
  Scope &scope;
  Effects effects;
  /// What summary ops gave.
  llvm::SmallVector<Tensor> summaries;

private:
  Tensor handle(llvm::StringRef key, NodeSpec spec);

  llvm::DenseMap<mlir::Value, Tensor> values;
  llvm::StringMap<Tensor> handles;
  llvm::StringMap<llvm::SmallVector<std::pair<mlir::Value, int>, 1>> wanted;
  llvm::DenseSet<mlir::Operation *> absorbed;
};

/// One op on its way out.
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

  /// The nodes that give our results wait for others, as what reads or writes
  /// `resource`; `touchAll` for what may read and write anything.
  void touch(llvm::StringRef resource, bool writes);
  void touchAll();

  /// The node that gives our results, in their order.
  void emit(llvm::StringRef node, llvm::ArrayRef<Tensor> inputs,
            AttributeMap attributes = {});
  /// The same; what it gives is returned instead. `results` are those of ours
  /// that the node's first outputs are.
  llvm::SmallVector<Tensor> emit(llvm::StringRef node,
                                 llvm::ArrayRef<Tensor> inputs,
                                 llvm::ArrayRef<proto::DataType> outputs,
                                 AttributeMap attributes = {},
                                 mlir::ValueRange results = {});
  /// A node that helps; its first output, of this type.
  Tensor add(llvm::StringRef node, llvm::ArrayRef<Tensor> inputs,
             proto::DataType output, AttributeMap attributes = {});
  llvm::SmallVector<Tensor> addAll(llvm::StringRef node,
                                   llvm::ArrayRef<Tensor> inputs,
                                   llvm::ArrayRef<proto::DataType> outputs,
                                   AttributeMap attributes = {});
  /// Constants that help.
  Tensor constant(proto::AttrValue value);
  Tensor scalar(int64_t value, proto::DataType dtype = proto::DT_INT32);
  Tensor vector(llvm::ArrayRef<int64_t> values,
                proto::DataType dtype = proto::DT_INT32);
  /// A tensor with elements of this type.
  Tensor cast(Tensor tensor, proto::DataType dtype);

  void set(unsigned result, Tensor tensor);
  /// There is no node for this: all results are given something.
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

/// Whether all that uses what this op reads are steps of optimizers and updates
/// of rows on the variable itself.
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
