//===- DatasetImport.h - What imports of datasets share ---------*- C++ -*-===//
#ifndef INGOT_COMPILER_IMPORT_DATASETIMPORT_H
#define INGOT_COMPILER_IMPORT_DATASETIMPORT_H

#include "compiler/Import/Body.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <memory>

#include "proto/Graph.pb.h"

namespace ingot::importer {

/// Whether an op stands for an iterator: TensorFlow 1 has had three.
bool isIterator(llvm::StringRef op);

/// The types that a node declares for an element of a dataset or iterator;
/// false, with the problem recorded, where they make no sense.
bool declaredComponents(NodeImport &node, llvm::StringRef typesName,
                        llvm::SmallVectorImpl<mlir::Type> &types);

/// Creates a dataset op whose element has these types, as the node's output.
mlir::Operation *
createDataset(NodeImport &node, llvm::StringRef opName,
              mlir::ValueRange operands, llvm::ArrayRef<mlir::Type> components,
              llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

llvm::ArrayRef<mlir::Type> componentsOf(mlir::Value dataset);

/// Adds what is known of a result's components from elsewhere to what the node
/// declares.
void refineComponents(llvm::SmallVectorImpl<mlir::Type> &declared,
                      llvm::ArrayRef<mlir::Type> computed);

/// Whether the elements of a dataset are tensors alone; a problem where not.
bool expectTensors(NodeImport &node, mlir::Value dataset);

/// A dataset op over a dataset and a function: its function, what that takes
/// from outside, and its other operands.
struct DatasetFunction {
  const proto::NameAttrList *function = nullptr;
  mlir::Value input;
  /// What the function is given in front of an element.
  llvm::SmallVector<mlir::Value> state;
  llvm::SmallVector<mlir::Type> stateTypes;
  llvm::SmallVector<Argument> captured;
  /// How many of the input's components are captured tensors that differ from
  /// run to run of a function around this one; they stand at the end.
  size_t numZipped = 0;
  llvm::SmallVector<mlir::Value> tensors;
};

/// Lets the input hand out, with each element, those captured tensors that are
/// no constants: a function takes nothing but elements.
void zipCaptured(NodeImport &node, DatasetFunction &function);

/// Reads the inputs of such a node, which has `numStates` operands in front of
/// those that its function captures and `numTensors` behind. Nothing where
/// there is a problem.
std::optional<DatasetFunction> functionOf(NodeImport &node, size_t numTensors,
                                          llvm::StringRef attribute = "f",
                                          size_t numStates = 0);

/// The function as one of the program, over the state's and an element's
/// tensors alone; null where there is a problem.
mlir::func::FuncOp compileFunction(NodeImport &node,
                                   const DatasetFunction &function);

/// A region that makes a dataset of an element as the function does; null
/// where there is a problem. What datasets take of it that must be computed is
/// computed by a map in front, which becomes the function's input.
/// `prepare` makes the function's arguments of the block's, where the two are
/// not the same.
std::unique_ptr<mlir::Region> importBody(
    NodeImport &node, DatasetFunction &function, mlir::Value &dataset,
    llvm::function_ref<void(mlir::Block &, llvm::SmallVectorImpl<Argument> &)>
        prepare = {});

/// Makes what datasets in a body take of its tensor arguments a function of
/// those. The block then has arguments for the function's results, at the end,
/// instead of them.
mlir::func::FuncOp outlineOperands(NodeImport &node, mlir::Block &block,
                                   llvm::StringRef name);

/// Appends what a function captures to its arguments, where a compiled one has
/// constants in itself: cloned by `cloneInto`.
bool addCaptured(NodeImport &node, const DatasetFunction &function,
                 mlir::OpBuilder *cloneInto,
                 llvm::SmallVectorImpl<Argument> &arguments);

/// The datasets' rows of the table.
void addDatasetOps(OpTable &table);
void addDatasetFunctionOps(OpTable &table);
void addDatasetGroupOps(OpTable &table);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_DATASETIMPORT_H
