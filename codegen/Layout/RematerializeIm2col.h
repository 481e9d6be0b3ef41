//===- RematerializeIm2col.h - GEMMs that can fuse their im2col -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_LAYOUT_REMATERIALIZEIM2COL_H
#define INGOT_CODEGEN_LAYOUT_REMATERIALIZEIM2COL_H

#include "dialects/Ingot/ConvolutionOps.h"
#include "dialects/Ingot/NNOps.h"
#include "dialects/Ingot/TensorOps.h"

namespace ingot::layout {

/// The im2col op that a GEMM reads, and its reshape to a matrix.
struct Im2colMatrix {
  mlir::ingot::ExtractPatchesOp patches;
  mlir::ingot::ReshapeOp matrix;

  explicit operator bool() const { return matrix != nullptr; }
};

/// The first operand of `matmul`, if it is im2col that its kernel can fuse:
/// with patches of at most `maxDepth` elements, unless it is transposed, and
/// static sizes but for the number of images; with `dynamicSizes` the height
/// and width may be dynamic, too. `maxDepth` 0: no kernel can.
Im2colMatrix fusibleIm2colOf(mlir::ingot::MatMulOp matmul, int64_t maxDepth,
                             bool dynamicSizes);

} // namespace ingot::layout

#endif // INGOT_CODEGEN_LAYOUT_REMATERIALIZEIM2COL_H
