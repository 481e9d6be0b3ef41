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
void populateComplexPatterns(mlir::RewritePatternSet &patterns);
void populatePointwisePatterns(mlir::RewritePatternSet &patterns);
void populateActivationPatterns(mlir::RewritePatternSet &patterns);
void populateFakeQuantPatterns(mlir::RewritePatternSet &patterns);
void populateBesselPatterns(mlir::RewritePatternSet &patterns);
void populateGammaPatterns(mlir::RewritePatternSet &patterns);
void populateNdtriPatterns(mlir::RewritePatternSet &patterns);
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
/// Adds patterns for depthwise convolutions that first copy the images to a
/// padded tensor. They take priority over the depthwise patterns of
/// populateConvolutionPatterns(). They apply if no padding is needed, or if the
/// padded images have at most `maxPaddedElements` elements. They also apply if
/// a window has more than `maxBoundsCheckedTaps` taps, unless this limit is 0.
void populateDepthwiseConvolutionPatterns(mlir::RewritePatternSet &patterns,
                                          int64_t maxPaddedElements,
                                          int64_t maxBoundsCheckedTaps);
/// The same for gradients of filters, whatever the size of the images.
void populateDepthwiseFilterGradientPatterns(mlir::RewritePatternSet &patterns);
void populatePhasePatterns(mlir::RewritePatternSet &patterns);
void populateNormalizationPatterns(mlir::RewritePatternSet &patterns);
void populatePoolingPatterns(mlir::RewritePatternSet &patterns);
void populateProductPatterns(mlir::RewritePatternSet &patterns);
void populateRandomPatterns(mlir::RewritePatternSet &patterns);

/// Builds the body of a linalg op: receives the elements of the op's inputs and
/// destinations, and returns the values that the body yields.
using BodyBuilder = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::ImplicitLocOpBuilder &, mlir::ValueRange)>;

// Lowerings handle static and dynamic sizes with the same code: in an
// OpFoldResult, a static size is an attribute and a dynamic one an index value.

/// A tensor's sizes at run time.
using Sizes = llvm::SmallVector<mlir::OpFoldResult>;

/// Returns the sizes of `tensor`.
Sizes sizesOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor);

/// Returns the sizes of the broadcast of `operands`, as constants for static
/// dimensions of `type`. The size of a dynamic dimension is read from any
/// operand that has it: ingot-materialize-broadcasts ensures that a dynamic
/// dimension of an operand has the size of the result.
Sizes broadcastSizes(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::RankedTensorType type, mlir::ValueRange operands);

/// Returns `size` as an index value.
mlir::Value sizeValue(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::OpFoldResult size);

/// Returns the sizes in the integer tensor `dims`, for a result of `type`.
/// Static sizes are taken from `type`, not read.
Sizes sizesFromTensor(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::RankedTensorType type, mlir::Value dims);

/// Returns an uninitialized tensor of `type`, which is static.
mlir::Value emptyTensor(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::RankedTensorType type);

/// Returns an uninitialized tensor of the given sizes.
mlir::Value emptyTensor(mlir::OpBuilder &builder, mlir::Location loc,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes,
                        mlir::Type element);

/// Returns a tensor of the given sizes filled with `value`, which must be
/// representable in type `element`.
mlir::Value filledTensor(mlir::OpBuilder &builder, mlir::Location loc,
                         llvm::ArrayRef<mlir::OpFoldResult> sizes,
                         mlir::Type element, double value);

/// Returns `value` reshaped to `type`, whose sizes at run time are `sizes`.
mlir::Value reshaped(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, mlir::RankedTensorType type,
                     llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// Returns the user's element type of operand `index` of `op`. After
/// ingot-lower-to-storage-types the operand itself has the storage type.
mlir::Type operandElementType(mlir::Operation *op, unsigned index);
mlir::Type resultElementType(mlir::Operation *op, unsigned index);

/// Returns a tensor of the static type `type` filled with `value`, which must
/// be representable in the element type.
mlir::Value filledTensor(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::RankedTensorType type, double value);

/// Returns a scalar constant of an integer or floating-point type.
mlir::Value scalar(mlir::ImplicitLocOpBuilder &builder, mlir::Type type,
                   double value);

/// Builds an elementwise linalg op over `shape`. Inputs are broadcast to
/// `shape` as in TensorFlow; destinations must have this shape.
mlir::linalg::GenericOp
elementwise(mlir::OpBuilder &builder, mlir::Location loc,
            llvm::ArrayRef<int64_t> shape, mlir::ValueRange inputs,
            mlir::ValueRange destinations, BodyBuilder body);

/// Builds a linalg op with the given maps. The loops marked in `reduced` are
/// reductions.
mlir::linalg::GenericOp generic(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::ValueRange inputs,
                                mlir::ValueRange destinations,
                                llvm::ArrayRef<mlir::AffineMap> maps,
                                llvm::ArrayRef<bool> reduced, BodyBuilder body);

/// Returns `value`, a static tensor, reshaped to `shape`.
mlir::Value reshaped(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// Appends the elements of a constant integer tensor to `integers`. Returns
/// false if `value` is not constant.
bool constantIntegers(mlir::Value value,
                      llvm::SmallVectorImpl<int64_t> &integers);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_PATTERNS_H
