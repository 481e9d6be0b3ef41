//===- ConvolutionInputGradients.h - Input gradients as GEMMs ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The gradient of a convolution with respect to its input, which is also how
// transposed convolutions are computed.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_LAYOUT_CONVOLUTIONINPUTGRADIENTS_H
#define INGOT_CODEGEN_LAYOUT_CONVOLUTIONINPUTGRADIENTS_H

#include "dialects/Ingot/IR/ConvolutionOps.h"

namespace ingot::layout {

/// Replaces the op by GEMMs on im2col of the output's gradient if a patch has
/// at most `maxPatchDepth` elements, so that the GEMMs can fuse im2col;
/// otherwise by one GEMM followed by col2im.
void expandInputGradient(mlir::ingot::Conv2DBackpropInputOp op,
                         int64_t maxPatchDepth);

} // namespace ingot::layout

#endif // INGOT_CODEGEN_LAYOUT_CONVOLUTIONINPUTGRADIENTS_H
