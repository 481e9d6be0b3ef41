//===- ImplicitGEMMBlock.h - Image rows of an implicit GEMM -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The image rows that an implicit GEMM reads instead of im2col. In a block of
// image rows with their padding, the address of each element of a patch is
// linear in (image, row, column, tap row, tap column, channel).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_IMPLICITGEMMBLOCK_H
#define INGOT_CODEGEN_CPU_IMPLICITGEMMBLOCK_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::cpu {

/// A convolution's window along one dimension of an image of static size.
struct StaticWindowDim {
  /// The number of taps, the window's stride and dilation, and the padding
  /// before the image.
  int64_t size, stride, dilation, before;
  int64_t image; // size of the image along the dimension
};

/// The images that an im2col op reads, and its window.
struct Im2colSource {
  mlir::Value images; // [images, rows, columns, channels]
  StaticWindowDim height, width;

  int64_t channels() const {
    return mlir::cast<mlir::ShapedType>(images.getType()).getDimSize(3);
  }
};

/// Returns the images and the window of the im2col op `patches`, or
/// std::nullopt if it has no attribute `host.window`, or reads no images of
/// static height, width and channels.
std::optional<Im2colSource> im2colSourceOf(mlir::linalg::GenericOp patches);

/// A block of patches for an implicit GEMM. It has one or several rows of the
/// window's taps, with all taps of each row.
struct ImplicitGEMMBlock {
  // The patches of the block: those of `rows` times `columns` window positions
  // in each of `images` images.
  int64_t images, rows, columns;
  int64_t tapRows; // rows of taps, each with all its taps

  /// Return how many rows and how many columns of an image the windows of the
  /// block read, the padding included.
  int64_t seenRows(const Im2colSource &seen) const;
  int64_t seenColumns(const Im2colSource &seen) const;
  /// Returns the number of image elements that the windows of the block read,
  /// the padding included.
  int64_t numElements(const Im2colSource &seen) const;
};

/// Builds im2col of `block` as an affine copy of the image rows that the
/// block's windows read, padding included. The result is a tensor [images,
/// rows, columns, tap rows, elements]. The elements of a row of taps are one
/// dimension, or two, [taps, channels], if they are not contiguous in memory.
/// The first image row is row `row` of image `image`; `row` is negative in the
/// padding above the image. `windowRows` is the number of rows of patches in an
/// image.
mlir::Value readPatches(mlir::ImplicitLocOpBuilder &b, const Im2colSource &seen,
                        const ImplicitGEMMBlock &block, mlir::Value image,
                        mlir::Value row, int64_t windowRows);

/// Returns the same im2col as `readPatches`, but transposed, so that
/// neighbouring pixels of a row are contiguous: a tensor of [tap rows, taps,
/// channels, images, rows, columns]. The window's stride along a row must be 1.
mlir::Value readTransposedPatches(mlir::ImplicitLocOpBuilder &b,
                                  const Im2colSource &seen,
                                  const ImplicitGEMMBlock &block,
                                  mlir::Value image, mlir::Value row,
                                  int64_t windowRows);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_IMPLICITGEMMBLOCK_H
