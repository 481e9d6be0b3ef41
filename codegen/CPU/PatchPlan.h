//===- PatchPlan.h - Blocks of patches that a product reads -----*- C++ -*-===//
//
// A product of patches takes them block by block: some neighbours among all
// patches, which are made right before, or read where the images lie.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_PATCHPLAN_H
#define INGOT_CODEGEN_CPU_PATCHPLAN_H

#include "codegen/CPU/ImageBlock.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace ingot::cpu {

/// Sizes of patches: [images, rows, columns, taps, channels].
using PatchShape = llvm::SmallVector<int64_t, 5>;

/// A product of patches with another matrix, and what the kernel returns of it.
struct PatchProduct {
  mlir::linalg::LinalgOp product, root;
  mlir::linalg::GenericOp patches; // read as [images * rows * columns, ...]
  bool sumsPatches;                // over all of them, or over one's elements
  PatchShape shape;

  /// Whether it is not known how many patches an image has.
  bool isOfUnknownSize() const {
    return mlir::ShapedType::isDynamic(shape[1]) ||
           mlir::ShapedType::isDynamic(shape[2]);
  }
};

/// The product that the kernel computes, where the matrix it reads is one of
/// patches whose windows and channels are known.
std::optional<PatchProduct> patchProductOf(mlir::func::FuncOp kernel);

inline int64_t rowsOf(const PatchShape &shape) {
  return shape[0] * shape[1] * shape[2];
}
inline int64_t depthOf(const PatchShape &shape) { return shape[3] * shape[4]; }

/// How a product reads images where they are, instead of patches.
struct ReadPlan {
  SeenImages seen;
  ImageBlock block;
};

/// How patches are taken, block by block.
struct PatchPlan {
  std::optional<ReadPlan> read; // or they are made
  PatchShape block;
  int64_t gridRows; // rows of the result that an iteration of the grid has
  /// A product of few columns is computed with rows and columns exchanged:
  /// vectors hold elements of a patch then, or neighbours in an image.
  bool isTurned;
};

/// A block has at most `maxElements` elements, as many as caches hold; a
/// register tile has up to `tileRows` rows, and vectors have `vectorBits`.
PatchPlan planPatches(const PatchProduct &found, int64_t maxElements,
                      int64_t tileRows, unsigned vectorBits);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_PATCHPLAN_H
