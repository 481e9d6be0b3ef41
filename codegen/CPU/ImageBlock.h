//===- ImageBlock.h - Padded image rows under an im2col block ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// An implicit GEMM needs no im2col in memory: in a block of image rows with
// their padding, the address of each element of a patch is linear in (image,
// row, column, tap row, tap column, channel).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_IMAGEBLOCK_H
#define INGOT_CODEGEN_CPU_IMAGEBLOCK_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::cpu {

/// A window along one dimension of an image of known size.
struct WindowSide {
  int64_t size, stride, dilation, before; // `before`: padding at the start
  int64_t image;                          // size of the image
};

/// The images and the window of an im2col op.
struct Im2colSource {
  mlir::Value images; // [images, rows, columns, channels]
  WindowSide height, width;

  int64_t channels() const {
    return mlir::cast<mlir::ShapedType>(images.getType()).getDimSize(3);
  }
};

/// The images and the window of op `patches`, from its attribute; none where it
/// has no such attribute.
std::optional<Im2colSource> im2colSourceOf(mlir::linalg::GenericOp patches);

/// A block of patches with whole rows of the window's taps.
struct ImageBlock {
  int64_t images, rows, columns; // of patches; all columns of a row
  int64_t tapRows;               // of the window, each with all its taps

  /// The rows and columns of an image under the block, with padding (the halo).
  int64_t seenRows(const Im2colSource &seen) const;
  int64_t seenColumns(const Im2colSource &seen) const;
  /// The elements of images under the block.
  int64_t numElements(const Im2colSource &seen) const;
};

/// Copies the padded rows of the images under `block`, from row `row` of image
/// `image` on (negative in the padding), and returns im2col as an affine copy
/// of them: a tensor of [images, rows, columns, tap rows, elements], where the
/// taps and channels of a row of taps are one dimension if they are contiguous,
/// else two. An image has `windowRows` rows of patches.
mlir::Value readPatches(mlir::ImplicitLocOpBuilder &b, const Im2colSource &seen,
                        const ImageBlock &block, mlir::Value image,
                        mlir::Value row, int64_t windowRows);

/// The same transposed, with neighbouring pixels of a row contiguous: a tensor
/// of [tap rows, taps, channels, images, rows, columns]. The window's stride
/// along a row is one.
mlir::Value readTransposedPatches(mlir::ImplicitLocOpBuilder &b,
                                  const Im2colSource &seen,
                                  const ImageBlock &block, mlir::Value image,
                                  mlir::Value row, int64_t windowRows);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_IMAGEBLOCK_H
