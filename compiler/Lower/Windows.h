//===- Windows.h - Loops over the elements of windows -----------*- C++ -*-===//
//
// What a window sees, element by element, inside the body of a linalg op whose
// dimensions are (batch, row, column, tap, channel, ...). Taps are a window's
// elements, row by row.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_WINDOWS_H
#define INGOT_COMPILER_LOWER_WINDOWS_H

#include "compiler/Lower/Patterns.h"
#include "dialects/Ingot/Windows.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::lower {

/// One of the two dimensions of an image that a window moves along: sizes that
/// are not known before it runs are values.
struct ImageDim {
  int64_t size, stride, dilation; // the window's
  mlir::OpFoldResult input, output, before;
  bool leavesInput; // whether some window may reach into the padding
};

struct ImageWindow {
  ImageDim height, width;

  int64_t numTaps() const { return height.size * width.size; }
};

/// The windows on an image of so many rows and columns.
ImageWindow onImage(mlir::OpBuilder &builder, mlir::Location loc,
                    const mlir::ingot::Window &window,
                    const mlir::ingot::WindowAttributes &attributes,
                    mlir::OpFoldResult rows, mlir::OpFoldResult columns);

/// The windows on the tensor `image`.
ImageWindow onImage(mlir::OpBuilder &builder, mlir::Location loc,
                    const mlir::ingot::Window &window,
                    const mlir::ingot::WindowAttributes &attributes,
                    mlir::Value image);

/// The same for the gradient of an image whose shape the vector `sizes` states:
/// all of it, or its height and width. There are as many windows as
/// `gradients` has.
ImageWindow onImageOf(mlir::OpBuilder &builder, mlir::Location loc,
                      const mlir::ingot::Window &window,
                      const mlir::ingot::WindowAttributes &attributes,
                      mlir::Value sizes, mlir::Value gradients);

/// A position in an image, and whether it lies in it (null: always).
struct ImagePosition {
  mlir::Value row, column, isInside;
};

/// What tap `tap` of the window at (`row`, `column`) sees.
ImagePosition seenPosition(mlir::ImplicitLocOpBuilder &b,
                           const ImageWindow &window, mlir::Value row,
                           mlir::Value column, mlir::Value tap);

/// The window whose tap `tap` sees (`row`, `column`).
ImagePosition seeingPosition(mlir::ImplicitLocOpBuilder &b,
                             const ImageWindow &window, mlir::Value row,
                             mlir::Value column, mlir::Value tap);

/// A tap, and the window whose tap it is.
struct SeeingTap {
  mlir::Value tap;
  ImagePosition position;
};

/// All taps that may see (`row`, `column`), in the order of windows, which is
/// that of taps backwards. By steps of two it is every other tap.
llvm::SmallVector<SeeingTap> seeingTaps(mlir::ImplicitLocOpBuilder &b,
                                        const ImageWindow &window,
                                        mlir::Value row, mlir::Value column);
/// How many these are.
int64_t numSeeingTaps(const ImageWindow &window);

/// The element of `image` at the position, or `otherwise` outside.
mlir::Value readAt(mlir::ImplicitLocOpBuilder &b, mlir::Value image,
                   mlir::Value batch, const ImagePosition &position,
                   mlir::Value channel, mlir::Value otherwise);

/// As many taps as there are, for loops to run over; holds nothing.
mlir::Value makeTaps(mlir::OpBuilder &builder, mlir::Location loc,
                     const ImageWindow &window);

/// The sizes of a tensor of `type`, of `rows` and `columns`, whose other
/// unknown sizes are those that `like` has first and last.
Sizes imageSizes(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::RankedTensorType type, mlir::Value like,
                 mlir::OpFoldResult rows, mlir::OpFoldResult columns);

/// What sums of such elements are computed in: float for narrower floats.
mlir::Type getSumType(mlir::Type element);

/// A number of one type of floats, or integers, as one of another.
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
