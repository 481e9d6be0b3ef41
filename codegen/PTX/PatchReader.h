//===- PatchReader.h - Patches of images, read where they're used -*- C++
//-*-===//
#ifndef INGOT_CODEGEN_PTX_PATCHREADER_H
#define INGOT_CODEGEN_PTX_PATCHREADER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::ptx {

/// The load of an image where an op that makes patches (Product.h) does nothing
/// with a channel's number but to load that channel: neighbours in its last
/// loop are then neighbours in the image, all of them inside of it or none.
/// Null for other ops.
mlir::memref::LoadOp channelLoadOf(mlir::linalg::GenericOp patches);

/// Element `place` of the matrix of patches, or from there on `width` elements
/// of a row, as a vector.
mlir::Value readPatches(mlir::ImplicitLocOpBuilder &builder,
                        mlir::linalg::GenericOp patches, mlir::ValueRange place,
                        int64_t width);

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_PATCHREADER_H
