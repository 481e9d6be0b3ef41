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

#include "dialects/Ingot/ConvolutionOps.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::layout {

mlir::RankedTensorType typeOf(mlir::Value value);

/// Reshapes `value` to `shape`. If more than one size is dynamic, the first
/// three sizes are taken from `like` at run time.
mlir::Value reshape(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                    llvm::ArrayRef<int64_t> shape, mlir::Value like = {});

/// Reshapes `value` to a matrix whose columns are its last `inner` dimensions.
mlir::Value flatten(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                    unsigned inner);

/// Makes the GEMM of two matrices, with the attributes of `convolution` that
/// apply to it.
mlir::Value multiply(mlir::ImplicitLocOpBuilder &b,
                     mlir::Operation *convolution, mlir::Value x, mlir::Value y,
                     bool transposeX, bool transposeY);

/// Makes im2col of the same image with zero channels. It has no elements, and
/// only carries the sizes batch, height and width.
mlir::Value im2colWithoutChannels(mlir::ImplicitLocOpBuilder &b,
                                  mlir::ingot::ExtractPatchesOp patches);

/// An image that is the result of a GEMM, reshaped.
struct GEMMImage {
  mlir::Value product, image;
};

/// Whether `user`, an elementwise op on an image, can be computed on the GEMM
/// before its reshape, so that it is fused as an epilogue.
bool mayFuseAsEpilogue(mlir::Operation *user, mlir::Value image);

/// Clones `user`, an op on `image`, so that the clone is computed on the GEMM
/// `of.product` before its reshape. Returns the clone and its reshape to an
/// image.
GEMMImage fuseAsEpilogue(mlir::Operation *user, mlir::Value image,
                         const GEMMImage &of);

/// Moves the elementwise ops that follow the image onto the GEMM, up to the
/// first result with several users.
void moveIntoEpilogue(GEMMImage of);

} // namespace ingot::layout

#endif // INGOT_CODEGEN_LAYOUT_IM2COLGEMMS_H
