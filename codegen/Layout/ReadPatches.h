//===- ReadPatches.h - Products that compute patches themselves -*- C++ -*-===//
//
// Which products of patches have kernels that make the patches they read, some
// at a time.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_LAYOUT_READPATCHES_H
#define INGOT_CODEGEN_LAYOUT_READPATCHES_H

#include "dialects/Ingot/ConvolutionOps.h"
#include "dialects/Ingot/NNOps.h"
#include "dialects/Ingot/TensorOps.h"

namespace ingot::layout {

/// The patches that a product reads, and the matrix that they are seen as.
struct PatchMatrix {
  mlir::ingot::ExtractPatchesOp patches;
  mlir::ingot::ReshapeOp matrix;

  explicit operator bool() const { return matrix != nullptr; }
};

/// What `matmul` reads as its first operand, where that is patches that its
/// kernel can make: of at most `maxDepth` elements where it reads them along
/// its rows, all sizes but the number of images known; with `ofUnknownSizes`
/// not how many patches an image has, either. 0: no kernel can.
PatchMatrix patchesReadBy(mlir::ingot::MatMulOp matmul, int64_t maxDepth,
                          bool ofUnknownSizes);

} // namespace ingot::layout

#endif // INGOT_CODEGEN_LAYOUT_READPATCHES_H
