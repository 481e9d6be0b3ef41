//===- Im2colGEMMs.h - Helpers to write convolutions as GEMMs ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Images, im2col and filters as matrices, and elementwise ops moved onto the
// GEMM, where they become its epilogue.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_LAYOUT_IM2COLGEMMS_H
#define INGOT_CODEGEN_LAYOUT_IM2COLGEMMS_H

#include "dialects/Ingot/ConvolutionOps.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::layout {

mlir::RankedTensorType typeOf(mlir::Value value);

/// `value` reshaped. If more than one size is dynamic, the first three are
/// those of `like`.
mlir::Value reshape(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                    llvm::ArrayRef<int64_t> shape, mlir::Value like = {});

/// `value` as a matrix whose columns are its last `inner` dimensions.
mlir::Value flatten(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                    unsigned inner);

/// The GEMM of two matrices, with the attributes of `convolution`.
mlir::Value multiply(mlir::ImplicitLocOpBuilder &b,
                     mlir::Operation *convolution, mlir::Value x, mlir::Value y,
                     bool transposeX, bool transposeY);

/// im2col of an image of the same sizes with zero channels: it only carries
/// batch, height and width.
mlir::Value im2colWithoutChannels(mlir::ImplicitLocOpBuilder &b,
                                  mlir::ingot::ExtractPatchesOp patches);

/// An image that is a reshaped GEMM.
struct GEMMImage {
  mlir::Value product, image;
};

/// Whether `user`, an elementwise op on an image, can be computed on the GEMM
/// before its reshape, so that it is fused as an epilogue.
bool mayFuseAsEpilogue(mlir::Operation *user, mlir::Value image);

/// Clones `user`, an op on `image`, onto the GEMM of `of`.
GEMMImage fuseAsEpilogue(mlir::Operation *user, mlir::Value image,
                         const GEMMImage &of);

/// Moves the elementwise ops after the image onto the GEMM, up to the first
/// result with several users.
void moveIntoEpilogue(GEMMImage of);

} // namespace ingot::layout

#endif // INGOT_CODEGEN_LAYOUT_IM2COLGEMMS_H
