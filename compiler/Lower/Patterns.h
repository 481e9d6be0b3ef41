//===- Patterns.h - The lowerings to linalg, by family ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The patterns that LowerToLinalg collects, and the builders that they share.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_PATTERNS_H
#define INGOT_COMPILER_LOWER_PATTERNS_H

#include "compiler/Lower/Passes.h"

#include "mlir/IR/PatternMatch.h"

namespace ingot::lower {

void populateBroadcastPatterns(mlir::RewritePatternSet &patterns);
void populateElementwisePatterns(mlir::RewritePatternSet &patterns);
void populateOptimizerPatterns(mlir::RewritePatternSet &patterns);
void populateCastPatterns(mlir::RewritePatternSet &patterns);
void populatePointwisePatterns(mlir::RewritePatternSet &patterns);
void populateActivationPatterns(mlir::RewritePatternSet &patterns);
void populateFakeQuantPatterns(mlir::RewritePatternSet &patterns);
void populateGammaPatterns(mlir::RewritePatternSet &patterns);
void populateReductionPatterns(mlir::RewritePatternSet &patterns);
void populateArrayPatterns(mlir::RewritePatternSet &patterns);
void populateIndexingPatterns(mlir::RewritePatternSet &patterns);
void populateScatterPatterns(mlir::RewritePatternSet &patterns);
void populateSegmentPatterns(mlir::RewritePatternSet &patterns);
void populateMatrixPatterns(mlir::RewritePatternSet &patterns);
void populateBlockPatterns(mlir::RewritePatternSet &patterns);
void populatePaddingPatterns(mlir::RewritePatternSet &patterns);
void populateRearrangePatterns(mlir::RewritePatternSet &patterns);
void populateShapePatterns(mlir::RewritePatternSet &patterns);
void populateNNPatterns(mlir::RewritePatternSet &patterns);
void populateConvolutionPatterns(mlir::RewritePatternSet &patterns);
/// With priority over those: depthwise convolutions of images of at most
/// `maxPaddedElements` elements with their padding, or of windows of more than
/// `maxBoundsCheckedTaps` taps.
void populateDepthwiseConvolutionPatterns(mlir::RewritePatternSet &patterns,
                                          int64_t maxPaddedElements,
                                          int64_t maxBoundsCheckedTaps);
void populatePhasePatterns(mlir::RewritePatternSet &patterns);
void populateNormalizationPatterns(mlir::RewritePatternSet &patterns);
void populatePoolingPatterns(mlir::RewritePatternSet &patterns);
void populateProductPatterns(mlir::RewritePatternSet &patterns);
void populateRandomPatterns(mlir::RewritePatternSet &patterns);

/// Builds the body of a linalg op: from the elements of its inputs and
/// destinations to the values that it yields.
using BodyBuilder = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::ImplicitLocOpBuilder &, mlir::ValueRange)>;

// Lowerings serve static and dynamic shapes alike: static sizes are attributes,
// dynamic ones index values.

/// A tensor's sizes at run time.
using Sizes = llvm::SmallVector<mlir::OpFoldResult>;

/// The sizes of `tensor`.
Sizes sizesOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor);

/// The sizes of the broadcast of `operands`, with the static and dynamic
/// dimensions of `type`. A dynamic dimension of an operand has the result's
/// size: ingot-materialize-broadcasts has made sure of that.
Sizes broadcastSizes(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::RankedTensorType type, mlir::ValueRange operands);

/// One of the sizes as a value.
mlir::Value sizeValue(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::OpFoldResult size);

/// The sizes in an integer tensor, for a result of `type`: static sizes of
/// `type` are not read.
Sizes sizesFromTensor(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::RankedTensorType type, mlir::Value dims);

/// An uninitialized tensor of `type`, which is static.
mlir::Value emptyTensor(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::RankedTensorType type);

/// An uninitialized tensor of the given sizes.
mlir::Value emptyTensor(mlir::OpBuilder &builder, mlir::Location loc,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes,
                        mlir::Type element);

/// A tensor of the given sizes filled with `value`, which its element type can
/// represent.
mlir::Value filledTensor(mlir::OpBuilder &builder, mlir::Location loc,
                         llvm::ArrayRef<mlir::OpFoldResult> sizes,
                         mlir::Type element, double value);

/// `value` reshaped to `type`, with sizes `sizes`.
mlir::Value reshaped(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, mlir::RankedTensorType type,
                     llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// The user's element type of operand `index` of `op`: after
/// ingot-lower-element-types its value has the storage type.
mlir::Type operandElementType(mlir::Operation *op, unsigned index);
mlir::Type resultElementType(mlir::Operation *op, unsigned index);

/// A tensor of `type` filled with `value`, which its element type can
/// represent.
mlir::Value filledTensor(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::RankedTensorType type, double value);

/// A scalar constant of an integer or floating-point type.
mlir::Value scalar(mlir::ImplicitLocOpBuilder &builder, mlir::Type type,
                   double value);

/// An elementwise op over `shape`: inputs broadcast to it as in TensorFlow,
/// destinations have it.
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

/// `value` reshaped to `shape`.
mlir::Value reshaped(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// The integers of a constant operand; false if it is not constant.
bool constantIntegers(mlir::Value value,
                      llvm::SmallVectorImpl<int64_t> &integers);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_PATTERNS_H
