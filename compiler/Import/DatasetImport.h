//===- DatasetImport.h - Common parts of dataset imports --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_DATASETIMPORT_H
#define INGOT_COMPILER_IMPORT_DATASETIMPORT_H

#include "compiler/Import/Body.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <memory>

#include "proto/Graph.pb.h"

namespace ingot::importer {

/// Returns whether an op creates an iterator. TensorFlow 1 has three such ops.
bool isIterator(llvm::StringRef op);

/// Appends the types that a node declares for the components of an element of a
/// dataset or iterator to `types`. Returns false, with a recorded problem, if
/// they are malformed.
bool declaredComponents(NodeImport &node, llvm::StringRef typesName,
                        llvm::SmallVectorImpl<mlir::Type> &types);

/// Creates a dataset op whose elements have these components, and makes it the
/// node's output. Returns null, with a recorded problem, if the op is invalid.
mlir::Operation *
createDataset(NodeImport &node, llvm::StringRef opName,
              mlir::ValueRange operands, llvm::ArrayRef<mlir::Type> components,
              llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

llvm::ArrayRef<mlir::Type> componentsOf(mlir::Value dataset);

/// Refines the types that a node declares for its elements by those that follow
/// from its inputs or its function.
void refineComponents(llvm::SmallVectorImpl<mlir::Type> &declared,
                      llvm::ArrayRef<mlir::Type> computed);

/// Checks that the elements of a dataset consist of tensors only; otherwise
/// records a problem and returns false.
bool expectTensors(NodeImport &node, mlir::Value dataset);

/// The inputs of a dataset op that applies a function to a dataset: the
/// dataset, the function, its captures, and other operands.
struct DatasetFunction {
  const proto::NameAttrList *function = nullptr;
  mlir::Value input;
  /// The initial state of a scan. It is passed to the function before the
  /// components of the element.
  llvm::SmallVector<mlir::Value> state;
  llvm::SmallVector<mlir::Type> stateTypes;
  llvm::SmallVector<Argument> captured;
  /// The number of captured tensors that `zipCaptured` has appended to the
  /// components of the input.
  size_t numZipped = 0;
  llvm::SmallVector<mlir::Value> tensors;
};

/// Zips the input with the captured tensors that are not constants, since a
/// compiled function has no arguments besides the element.
void zipCaptured(NodeImport &node, DatasetFunction &function);

/// Reads the inputs of such a node: the dataset, `numStates` tensors of state,
/// the function's captures, and `numTensors` other tensors. Returns
/// std::nullopt after a problem.
std::optional<DatasetFunction> functionOf(NodeImport &node, size_t numTensors,
                                          llvm::StringRef attribute = "f",
                                          size_t numStates = 0);

/// Imports the function as a function of the program, whose arguments are the
/// state and the element. Returns null after a problem.
mlir::func::FuncOp compileFunction(NodeImport &node,
                                   const DatasetFunction &function);

/// Imports a function that makes a dataset of each element as a region, and
/// sets `dataset` to the region's result. Returns null after a problem. If
/// datasets in the region have operands that depend on the element, a map
/// computes these, and becomes the function's input. If the function's
/// arguments differ from those of the block, `prepare` converts them.
std::unique_ptr<mlir::Region> importBody(
    NodeImport &node, DatasetFunction &function, mlir::Value &dataset,
    llvm::function_ref<void(mlir::Block &, llvm::SmallVectorImpl<Argument> &)>
        prepare = {});

/// Moves the computation of tensors that datasets in a body have as operands to
/// a new function of the body's tensor arguments, and returns the function. The
/// block then has arguments for the function's results, at its end, in place of
/// its tensor arguments.
mlir::func::FuncOp outlineOperands(NodeImport &node, mlir::Block &block,
                                   llvm::StringRef name);

/// Appends a function's captures to its arguments. A compiled function contains
/// constants itself: `cloneInto` clones them; it is null for bodies that are
/// imported as regions. Returns false after a problem.
bool addCaptured(NodeImport &node, const DatasetFunction &function,
                 mlir::OpBuilder *cloneInto,
                 llvm::SmallVectorImpl<Argument> &arguments);

/// These add the dataset ops to the op table.
void addDatasetOps(OpTable &table);
void addDatasetFunctionOps(OpTable &table);
void addDatasetGroupOps(OpTable &table);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_DATASETIMPORT_H
