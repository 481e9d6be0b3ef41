//===- IndexMath.h - Positions and sizes in lowerings -----------*- C++ -*-===//
//
// Arithmetic on sizes and positions, done at once where both sides are known,
// and reads of single elements that never touch memory outside of a tensor.
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
  /// Nothing where it is known only at run time.
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
  /// Rounded down; `y` is positive.
  Index floorDiv(Index x, Index y);
  /// In [0, y) for a positive `y`, whatever x's sign is.
  Index mod(Index x, Index y);
  /// A position that counts from the end of `size` where it is negative.
  Index fromEnd(Index position, Index size);
  /// `x`, at most `high`; `otherwise` where x is negative.
  Index clampedOr(Index x, Index high, Index otherwise);
  Index clamp(Index x, Index low, Index high) { return min(max(x, low), high); }

  /// A number of any integer type as an index.
  Index cast(mlir::Value number);
  /// Element `position` of a vector of integers, or the one of a scalar or of
  /// any tensor of one.
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

/// Whether the marked coordinates all lie within `sizes`; null where none is
/// marked.
mlir::Value areInside(mlir::ImplicitLocOpBuilder &b,
                      llvm::ArrayRef<Coordinate> at, Sizes sizes);

/// The element of `source` at these coordinates; `otherwise` where one of them
/// lies outside or `condition` (may be null) does not hold. `sizes` are the
/// source's, taken outside of the loop.
mlir::Value readElement(mlir::ImplicitLocOpBuilder &b, mlir::Value source,
                        const Sizes &sizes, llvm::ArrayRef<Coordinate> at,
                        mlir::Value otherwise, mlir::Value condition = {});

/// The sizes as `type` has them: numbers where it is static, values elsewhere.
Sizes matchingSizes(mlir::ImplicitLocOpBuilder &b, mlir::RankedTensorType type,
                    Sizes sizes);

/// A zero of any stored element type; for strings the empty one.
mlir::Value zeroOf(mlir::ImplicitLocOpBuilder &b, mlir::Type element);

/// One loop nest over `sizes` whose body makes each element from its position;
/// the result is a tensor of `type`. `inputs` have the result's shape or
/// broadcast to it; the body gets their elements.
mlir::Value
fromPositions(mlir::ImplicitLocOpBuilder &b, mlir::RankedTensorType type,
              const Sizes &sizes, mlir::ValueRange inputs,
              llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &,
                                             llvm::ArrayRef<mlir::Value>,
                                             mlir::ValueRange)>
                  body);

/// The elements of a box within `source`, `kept` being its sizes without those
/// dimensions of size 1 that are dropped.
mlir::Value copyOfBox(mlir::ImplicitLocOpBuilder &b, mlir::Value source,
                      llvm::ArrayRef<int64_t> begins,
                      llvm::ArrayRef<int64_t> sizes,
                      llvm::ArrayRef<int64_t> strides,
                      llvm::ArrayRef<int64_t> kept);

/// The constant axis in [0, rank) that an operand holds; an error about the
/// user's node where it is not a constant.
llvm::FailureOr<int64_t> constantAxis(mlir::Operation *op, mlir::Value axis,
                                      int64_t rank);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_INDEXMATH_H
