//===- Elements.h - Scalar arithmetic of elementwise lowerings --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Computes one element of an op's result from one element of each operand, for
// all element types. Floats of 16 bits are computed in f32 and rounded after
// each op, as in TensorFlow.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_ELEMENTS_H
#define INGOT_COMPILER_LOWER_ELEMENTS_H

#include "compiler/Lower/Patterns.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::lower {

/// Float types that have no arithmetic instructions.
bool isSmallFloat(mlir::Type type);

/// `value` in f32 if it is a small float; itself otherwise.
mlir::Value widened(mlir::ImplicitLocOpBuilder &b, mlir::Value value);

/// A float in another float's type, rounded to nearest.
mlir::Value toFloat(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                    mlir::Type type);

/// Arithmetic on elements of one type. The type is the user's, so that unsigned
/// integers are known where values are signless.
class Elements {
public:
  using Value = mlir::Value;
  using FP = mlir::arith::CmpFPredicate;

  /// `type` is the element type of the user's graph.
  Elements(mlir::ImplicitLocOpBuilder &b, mlir::Type type);

  mlir::ImplicitLocOpBuilder &b;

  bool isFloat() const { return mlir::isa<mlir::FloatType>(computed); }
  bool isSigned() const { return !hasNoSign; }
  /// The type of intermediate values.
  mlir::Type type() const { return computed; }
  unsigned width() const { return computed.getIntOrFloatBitWidth(); }

  /// A number, rounded to the precision of the user's type.
  Value number(double value) const;
  Value integer(int64_t value) const;

  Value add(Value x, Value y) const;
  Value sub(Value x, Value y) const;
  Value mul(Value x, Value y) const;
  /// x / y of floats; for integers use `quotient`.
  Value div(Value x, Value y) const;
  Value neg(Value x) const;
  Value abs(Value x) const;

  /// Comparisons; with a NaN false, except `differs`.
  Value less(Value x, Value y) const;
  Value lessEqual(Value x, Value y) const;
  Value equals(Value x, Value y) const;
  Value differs(Value x, Value y) const;
  Value isZero(Value x) const { return equals(x, integer(0)); }

  Value select(Value condition, Value x, Value y) const;
  Value both(Value x, Value y) const;
  Value either(Value x, Value y) const;

  /// The larger (smaller) one; NaN if either operand is NaN.
  Value larger(Value x, Value y) const;
  Value smaller(Value x, Value y) const;

  /// Division of integers, truncated; 0 for a divisor of 0; overflow wraps
  /// around.
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
  /// A divisor that never traps: 1 in place of 0, and of -1, which overflows
  /// for the lowest number.
  Value safeDivisor(Value y) const;

  mlir::Type stored, computed;
  bool hasNoSign;
};

/// Computes one element of the op's result from `x`, one element of each
/// operand.
using ElementFunction = mlir::Value (*)(const Elements &e, mlir::ValueRange x,
                                        mlir::Operation *op);

/// A function on the element types of the first operand and the result.
void addElementwise(mlir::RewritePatternSet &patterns, llvm::StringRef opName,
                    ElementFunction function);

template <typename... OpTs>
void addElementwise(mlir::RewritePatternSet &patterns,
                    ElementFunction function) {
  (addElementwise(patterns, OpTs::getOperationName(), function), ...);
}

/// The same without conversions: operands have their storage types.
void addUnconverted(mlir::RewritePatternSet &patterns, llvm::StringRef opName,
                    ElementFunction function);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_ELEMENTS_H
