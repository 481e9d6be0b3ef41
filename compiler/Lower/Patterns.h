//===- Patterns.h - The lowerings to linalg, by family ----------*- C++ -*-===//
//
// What LowerToLinalg collects, and the builders that the families share.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_PATTERNS_H
#define INGOT_COMPILER_LOWER_PATTERNS_H

#include "compiler/Lower/Passes.h"

#include "mlir/IR/PatternMatch.h"

namespace ingot::lower {

void populateElementwisePatterns(mlir::RewritePatternSet &patterns);
void populateReductionPatterns(mlir::RewritePatternSet &patterns);
void populateShapePatterns(mlir::RewritePatternSet &patterns);
void populateNNPatterns(mlir::RewritePatternSet &patterns);
void populateRandomPatterns(mlir::RewritePatternSet &patterns);

/// Computes the body of a linalg op: from the elements of its inputs and
/// destinations to what it yields.
using BodyBuilder = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::ImplicitLocOpBuilder &, mlir::ValueRange)>;

/// An uninitialized tensor of `type`.
mlir::Value emptyTensor(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::RankedTensorType type);

/// A tensor of `type` filled with `value`, a number that its elements can
/// hold.
mlir::Value filledTensor(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::RankedTensorType type, double value);

/// A scalar constant of an integer or floating-point type.
mlir::Value scalar(mlir::ImplicitLocOpBuilder &builder, mlir::Type type,
                   double value);

/// An elementwise op over `shape`: inputs are broadcast to it as TensorFlow
/// does, destinations have it.
mlir::linalg::GenericOp
elementwise(mlir::OpBuilder &builder, mlir::Location loc,
            llvm::ArrayRef<int64_t> shape, mlir::ValueRange inputs,
            mlir::ValueRange destinations, BodyBuilder body);

/// A generic op with the given maps; `reduced` dimensions are reductions.
mlir::linalg::GenericOp generic(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::ValueRange inputs,
                                mlir::ValueRange destinations,
                                llvm::ArrayRef<mlir::AffineMap> maps,
                                llvm::ArrayRef<bool> reduced, BodyBuilder body);

/// `value` as a tensor of `shape`, the elements in the same order.
mlir::Value reshaped(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// The integers of a constant operand; false if it is not constant.
bool constantIntegers(mlir::Value value,
                      llvm::SmallVectorImpl<int64_t> &integers);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_PATTERNS_H
