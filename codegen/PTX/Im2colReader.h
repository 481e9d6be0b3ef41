//===- Im2colReader.h - Elements of im2col for implicit GEMM ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads elements of the im2col matrix directly from the image (implicit GEMM).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_IM2COLREADER_H
#define INGOT_CODEGEN_PTX_IM2COLREADER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::ptx {

/// Returns the load from the image in an im2col op if neighbouring channels can
/// be loaded as one vector, else null. This is possible if the channel's index
/// is used only in this load, as its innermost index: then either all channels
/// of a pixel are inside of the image, or none is.
mlir::memref::LoadOp channelLoadOf(mlir::linalg::GenericOp patches);

/// Builds the value of the im2col matrix at `place` (row, column). If `width`
/// is greater than 1, builds a vector of the `width` elements of the row that
/// begin there.
mlir::Value readPatches(mlir::ImplicitLocOpBuilder &builder,
                        mlir::linalg::GenericOp patches, mlir::ValueRange place,
                        int64_t width);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_IM2COLREADER_H
