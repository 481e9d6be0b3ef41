//===- InputGradients.h - Gradients of images as GEMMs ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A convolution's gradient with respect to its input, which transposed
// convolutions compute as well.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_LAYOUT_INPUTGRADIENTS_H
#define INGOT_CODEGEN_LAYOUT_INPUTGRADIENTS_H

#include "dialects/Ingot/ConvolutionOps.h"

namespace ingot::layout {

/// Replaces the op by im2col of the output's gradient and GEMMs, where these
/// fuse im2col with up to `maxPatchDepth` elements per patch; else by a GEMM
/// and col2im.
void expandInputGradient(mlir::ingot::Conv2DBackpropInputOp op,
                         int64_t maxPatchDepth);

} // namespace ingot::layout

#endif // INGOT_CODEGEN_LAYOUT_INPUTGRADIENTS_H
