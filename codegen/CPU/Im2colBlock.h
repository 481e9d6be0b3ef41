//===- Im2colBlock.h - A block of im2col that may span images ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// If the height or width of images is dynamic, a block of im2col is a sequence
// of consecutive patches, which may continue in the next row or in the next
// image.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_IM2COLBLOCK_H
#define INGOT_CODEGEN_CPU_IM2COLBLOCK_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::cpu {

/// Builds a block of the im2col that `patches` computes: a tensor of the sizes
/// `block`, [patches, taps, channels]. The block begins at patch `row`, counted
/// over all images, and at element `element` of each patch. If the block
/// extends past the last patch, it repeats the last patch there, so that no
/// image is read out of bounds. The destination of `patches` must be a
/// `tensor.empty`.
mlir::Value im2colFrom(mlir::ImplicitLocOpBuilder &b,
                       mlir::linalg::GenericOp patches,
                       llvm::ArrayRef<int64_t> block, mlir::Value row,
                       mlir::Value element);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_IM2COLBLOCK_H
