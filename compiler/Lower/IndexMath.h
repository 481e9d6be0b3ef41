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
  /// Returns the value of a constant; std::nullopt for an index that is known
  /// at run time only.
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
  /// Returns x / y rounded down, for positive `y`.
  Index floorDiv(Index x, Index y);
  /// Returns the remainder in [0, y), for positive `y` and any `x`.
  Index mod(Index x, Index y);
  /// Returns `position` as an index from the start of a dimension of `size`
  /// elements. A negative `position` counts from the end, so `size` is added to
  /// it.
  Index fromEnd(Index position, Index size);
  /// Returns min(x, high), or `otherwise` if x is negative.
  Index clampedOr(Index x, Index high, Index otherwise);
  Index clamp(Index x, Index low, Index high) { return min(max(x, low), high); }

  /// Converts an integer of any type to an index.
  Index cast(mlir::Value number);
  /// Returns element `position` of the integer tensor `tensor` if it is a
  /// vector, and its only element otherwise.
  Index element(mlir::Value tensor, int64_t position = 0);
  Sizes sizes(mlir::Value tensor) { return sizesOf(b, b.getLoc(), tensor); }

private:
  mlir::ImplicitLocOpBuilder &b;
};

/// An index along one dimension. If `mayBeOutside` is true, the index may be
/// out of bounds, so it must be checked before an element is read there.
struct MaybeOutOfBoundsIndex {
  mlir::Value index;
  bool mayBeOutside;
};

/// Returns an i1 value: whether each coordinate that may be out of bounds is
/// within its dimension of `sizes`. Returns null if no coordinate may be out of
/// bounds.
mlir::Value areInside(mlir::ImplicitLocOpBuilder &b,
                      llvm::ArrayRef<MaybeOutOfBoundsIndex> at, Sizes sizes);

/// Returns the element of `source` at the coordinates `at`. Returns `otherwise`
/// if a coordinate is out of bounds, or if `condition` is not null and false at
/// run time. `sizes` are the sizes of `source`, which the caller computes
/// before the loop.
mlir::Value readElement(mlir::ImplicitLocOpBuilder &b, mlir::Value source,
                        const Sizes &sizes,
                        llvm::ArrayRef<MaybeOutOfBoundsIndex> at,
                        mlir::Value otherwise, mlir::Value condition = {});

/// Returns the sizes of a tensor of `type`: static dimensions of `type` as
/// constants, dynamic ones from `sizes`.
Sizes matchingSizes(mlir::ImplicitLocOpBuilder &b, mlir::RankedTensorType type,
                    Sizes sizes);

/// Returns a zero constant of the storage type `element`; the empty string if
/// `element` is the storage type of strings.
mlir::Value zeroOf(mlir::ImplicitLocOpBuilder &b, mlir::Type element);

/// Builds one loop nest over `sizes` whose body computes each element of the
/// result from its indices; returns the result, of type `type`. The body also
/// receives an element of each input; the inputs must broadcast to the result's
/// shape.
mlir::Value
fromPositions(mlir::ImplicitLocOpBuilder &b, mlir::RankedTensorType type,
              const Sizes &sizes, mlir::ValueRange inputs,
              llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &,
                                             llvm::ArrayRef<mlir::Value>,
                                             mlir::ValueRange)>
                  body);

/// Returns a copy of the box of `source` that `begins`, `sizes` and `strides`
/// select. The shape of the copy is `kept`: `sizes` without those dimensions of
/// size 1 that the caller wants dropped.
mlir::Value copyOfBox(mlir::ImplicitLocOpBuilder &b, mlir::Value source,
                      llvm::ArrayRef<int64_t> begins,
                      llvm::ArrayRef<int64_t> sizes,
                      llvm::ArrayRef<int64_t> strides,
                      llvm::ArrayRef<int64_t> kept);

/// Returns the value of `axis`, an operand of `op`, counted from the first
/// dimension: `rank` is added to a negative axis. Reports an error at the
/// user's node if `axis` is not constant.
llvm::FailureOr<int64_t> constantAxis(mlir::Operation *op, mlir::Value axis,
                                      int64_t rank);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_INDEXMATH_H
