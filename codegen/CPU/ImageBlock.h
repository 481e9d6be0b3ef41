//===- ImageBlock.h - Rows of images that patches are seen in ---*- C++ -*-===//
//
// A product of patches need not have them in memory: where a block of rows of
// an image lies in a tensor with what the padding adds, each element of a patch
// is at a place that is linear in all of its indices.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_IMAGEBLOCK_H
#define INGOT_CODEGEN_CPU_IMAGEBLOCK_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::cpu {

/// A window along one dimension of an image of known size.
struct WindowSide {
  int64_t size, stride, dilation, before; // `before`: what is padded there
  int64_t image;                          // how long it is
};

/// The images that patches show, and the window that sees them.
struct SeenImages {
  mlir::Value images; // [images, rows, columns, channels]
  WindowSide height, width;

  int64_t channels() const {
    return mlir::cast<mlir::ShapedType>(images.getType()).getDimSize(3);
  }
};

/// What op `patches` shows, as its attribute says; nothing where it has none.
std::optional<SeenImages> seenBy(mlir::linalg::GenericOp patches);

/// Rows of images, and the taps of the window that they are seen by.
struct ImageBlock {
  int64_t images, rows, columns; // of patches; all columns there are
  int64_t tapRows;               // the window's, whose rows have all taps

  /// Rows of an image that they see, and the columns of one, with padding.
  int64_t seenRows(const SeenImages &seen) const;
  int64_t seenColumns(const SeenImages &seen) const;
  /// How much of images that is.
  int64_t numElements(const SeenImages &seen) const;
};

/// Makes the part of the images that the patches of `block` see, from row `row`
/// of image `image` on (in the padding where it is negative), and what reads
/// patches there: a tensor of [images, rows, columns, tap rows, elements],
/// where elements of a row of taps are one dimension if they are neighbours,
/// else two. An image has `windowRows` rows of patches.
mlir::Value readPatches(mlir::ImplicitLocOpBuilder &b, const SeenImages &seen,
                        const ImageBlock &block, mlir::Value image,
                        mlir::Value row, int64_t windowRows);

/// The same with neighbours in a row of an image next to each other: a tensor
/// of [tap rows, taps, channels, images, rows, columns]. The window goes step
/// by step along a row.
mlir::Value readTurnedPatches(mlir::ImplicitLocOpBuilder &b,
                              const SeenImages &seen, const ImageBlock &block,
                              mlir::Value image, mlir::Value row,
                              int64_t windowRows);

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_IMAGEBLOCK_H
