//===- ConvolutionOps.h - Convolutions and patches --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_CONVOLUTIONOPS_H
#define INGOT_DIALECTS_INGOT_IR_CONVOLUTIONOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/Traits.h"
#include "dialects/Ingot/IR/Windows.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotConvolutionOps.h.inc"

namespace mlir::ingot {

/// Returns the windows that a convolution reads of its input. If `op` computes
/// a gradient, these are the windows of the convolution that is differentiated.
/// `op` must have been verified.
Window windowOf(Conv2DOp op);
Window windowOf(Conv2DBackpropInputOp op);
Window windowOf(Conv2DBackpropFilterOp op);
Window windowOf(ExtractPatchesOp op);
Window windowOf(SumPatchesOp op);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_CONVOLUTIONOPS_H
