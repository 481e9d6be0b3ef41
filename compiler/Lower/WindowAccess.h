//===- WindowAccess.h - Loops over window elements --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Helpers for the body of a linalg op with loops (batch, row, column, tap,
// channel, ...): they compute which element of the image a tap of a window
// sees, and read it. The taps of a window are its elements in row-major order.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_WINDOWACCESS_H
#define INGOT_COMPILER_LOWER_WINDOWACCESS_H

#include "compiler/Lower/Patterns.h"
#include "dialects/Ingot/IR/Windows.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::lower {

/// The geometry of windows along the height or the width of an image. Sizes
/// that are dynamic are values.
struct ImageWindowDim {
  int64_t size, stride, dilation; // of the window, in elements of the image
  /// The size of the image, the number of windows, and the padding before the
  /// first element of the image.
  mlir::OpFoldResult input, output, before;
  bool leavesInput; // whether a window may reach into the padding
};

struct ImageWindow {
  ImageWindowDim height, width;

  int64_t numTaps() const { return height.size * width.size; }
};

/// Returns the windows on an image with the given rows and columns.
ImageWindow onImage(mlir::OpBuilder &builder, mlir::Location loc,
                    const mlir::ingot::Window &window,
                    const mlir::ingot::WindowAttributes &attributes,
                    mlir::OpFoldResult rows, mlir::OpFoldResult columns);

/// Returns the windows on the tensor `image`.
ImageWindow onImage(mlir::OpBuilder &builder, mlir::Location loc,
                    const mlir::ingot::Window &window,
                    const mlir::ingot::WindowAttributes &attributes,
                    mlir::Value image);

/// Returns the windows of a convolution or pooling on the image whose gradient
/// is computed. `sizes` is a vector with the image's shape, or only with its
/// height and width. There is one window for each position of `gradients`, the
/// gradients of the op's result.
ImageWindow onImageOf(mlir::OpBuilder &builder, mlir::Location loc,
                      const mlir::ingot::Window &window,
                      const mlir::ingot::WindowAttributes &attributes,
                      mlir::Value sizes, mlir::Value gradients);

/// The indices of an element of an image. `isInside` is an i1 value that tells
/// whether the element is in bounds, or null if it always is.
struct ImagePosition {
  mlir::Value row, column, isInside;
};

/// Returns the position in the image that tap `tap` of the window at (`row`,
/// `column`) reads. It may be out of bounds.
ImagePosition seenPosition(mlir::ImplicitLocOpBuilder &b,
                           const ImageWindow &window, mlir::Value row,
                           mlir::Value column, mlir::Value tap);

/// Returns the position of the window whose tap `tap` reads the image element
/// (`row`, `column`).
ImagePosition coveringPosition(mlir::ImplicitLocOpBuilder &b,
                               const ImageWindow &window, mlir::Value row,
                               mlir::Value column, mlir::Value tap);

/// A tap that reads a given element of the image, and the position of the tap's
/// window.
struct CoveringWindowTap {
  mlir::Value tap;
  ImagePosition position;
};

/// Returns all taps that may read the image element (`row`, `column`), in
/// row-major order of their windows, which is the reverse order of taps. With a
/// stride of 2 and no dilation, only every other tap in each dimension may read
/// a given element.
llvm::SmallVector<CoveringWindowTap> coveringTaps(mlir::ImplicitLocOpBuilder &b,
                                                  const ImageWindow &window,
                                                  mlir::Value row,
                                                  mlir::Value column);
/// Returns the number of taps that coveringTaps() returns for each element.
int64_t numSeeingTaps(const ImageWindow &window);

/// Returns the element of `image` at `position`, or `otherwise` if the position
/// is out of bounds.
mlir::Value readAt(mlir::ImplicitLocOpBuilder &b, mlir::Value image,
                   mlir::Value batch, const ImagePosition &position,
                   mlir::Value channel, mlir::Value otherwise);

/// Returns an uninitialized vector with one element per tap. It is an unread
/// input of a linalg op with a loop over taps: linalg infers the loop's bounds
/// from it.
mlir::Value makeTaps(mlir::OpBuilder &builder, mlir::Location loc,
                     const ImageWindow &window);

/// Returns the sizes of a tensor of `type` that has `rows` rows and `columns`
/// columns. The sizes of other dynamic dimensions (batch and channels) are
/// those of `like`.
Sizes imageSizes(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::RankedTensorType type, mlir::Value like,
                 mlir::OpFoldResult rows, mlir::OpFoldResult columns);

/// Returns the type in which sums of elements of type `element` are
/// accumulated: f32 for narrower floats, `element` itself for other types.
mlir::Type getSumType(mlir::Type element);

/// Converts a scalar to another float type, or to another integer type.
mlir::Value convertTo(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                      mlir::Type type);

/// Return the sum, or the product, of two scalars of the same type.
mlir::Value sumOf(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value productOf(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                      mlir::Value y);

/// Returns the tensor with its elements converted to type `element`.
mlir::Value convertTensor(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value tensor, mlir::Type element);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_WINDOWACCESS_H
