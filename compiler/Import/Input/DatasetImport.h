//===- DatasetImport.h - Common parts of dataset imports --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_INPUT_DATASETIMPORT_H
#define INGOT_COMPILER_IMPORT_INPUT_DATASETIMPORT_H

#include "compiler/Import/ControlFlow/BlockImport.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <memory>

#include "proto/Graph.pb.h"

namespace ingot::importer {

/// Returns whether an op creates an iterator. TensorFlow 1 has three such ops.
bool isIterator(llvm::StringRef op);

/// Appends to `types` the types that the node's attributes declare for the
/// components of a dataset's or iterator's element. Returns false, with a
/// recorded problem, if they are malformed.
bool declaredComponents(NodeImport &node, llvm::StringRef typesName,
                        llvm::SmallVectorImpl<mlir::Type> &types);

/// Creates the dataset op `opName`, whose elements have components of the types
/// `components`, and makes its result output 0 of the node. Returns null, with
/// a recorded problem, if the op is invalid.
mlir::Operation *
createDataset(NodeImport &node, llvm::StringRef opName,
              mlir::ValueRange operands, llvm::ArrayRef<mlir::Type> declared,
              llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

llvm::ArrayRef<mlir::Type> componentsOf(mlir::Value dataset);

/// Refines the types that a node declares for the components of its elements by
/// the types that follow from the node's inputs or function.
void refineComponents(llvm::SmallVectorImpl<mlir::Type> &declared,
                      llvm::ArrayRef<mlir::Type> computed);

/// Checks that the elements of a dataset consist of tensors only; otherwise
/// records a problem and returns false.
bool expectTensors(NodeImport &node, mlir::Value dataset);

/// The inputs of a dataset node that applies a function to a dataset: the input
/// dataset, the function, the function's captures, and other tensors of the
/// node.
struct DatasetFunctionInputs {
  const proto::NameAttrList *function = nullptr;
  mlir::Value input;
  /// The initial state of a ScanDataset. The state tensors are the function's
  /// first arguments, and the components of the element are the next ones.
  llvm::SmallVector<mlir::Value> state;
  llvm::SmallVector<mlir::Type> stateTypes;
  llvm::SmallVector<ImportedNodeOutput> captured;
  /// The number of captured tensors that `zipCaptured` has turned into
  /// components of the input's elements.
  size_t numZipped = 0;
  llvm::SmallVector<mlir::Value> tensors;
};

/// Turns captured tensors that are not constant into components of the input's
/// elements: replaces the input by a zip of the input and a dataset that
/// repeats these tensors. This is needed because a compiled function has no
/// other arguments than the components of an element.
void zipCaptured(NodeImport &node, DatasetFunctionInputs &function);

/// Reads the inputs of a node that applies the function in attribute
/// `attribute`: the dataset, `numStates` tensors of state, the function's
/// captures, and `numTensors` other tensors. On failure, records a problem and
/// returns std::nullopt.
std::optional<DatasetFunctionInputs> functionOf(NodeImport &node,
                                                size_t numTensors,
                                                llvm::StringRef attribute = "f",
                                                size_t numStates = 0);

/// Imports the dataset's function as a func.func of the module. Its arguments
/// are the components of the state, which only scan and reduce have, and those
/// of an element. On failure, records a problem and returns null.
mlir::func::FuncOp compileFunction(NodeImport &node,
                                   const DatasetFunctionInputs &function);

/// Imports a function that turns each element into a dataset. The function
/// becomes a region, and `dataset` is set to the region's result. If the
/// datasets in the region need tensors that depend on the element, replaces
/// `function.input` by a map that computes these tensors. The function's
/// arguments are the arguments of the region's block, followed by the captures;
/// `prepare`, if given, can replace them. On failure, records a problem and
/// returns null.
std::unique_ptr<mlir::Region>
importBody(NodeImport &node, DatasetFunctionInputs &function,
           mlir::Value &dataset,
           llvm::function_ref<void(mlir::Block &,
                                   llvm::SmallVectorImpl<ImportedNodeOutput> &)>
               prepare = {});

/// In `block`, ops compute operands of datasets from the block's tensor
/// arguments. Moves these ops into a new function, which returns the operands.
/// In place of its tensor arguments, the block gets one argument for each
/// result of the function. Returns the function.
mlir::func::FuncOp outlineOperands(NodeImport &node, mlir::Block &block,
                                   llvm::StringRef name);

/// Appends the captures of a dataset's function to its arguments. For a
/// compiled function, `cloneInto` clones captured constants into the function's
/// body; for a function that is imported as a region, it is null. On failure,
/// records a problem and returns false.
bool addCaptured(NodeImport &node, const DatasetFunctionInputs &function,
                 mlir::OpBuilder *cloneInto,
                 llvm::SmallVectorImpl<ImportedNodeOutput> &arguments);

/// The following functions add the dataset ops to the op table.
void addDatasetOps(OpTable &table);
void addDatasetFunctionOps(OpTable &table);
void addDatasetGroupOps(OpTable &table);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_INPUT_DATASETIMPORT_H
