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

/// A position in an image, and whether it lies in it (null: always).
struct ImagePosition {
  mlir::Value row, column, isInside;
};

/// What tap `tap` of the window at (`row`, `column`) sees.
ImagePosition seenPosition(mlir::ImplicitLocOpBuilder &b,
                           const mlir::ingot::Window &window, mlir::Value row,
                           mlir::Value column, mlir::Value tap);

/// The window whose tap `tap` sees (`row`, `column`).
ImagePosition seeingPosition(mlir::ImplicitLocOpBuilder &b,
                             const mlir::ingot::Window &window, mlir::Value row,
                             mlir::Value column, mlir::Value tap);

/// The element of `image` at the position, or `otherwise` outside.
mlir::Value readAt(mlir::ImplicitLocOpBuilder &b, mlir::Value image,
                   mlir::Value batch, const ImagePosition &position,
                   mlir::Value channel, mlir::Value otherwise);

/// As many taps as there are, for loops to run over; holds nothing.
mlir::Value makeTaps(mlir::OpBuilder &builder, mlir::Location loc,
                     const mlir::ingot::Window &window);

/// The sizes of a tensor of `type` whose unknown sizes are those that `like`
/// has first and last.
Sizes imageSizes(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::RankedTensorType type, mlir::Value like);

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
