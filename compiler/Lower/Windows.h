//===- Windows.h - Loops over window elements -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The element that a window's tap sees, inside the body of a linalg op with
// loops (batch, row, column, tap, channel, ...). Taps are a window's elements
// in row-major order.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_WINDOWS_H
#define INGOT_COMPILER_LOWER_WINDOWS_H

#include "compiler/Lower/Patterns.h"
#include "dialects/Ingot/Windows.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::lower {

/// One of the two image dimensions that a window moves along; dynamic sizes are
/// values.
struct ImageDim {
  int64_t size, stride, dilation; // the window's
  mlir::OpFoldResult input, output, before;
  bool leavesInput; // whether a window may reach into the padding
};

struct ImageWindow {
  ImageDim height, width;

  int64_t numTaps() const { return height.size * width.size; }
};

/// The windows on an image with the given rows and columns.
ImageWindow onImage(mlir::OpBuilder &builder, mlir::Location loc,
                    const mlir::ingot::Window &window,
                    const mlir::ingot::WindowAttributes &attributes,
                    mlir::OpFoldResult rows, mlir::OpFoldResult columns);

/// The windows on the tensor `image`.
ImageWindow onImage(mlir::OpBuilder &builder, mlir::Location loc,
                    const mlir::ingot::Window &window,
                    const mlir::ingot::WindowAttributes &attributes,
                    mlir::Value image);

/// Likewise for the gradient of an image whose shape the vector `sizes` holds:
/// all of it, or height and width. There are as many windows as `gradients`
/// has.
ImageWindow onImageOf(mlir::OpBuilder &builder, mlir::Location loc,
                      const mlir::ingot::Window &window,
                      const mlir::ingot::WindowAttributes &attributes,
                      mlir::Value sizes, mlir::Value gradients);

/// A position in an image, and whether it is in bounds (null: always).
struct ImagePosition {
  mlir::Value row, column, isInside;
};

/// The position that tap `tap` of the window at (`row`, `column`) sees.
ImagePosition seenPosition(mlir::ImplicitLocOpBuilder &b,
                           const ImageWindow &window, mlir::Value row,
                           mlir::Value column, mlir::Value tap);

/// The window whose tap `tap` sees (`row`, `column`).
ImagePosition seeingPosition(mlir::ImplicitLocOpBuilder &b,
                             const ImageWindow &window, mlir::Value row,
                             mlir::Value column, mlir::Value tap);

/// A tap, and its window.
struct SeeingTap {
  mlir::Value tap;
  ImagePosition position;
};

/// All taps that may see (`row`, `column`), in window order, which is reverse
/// tap order. With a stride of two it is every other tap.
llvm::SmallVector<SeeingTap> seeingTaps(mlir::ImplicitLocOpBuilder &b,
                                        const ImageWindow &window,
                                        mlir::Value row, mlir::Value column);
/// The number of these.
int64_t numSeeingTaps(const ImageWindow &window);

/// The element of `image` at the position, or `otherwise` out of bounds.
mlir::Value readAt(mlir::ImplicitLocOpBuilder &b, mlir::Value image,
                   mlir::Value batch, const ImagePosition &position,
                   mlir::Value channel, mlir::Value otherwise);

/// An empty tensor with one element per tap, as a loop bound.
mlir::Value makeTaps(mlir::OpBuilder &builder, mlir::Location loc,
                     const ImageWindow &window);

/// The sizes of a tensor of `type` with `rows` and `columns`; other dynamic
/// sizes are the first and last of `like`.
Sizes imageSizes(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::RankedTensorType type, mlir::Value like,
                 mlir::OpFoldResult rows, mlir::OpFoldResult columns);

/// The accumulator type of sums of such elements: float for narrower floats.
mlir::Type getSumType(mlir::Type element);

/// A number of one float or integer type converted to another.
mlir::Value convertTo(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                      mlir::Type type);

/// The sum, or product, of numbers of one type.
mlir::Value sumOf(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value productOf(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                      mlir::Value y);

/// The tensor with its elements converted.
mlir::Value convertTensor(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value tensor, mlir::Type element);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_WINDOWS_H
