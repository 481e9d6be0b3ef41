//===- InputGradients.h - Gradients of images as products -------*- C++ -*-===//
//
// What a convolution's gradient by its input becomes, which is what transposed
// convolutions compute as well.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_LAYOUT_INPUTGRADIENTS_H
#define INGOT_CODEGEN_LAYOUT_INPUTGRADIENTS_H

#include "dialects/Ingot/ConvolutionOps.h"

namespace ingot::layout {

/// Replaces the op by products: of patches of the output's gradient where
/// products compute these themselves, of up to `maxPatchDepth` elements, else
/// by patches that are summed up.
void expandInputGradient(mlir::ingot::Conv2DBackpropInputOp op,
                         int64_t maxPatchDepth);

} // namespace ingot::layout

#endif // INGOT_CODEGEN_LAYOUT_INPUTGRADIENTS_H
