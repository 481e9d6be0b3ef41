//===- Datasets.h - Builds descriptions of datasets -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The state of a graph::Dataset (include/ingot/graph.h) is a function that adds
// the dataset's ops to the region of an iterator. It is called once for each
// iterator over the dataset.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_BUILDER_DATASETS_H
#define INGOT_COMPILER_BUILDER_DATASETS_H

#include "compiler/Builder/GraphImpl.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace ingot::graph {

/// A dataset in the IR, with the names of its components. `value` is null after
/// an error.
struct DatasetWithComponentNames {
  mlir::Value value;
  std::vector<std::string> names;
};

using BuildDataset = std::function<DatasetWithComponentNames(GraphImpl &)>;

/// The state of a Dataset handle: the function that builds the dataset's ops.
struct Dataset::Node {
  explicit Node(BuildDataset build) : build(std::move(build)) {}
  BuildDataset build;
};

Dataset makeDataset(BuildDataset build);

/// Adds the dataset op named `op`, whose elements have components of the types
/// `components`. Returns the op's result, or null after an error.
mlir::Value addDataset(GraphImpl &data, llvm::StringRef op,
                       mlir::ValueRange operands,
                       llvm::ArrayRef<mlir::Type> components,
                       llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

llvm::ArrayRef<mlir::Type> componentsOf(mlir::Value dataset);

/// Adds a function to the program. Its arguments are the components of an
/// element of `input`. `fill` builds the body and returns the function's
/// results; their types are appended to `results`.
mlir::FlatSymbolRefAttr addFunction(
    GraphImpl &data, llvm::StringRef name,
    const DatasetWithComponentNames &input,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(const Element &)> fill,
    llvm::SmallVectorImpl<mlir::Type> &results);

} // namespace ingot::graph

#endif // INGOT_COMPILER_BUILDER_DATASETS_H
