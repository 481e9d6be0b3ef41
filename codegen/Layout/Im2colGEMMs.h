//===- Im2colGEMMs.h - Helpers to write convolutions as GEMMs ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Helpers that write convolutions as GEMMs: they reshape images, im2col and
// filters to matrices, and move elementwise ops onto the GEMM, where they
// become its epilogue.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_LAYOUT_IM2COLGEMMS_H
#define INGOT_CODEGEN_LAYOUT_IM2COLGEMMS_H

#include "codegen/TargetPolicy.h"
#include "dialects/Ingot/IR/ConvolutionOps.h"
#include "dialects/Ingot/IR/NNOps.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::layout {

mlir::RankedTensorType typeOf(mlir::Value value);

/// Reshapes `value` to `shape`. If more than one size is dynamic, the first
/// three sizes (batch size, height and width) are those of `like` at run time.
mlir::Value reshape(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                    llvm::ArrayRef<int64_t> shape, mlir::Value like = {});

/// Reshapes `value` to a matrix. Its columns are the last `inner` dimensions of
/// `value`, its rows all others.
mlir::Value flatten(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                    unsigned inner);

/// Builds the GEMM of the matrices `x` and `y`, with those attributes of
/// `convolution` that apply to GEMMs.
mlir::Value multiply(mlir::ImplicitLocOpBuilder &b,
                     mlir::Operation *convolution, mlir::Value x, mlir::Value y,
                     bool transposeX, bool transposeY);

/// Whether the GEMM's kernel reads the transposed first operand in place,
/// without a transpose before it.
bool readsTransposedFirst(mlir::ingot::MatMulOp matmul,
                          const TargetPolicy &policy);

/// Builds im2col of the same image as `patches`, but without channels. The
/// result has no elements; only its batch size, height and width are used.
mlir::Value im2colWithoutChannels(mlir::ImplicitLocOpBuilder &b,
                                  mlir::ingot::ExtractPatchesOp patches);

/// A GEMM that computes a convolution: its result (`product`), a matrix, and
/// the image to which this matrix is reshaped.
struct ConvolutionGEMMResult {
  mlir::Value product, image;
};

/// Whether `user`, an elementwise op on `image`, can instead be computed on the
/// GEMM's result that `image` is a reshape of. Then it is fused into the GEMM
/// as an epilogue.
bool mayFuseAsEpilogue(mlir::Operation *user, mlir::Value image);

/// Clones `user`, an op on `image`, so that the clone is computed on the GEMM's
/// result `of.product`. Returns the clone, and its reshape to an image.
ConvolutionGEMMResult fuseAsEpilogue(mlir::Operation *user, mlir::Value image,
                                     const ConvolutionGEMMResult &of);

/// Moves the elementwise ops on the image `of.image`, one after the other, to
/// the GEMM's result `of.product`. Stops at the first op that cannot be moved,
/// and at the first result with several users.
void moveIntoEpilogue(ConvolutionGEMMResult of);

} // namespace ingot::layout

#endif // INGOT_CODEGEN_LAYOUT_IM2COLGEMMS_H
