//===- ElementMath.h - Arithmetic of elementwise ops ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Computes one element of an op's result from one element of each operand, for
// all element types. Floats of 16 bits are computed in f32 and rounded after
// each op, as in TensorFlow.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_ELEMENTMATH_H
#define INGOT_COMPILER_LOWER_ELEMENTMATH_H

#include "compiler/Lower/Patterns.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::lower {

/// Whether `type` is a float of fewer than 32 bits, for which processors lack
/// arithmetic instructions.
bool isSmallFloat(mlir::Type type);

/// Returns `value` converted to f32 if it is a small float; `value` itself
/// otherwise.
mlir::Value widened(mlir::ImplicitLocOpBuilder &b, mlir::Value value);

/// Converts a float to the float type `type`, rounded to nearest.
mlir::Value toFloat(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                    mlir::Type type);

/// Emits arithmetic on elements of one type: the element type in the user's
/// graph. IR values are signless, so only that type tells whether integers are
/// unsigned.
class ElementMath {
public:
  using Value = mlir::Value;
  using FP = mlir::arith::CmpFPredicate;

  /// `type` is the element type of the user's graph.
  ElementMath(mlir::ImplicitLocOpBuilder &b, mlir::Type type);

  mlir::ImplicitLocOpBuilder &b;

  bool isFloat() const { return mlir::isa<mlir::FloatType>(computed); }
  bool isSigned() const { return !hasNoSign; }
  /// The type of intermediate values: f32 for small floats.
  mlir::Type type() const { return computed; }
  unsigned width() const { return computed.getIntOrFloatBitWidth(); }

  /// Returns an ElementMath for intermediate values: its constants have the
  /// precision of type(), even if the user's type is a small float. Series and
  /// polynomials need this precision.
  ElementMath inComputedType() const { return {b, computed}; }

  /// Returns a constant, rounded to the precision of the user's type.
  Value number(double value) const;
  Value integer(int64_t value) const;

  Value add(Value x, Value y) const;
  Value sub(Value x, Value y) const;
  Value mul(Value x, Value y) const;
  /// Returns x / y for floats. For integers, use quotient().
  Value div(Value x, Value y) const;
  Value neg(Value x) const;
  Value abs(Value x) const;

  /// Return the result of a comparison as i1. If an operand is NaN, `differs`
  /// is true, and all other comparisons are false.
  Value less(Value x, Value y) const;
  Value lessEqual(Value x, Value y) const;
  Value equals(Value x, Value y) const;
  Value differs(Value x, Value y) const;
  Value isZero(Value x) const { return equals(x, integer(0)); }

  Value select(Value condition, Value x, Value y) const;
  Value both(Value x, Value y) const;
  Value either(Value x, Value y) const;

  /// Return the maximum (`larger`) or the minimum (`smaller`) of x and y; NaN
  /// if either is NaN.
  Value larger(Value x, Value y) const;
  Value smaller(Value x, Value y) const;

  /// Return the quotient of integers, rounded towards zero, and its remainder.
  /// Both are 0 if the divisor is 0, and overflow wraps around. `remainder`
  /// also works for floats.
  Value quotient(Value x, Value y) const;
  Value remainder(Value x, Value y) const;

  template <typename OpT> Value call(Value x) const {
    return OpT::create(b, x);
  }
  template <typename OpT> Value call(Value x, Value y) const {
    return OpT::create(b, x, y);
  }

private:
  Value compare(FP onFloats, mlir::arith::CmpIPredicate onSigned,
                mlir::arith::CmpIPredicate onUnsigned, Value x, Value y) const;
  /// Returns 1 if `y` is 0 or -1, and `y` otherwise. The processor's division
  /// traps on a divisor of 0, and on -1 if the dividend is the lowest integer.
  Value safeDivisor(Value y) const;

  mlir::Type stored, computed;
  bool hasNoSign;
};

/// Computes one element of the op's result from `x`, one element of each
/// operand.
using ElementFunction = mlir::Value (*)(const ElementMath &e,
                                        mlir::ValueRange x,
                                        mlir::Operation *op);

/// Adds a pattern that lowers the op named `opName` to an elementwise loop.
/// `function` computes one element of the result in the element type of the
/// first operand, or in f32 if that is bf16 or f16. Its value is then converted
/// to the result's element type.
void addElementwise(mlir::RewritePatternSet &patterns, llvm::StringRef opName,
                    ElementFunction function);

template <typename... OpTs>
void addElementwise(mlir::RewritePatternSet &patterns,
                    ElementFunction function) {
  (addElementwise(patterns, OpTs::getOperationName(), function), ...);
}

/// Adds a pattern like addElementwise(), but without conversion of small
/// floats: `function` receives the elements in their storage types.
void addUnconverted(mlir::RewritePatternSet &patterns, llvm::StringRef opName,
                    ElementFunction function);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_ELEMENTMATH_H
