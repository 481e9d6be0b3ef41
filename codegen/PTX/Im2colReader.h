//===- Im2colReader.h - Elements of im2col for implicit GEMM ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_PTX_IM2COLREADER_H
#define INGOT_CODEGEN_PTX_IM2COLREADER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::ptx {

/// The load from the image in an im2col op (Product.h), if the channel's index
/// is only used for the load: then neighbouring channels are contiguous in the
/// image, and all of them are inside of it or none is. Null for other ops.
mlir::memref::LoadOp channelLoadOf(mlir::linalg::GenericOp patches);

/// Element `place` of the im2col matrix, or `width` elements of a row from
/// there on, as a vector.
mlir::Value readPatches(mlir::ImplicitLocOpBuilder &builder,
                        mlir::linalg::GenericOp patches, mlir::ValueRange place,
                        int64_t width);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_IM2COLREADER_H
