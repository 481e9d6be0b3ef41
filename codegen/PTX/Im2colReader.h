//===- Im2colReader.h - Elements of im2col for implicit GEMM ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads elements of im2col directly from the image.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_IM2COLREADER_H
#define INGOT_CODEGEN_PTX_IM2COLREADER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::ptx {

/// Returns the load from the image in an im2col op, if the channel's index is
/// used for this load only; else null. If so, neighbouring channels are
/// contiguous in the image, and all of them are inside of it or none is, so
/// that they can be loaded as a vector.
mlir::memref::LoadOp channelLoadOf(mlir::linalg::GenericOp patches);

/// Builds the element `place` (row, column) of the im2col matrix, or, as a
/// vector, the `width` elements of that row from there on.
mlir::Value readPatches(mlir::ImplicitLocOpBuilder &builder,
                        mlir::linalg::GenericOp patches, mlir::ValueRange place,
                        int64_t width);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_IM2COLREADER_H
