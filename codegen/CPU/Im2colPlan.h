//===- Im2colPlan.h - Block sizes of tiled im2col ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A GEMM with an im2col operand takes it block by block: consecutive patches,
// which are computed right before, or read in place from the images (implicit
// GEMM).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_IM2COLPLAN_H
#define INGOT_CODEGEN_CPU_IM2COLPLAN_H

#include "codegen/CPU/ImageBlock.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace ingot::cpu {

/// Sizes of patches: [images, rows, columns, taps, channels].
using Im2colShape = llvm::SmallVector<int64_t, 5>;

/// A GEMM with an im2col operand, and the op that the kernel returns, the GEMM
/// or the last of its epilogue.
struct Im2colGEMM {
  mlir::linalg::LinalgOp product, root;
  mlir::linalg::GenericOp patches; // im2col, collapsed to the GEMM's operand
  bool reducesOverPatches;         // K is patches, not the elements of one
  Im2colShape shape;

  /// Whether the number of patches of an image is dynamic.
  bool isOfUnknownSize() const {
    return mlir::ShapedType::isDynamic(shape[1]) ||
           mlir::ShapedType::isDynamic(shape[2]);
  }
};

/// The kernel's GEMM, if its first operand is im2col with static windows and
/// channels.
std::optional<Im2colGEMM> im2colGEMMOf(mlir::func::FuncOp kernel);

inline int64_t rowsOf(const Im2colShape &shape) {
  return shape[0] * shape[1] * shape[2];
}
inline int64_t depthOf(const Im2colShape &shape) { return shape[3] * shape[4]; }

/// How an implicit GEMM reads the images.
struct ReadPlan {
  Im2colSource seen;
  ImageBlock block;
};

/// How im2col is tiled.
struct Im2colPlan {
  std::optional<ReadPlan> read; // of an implicit GEMM; else im2col is computed
  Im2colShape block;
  int64_t gridRows; // rows of the result in an iteration of the grid
  /// Whether C^T is computed, as N is small: vectors hold elements of a patch
  /// then, or neighbouring outputs in a row of the image.
  bool isTurned;
};

/// A block has at most `maxElements` elements, as many as fit caches; a
/// register tile has up to `tileRows` rows, and vectors have `vectorBits`.
Im2colPlan planIm2col(const Im2colGEMM &found, int64_t maxElements,
                      int64_t tileRows, unsigned vectorBits);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_IM2COLPLAN_H
