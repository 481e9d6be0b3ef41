//===- Elements.h - What elementwise lowerings are written with -*- C++ -*-===//
//
// One element of the result of an op from one of each of its operands, in
// whatever type they have. Floats of 16 bits are computed in f32 and rounded
// after each op, as TensorFlow does.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_ELEMENTS_H
#define INGOT_COMPILER_LOWER_ELEMENTS_H

#include "compiler/Lower/Patterns.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::lower {

/// Floats that no instruction computes with.
bool isSmallFloat(mlir::Type type);

/// `value` in f32 where it is a small float; itself where not.
mlir::Value widened(mlir::ImplicitLocOpBuilder &b, mlir::Value value);

/// A float in another float's type, rounded to nearest.
mlir::Value toFloat(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                    mlir::Type type);

/// Arithmetic on elements of one type: the user's, so that unsigned integers
/// are known where values are signless.
class Elements {
public:
  using Value = mlir::Value;
  using FP = mlir::arith::CmpFPredicate;

  /// `type` is the element type of the user's graph.
  Elements(mlir::ImplicitLocOpBuilder &b, mlir::Type type);

  mlir::ImplicitLocOpBuilder &b;

  bool isFloat() const { return mlir::isa<mlir::FloatType>(computed); }
  bool isSigned() const { return !hasNoSign; }
  /// The type that is computed in.
  mlir::Type type() const { return computed; }
  unsigned width() const { return computed.getIntOrFloatBitWidth(); }

  /// A number, rounded to what the user's type can hold.
  Value number(double value) const;
  Value integer(int64_t value) const;

  Value add(Value x, Value y) const;
  Value sub(Value x, Value y) const;
  Value mul(Value x, Value y) const;
  /// Of floats; integers are divided by `quotient`.
  Value div(Value x, Value y) const;
  Value neg(Value x) const;
  Value abs(Value x) const;

  /// Comparisons; false where a number is a NaN, but for `differs`.
  Value less(Value x, Value y) const;
  Value lessEqual(Value x, Value y) const;
  Value equals(Value x, Value y) const;
  Value differs(Value x, Value y) const;
  Value isZero(Value x) const { return equals(x, integer(0)); }

  Value select(Value condition, Value x, Value y) const;
  Value both(Value x, Value y) const;
  Value either(Value x, Value y) const;

  /// The larger (smaller) one; a NaN on either side is the result.
  Value larger(Value x, Value y) const;
  Value smaller(Value x, Value y) const;

  /// Of integers, towards zero; 0 where the divisor is 0, and what overflows
  /// wraps around.
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
  /// A divisor that never traps: 1 in place of 0, and of -1, which overflows.
  Value safeDivisor(Value y) const;

  mlir::Type stored, computed;
  bool hasNoSign;
};

/// Computes one element of the op's result from `x`, one of each operand.
using ElementFunction = mlir::Value (*)(const Elements &e, mlir::ValueRange x,
                                        mlir::Operation *op);

/// A function whose element types are the first operand's and the result's.
void addElementwise(mlir::RewritePatternSet &patterns, llvm::StringRef opName,
                    ElementFunction function);

template <typename... OpTs>
void addElementwise(mlir::RewritePatternSet &patterns,
                    ElementFunction function) {
  (addElementwise(patterns, OpTs::getOperationName(), function), ...);
}

/// The same without conversions: operands come as they are stored.
void addUnconverted(mlir::RewritePatternSet &patterns, llvm::StringRef opName,
                    ElementFunction function);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_ELEMENTS_H
