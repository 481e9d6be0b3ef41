//===- PatchBlock.h - A block of im2col that may span images ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Where the height or width of images is dynamic, a block is a run of
// consecutive patches that may go on in the next row, or in the next image.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_PATCHBLOCK_H
#define INGOT_CODEGEN_CPU_PATCHBLOCK_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::cpu {

/// A tensor of the sizes `block`, [patches, taps, channels], of the im2col that
/// op `patches` computes: from patch `row` of all images and from element
/// `element` of each on. Patches past the end repeat the last one. The op's
/// destination is a `tensor.empty`.
mlir::Value im2colFrom(mlir::ImplicitLocOpBuilder &b,
                       mlir::linalg::GenericOp patches,
                       llvm::ArrayRef<int64_t> block, mlir::Value row,
                       mlir::Value element);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_PATCHBLOCK_H
