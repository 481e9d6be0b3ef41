//===- DatasetImport.h - Common parts of dataset imports --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_DATASETIMPORT_H
#define INGOT_COMPILER_IMPORT_DATASETIMPORT_H

#include "compiler/Import/Body.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <memory>

#include "proto/Graph.pb.h"

namespace ingot::importer {

/// Whether an op creates an iterator: TensorFlow 1 has had three.
bool isIterator(llvm::StringRef op);

/// The types that a node declares for an element of a dataset or iterator;
/// false, with a problem, if they are malformed.
bool declaredComponents(NodeImport &node, llvm::StringRef typesName,
                        llvm::SmallVectorImpl<mlir::Type> &types);

/// Creates a dataset op whose element has these types, as the node's output.
mlir::Operation *
createDataset(NodeImport &node, llvm::StringRef opName,
              mlir::ValueRange operands, llvm::ArrayRef<mlir::Type> components,
              llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

llvm::ArrayRef<mlir::Type> componentsOf(mlir::Value dataset);

/// Refines the node's declared types by those of the result's components from
/// elsewhere.
void refineComponents(llvm::SmallVectorImpl<mlir::Type> &declared,
                      llvm::ArrayRef<mlir::Type> computed);

/// Whether the elements of a dataset are tensors only; otherwise a problem.
bool expectTensors(NodeImport &node, mlir::Value dataset);

/// A dataset op over a dataset and a function: its function, the function's
/// captures, and its other operands.
struct DatasetFunction {
  const proto::NameAttrList *function = nullptr;
  mlir::Value input;
  /// The arguments of the function before the element.
  llvm::SmallVector<mlir::Value> state;
  llvm::SmallVector<mlir::Type> stateTypes;
  llvm::SmallVector<Argument> captured;
  /// The number of the input's components, at its end, that are captured
  /// tensors which differ from run to run of a function around this one.
  size_t numZipped = 0;
  llvm::SmallVector<mlir::Value> tensors;
};

/// Lets the input provide, with each element, the captured tensors that are not
/// constants: a function's only arguments are elements.
void zipCaptured(NodeImport &node, DatasetFunction &function);

/// Reads the inputs of such a node: `numStates` operands, the function's
/// captures, and `numTensors` operands. Nothing after a problem.
std::optional<DatasetFunction> functionOf(NodeImport &node, size_t numTensors,
                                          llvm::StringRef attribute = "f",
                                          size_t numStates = 0);

/// The function as one of the program, over the tensors of state and element
/// only; null after a problem.
mlir::func::FuncOp compileFunction(NodeImport &node,
                                   const DatasetFunction &function);

/// A region that makes a dataset of an element like the function; null after a
/// problem. Values that its datasets must compute from the element are computed
/// by a map before it, which becomes the function's input. `prepare` makes the
/// function's arguments of the block's, if the two differ.
std::unique_ptr<mlir::Region> importBody(
    NodeImport &node, DatasetFunction &function, mlir::Value &dataset,
    llvm::function_ref<void(mlir::Block &, llvm::SmallVectorImpl<Argument> &)>
        prepare = {});

/// Replaces the values that datasets in a body compute from its tensor
/// arguments by results of a function of these. The block then has arguments
/// for the function's results, at the end, in their place.
mlir::func::FuncOp outlineOperands(NodeImport &node, mlir::Block &block,
                                   llvm::StringRef name);

/// Appends a function's captures to its arguments; a compiled function holds
/// constants itself: cloned by `cloneInto`.
bool addCaptured(NodeImport &node, const DatasetFunction &function,
                 mlir::OpBuilder *cloneInto,
                 llvm::SmallVectorImpl<Argument> &arguments);

/// The datasets' rows of the table.
void addDatasetOps(OpTable &table);
void addDatasetFunctionOps(OpTable &table);
void addDatasetGroupOps(OpTable &table);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_DATASETIMPORT_H
