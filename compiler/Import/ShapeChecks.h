//===- ShapeChecks.h - Shapes that have to be the same ----------*- C++ -*-===//
#ifndef INGOT_COMPILER_IMPORT_SHAPECHECKS_H
#define INGOT_COMPILER_IMPORT_SHAPECHECKS_H

#include "compiler/Import/Body.h"

namespace ingot::importer {

/// Has two tensors checked to have one shape, but for the dimensions in `free`
/// (those below 0 count from the last); in `text` each "{}" stands for one of
/// the shapes. Nothing where their types say so.
void checkSameShape(NodeImport &node, mlir::Value lhs, mlir::Value rhs,
                    const llvm::Twine &text, llvm::ArrayRef<int64_t> free = {});

/// The same of two vectors that are shapes.
void checkSameSizes(NodeImport &node, mlir::Value lhs, mlir::Value rhs,
                    const llvm::Twine &text, llvm::ArrayRef<int64_t> free = {});

/// Checks all shapes that the node's op asks to be the same (a table in
/// ShapeChecks.cpp), before it is imported.
void checkShapes(NodeImport &node);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_SHAPECHECKS_H
