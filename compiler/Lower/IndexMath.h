//===- IndexMath.h - Index and size arithmetic ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on sizes and positions, folded if both operands are constant, and
// reads of single elements that never leave a tensor's bounds.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_INDEXMATH_H
#define INGOT_COMPILER_LOWER_INDEXMATH_H

#include "compiler/Lower/Patterns.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::lower {

using Index = mlir::OpFoldResult;

class IndexMath {
public:
  explicit IndexMath(mlir::ImplicitLocOpBuilder &builder) : b(builder) {}

  Index constant(int64_t value) { return b.getIndexAttr(value); }
  /// Nothing if it is known at run time only.
  static std::optional<int64_t> known(Index index) {
    return mlir::getConstantIntValue(index);
  }
  mlir::Value value(Index index) {
    return mlir::getValueOrCreateConstantIndexOp(b, b.getLoc(), index);
  }

  Index add(Index x, Index y);
  Index sub(Index x, Index y);
  Index mul(Index x, Index y);
  Index min(Index x, Index y);
  Index max(Index x, Index y);
  /// Rounded down, for positive `y`.
  Index floorDiv(Index x, Index y);
  /// In [0, y) for positive `y` and any sign of x.
  Index mod(Index x, Index y);
  /// A position that counts from the end of `size` if it is negative.
  Index fromEnd(Index position, Index size);
  /// min(x, high); `otherwise` if x is negative.
  Index clampedOr(Index x, Index high, Index otherwise);
  Index clamp(Index x, Index low, Index high) { return min(max(x, low), high); }

  /// A number of any integer type as an index.
  Index cast(mlir::Value number);
  /// Element `position` of an integer vector; the element of a scalar or of a
  /// tensor with one element.
  Index element(mlir::Value tensor, int64_t position = 0);
  Sizes sizes(mlir::Value tensor) { return sizesOf(b, b.getLoc(), tensor); }

private:
  mlir::ImplicitLocOpBuilder &b;
};

/// A position along one dimension.
struct Coordinate {
  mlir::Value index;
  bool mayBeOutside;
};

/// Whether the marked coordinates are all within `sizes`; null if none is
/// marked.
mlir::Value areInside(mlir::ImplicitLocOpBuilder &b,
                      llvm::ArrayRef<Coordinate> at, Sizes sizes);

/// The element of `source` at these coordinates; `otherwise` if one of them is
/// out of bounds or `condition` (may be null) is false. `sizes` are the
/// source's, computed outside of the loop.
mlir::Value readElement(mlir::ImplicitLocOpBuilder &b, mlir::Value source,
                        const Sizes &sizes, llvm::ArrayRef<Coordinate> at,
                        mlir::Value otherwise, mlir::Value condition = {});

/// The sizes of `type`: numbers where it is static, values elsewhere.
Sizes matchingSizes(mlir::ImplicitLocOpBuilder &b, mlir::RankedTensorType type,
                    Sizes sizes);

/// Zero of any storage type; for strings, the empty one.
mlir::Value zeroOf(mlir::ImplicitLocOpBuilder &b, mlir::Type element);

/// One loop nest over `sizes` whose body computes each element from its
/// position; the result is a tensor of `type`. `inputs` have the result's shape
/// or broadcast to it; the body gets their elements.
mlir::Value
fromPositions(mlir::ImplicitLocOpBuilder &b, mlir::RankedTensorType type,
              const Sizes &sizes, mlir::ValueRange inputs,
              llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &,
                                             llvm::ArrayRef<mlir::Value>,
                                             mlir::ValueRange)>
                  body);

/// A box of `source`; `kept` are its sizes without the dropped dimensions of
/// size 1.
mlir::Value copyOfBox(mlir::ImplicitLocOpBuilder &b, mlir::Value source,
                      llvm::ArrayRef<int64_t> begins,
                      llvm::ArrayRef<int64_t> sizes,
                      llvm::ArrayRef<int64_t> strides,
                      llvm::ArrayRef<int64_t> kept);

/// The constant axis in [0, rank) of an operand; an error at the user's node if
/// it is not constant.
llvm::FailureOr<int64_t> constantAxis(mlir::Operation *op, mlir::Value axis,
                                      int64_t rank);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_INDEXMATH_H
