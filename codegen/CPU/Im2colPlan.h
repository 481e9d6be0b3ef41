//===- Im2colPlan.h - Block sizes of tiled im2col ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Chooses the blocks in which a GEMM reads its im2col operand. A block is a
// number of consecutive patches. The patches of a block are either computed
// right before the GEMM reads them, or the GEMM reads them in place from the
// images (implicit GEMM).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_IM2COLPLAN_H
#define INGOT_CODEGEN_CPU_IM2COLPLAN_H

#include "codegen/CPU/ImplicitGEMMBlock.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace ingot::cpu {

/// Sizes of an im2col tensor, or of a block of it: [images, rows, columns,
/// taps, channels]. The first three count patches, the last two a patch's
/// elements.
using Im2colShape = llvm::SmallVector<int64_t, 5>;

/// A kernel's GEMM with an im2col operand. `root` is the op whose result the
/// kernel returns: the GEMM, or the last op of its epilogue.
struct Im2colGEMM {
  mlir::linalg::LinalgOp product, root;
  mlir::linalg::GenericOp patches; // computes im2col, of the sizes `shape`
  bool reducesOverPatches; // whether K counts patches, not their elements
  Im2colShape shape;

  /// Whether an image's height or width is dynamic, and with it the number of
  /// patches in an image. The number of images does not matter.
  bool isOfUnknownSize() const {
    return mlir::ShapedType::isDynamic(shape[1]) ||
           mlir::ShapedType::isDynamic(shape[2]);
  }
};

/// Returns the kernel's GEMM, if its first operand is im2col with static
/// windows and channels; else std::nullopt.
std::optional<Im2colGEMM> im2colGEMMOf(mlir::func::FuncOp kernel);

/// Returns the number of patches, the rows of the im2col matrix.
inline int64_t rowsOf(const Im2colShape &shape) {
  return shape[0] * shape[1] * shape[2];
}
/// Returns the number of elements of a patch, the columns of the im2col matrix.
inline int64_t depthOf(const Im2colShape &shape) { return shape[3] * shape[4]; }

/// How an implicit GEMM reads its patches from the images in place.
struct ImplicitGEMMPlan {
  Im2colSource seen;
  ImplicitGEMMBlock block;
};

/// How im2col is tiled into the GEMM that reads it: the sizes of the blocks,
/// and whether the GEMM reads them from the image in place.
struct Im2colPlan {
  std::optional<ImplicitGEMMPlan>
      read;          // if absent, blocks of im2col are computed
  Im2colShape block; // sizes of a block of im2col
  int64_t gridRows;  // rows of the result that a grid iteration computes
  /// Whether C^T is computed because N is small. If so, the lanes of a vector
  /// are elements of a patch, or neighbouring outputs in a row of the image.
  bool isTurned;
};

/// Chooses the blocks. A block has at most `maxElements` elements, as many as
/// fit the caches; a register tile has up to `tileRows` rows, and a vector
/// register has `vectorBits` bits.
Im2colPlan planIm2col(const Im2colGEMM &found, int64_t maxElements,
                      int64_t tileRows, unsigned vectorBits);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_IM2COLPLAN_H
