//===- RematerializeIm2col.h - GEMMs that can fuse their im2col -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_LAYOUT_REMATERIALIZEIM2COL_H
#define INGOT_CODEGEN_LAYOUT_REMATERIALIZEIM2COL_H

#include "codegen/TargetPolicy.h"
#include "dialects/Ingot/IR/ConvolutionOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

namespace ingot::layout {

/// The im2col op that a GEMM reads, and the reshape of its result to a matrix.
struct Im2colMatrix {
  mlir::ingot::ExtractPatchesOp patches;
  mlir::ingot::ReshapeOp matrix;

  explicit operator bool() const { return matrix != nullptr; }
};

/// If the first operand of `matmul` is im2col that the GEMM's kernel can fuse,
/// returns its ops; otherwise returns null ops. Patches may have at most
/// `maxPatchDepth` elements, unless the operand is transposed. All sizes except
/// for the number of images must be static; with `fusesDynamicIm2col`, height
/// and width may be dynamic, too.
Im2colMatrix fusibleIm2colOf(mlir::ingot::MatMulOp matmul,
                             const TargetPolicy &policy);

} // namespace ingot::layout

#endif // INGOT_CODEGEN_LAYOUT_REMATERIALIZEIM2COL_H
