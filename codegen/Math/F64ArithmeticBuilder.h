//===- F64ArithmeticBuilder.h - Arithmetic on f64 values --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Functions of doubles as arithmetic, on scalars and vectors alike. The error
// of each function is at most 2 ULP, except that erfc without FMA has an error
// of up to 2.25 ULP. Some functions of floats are computed in doubles and
// rounded once; they are correctly rounded, except in rare cases near a tie.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_MATH_F64ARITHMETICBUILDER_H
#define INGOT_CODEGEN_MATH_F64ARITHMETICBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

#include <limits>

namespace ingot::mathlib {

/// Builds arithmetic on doubles, or on vectors of doubles. Its methods return
/// values, so that nested calls read like the formula.
class F64ArithmeticBuilder {
public:
  /// The operands and results have the type `type`, f64 or a vector of f64.
  /// `useFMA` says whether the target has fused multiply-add.
  F64ArithmeticBuilder(mlir::ImplicitLocOpBuilder &b, mlir::Type type,
                       bool useFMA)
      : b(b), f64(type), i64(b.getI64Type()), useFMA(useFMA) {
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
      i64 = vector.cloneWith(std::nullopt, i64);
  }

  mlir::Value number(double value) {
    return constant(f64, b.getF64FloatAttr(value));
  }
  mlir::Value bits(int64_t value) {
    return constant(i64, b.getI64IntegerAttr(value));
  }
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return mlir::arith::AddFOp::create(b, x, y);
  }
  mlir::Value sub(mlir::Value x, mlir::Value y) {
    return mlir::arith::SubFOp::create(b, x, y);
  }
  mlir::Value mul(mlir::Value x, mlir::Value y) {
    return mlir::arith::MulFOp::create(b, x, y);
  }
  mlir::Value div(mlir::Value x, mlir::Value y) {
    return mlir::arith::DivFOp::create(b, x, y);
  }
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z) {
    return mlir::math::FmaOp::create(b, x, y, z);
  }
  /// Returns x y + z, in which the product is exact. This is needed for the
  /// rounding error of a product or quotient, where the leading digits of x y
  /// and z cancel.
  mlir::Value exact(mlir::Value x, mlir::Value y, mlir::Value z);
  /// Returns (x + xRest) / (y + yRest) after one Newton correction, so that it
  /// is nearly correctly rounded. `xRest` and `yRest` are low parts of x and y,
  /// which are small; `xRest` may be null.
  mlir::Value quotient(mlir::Value x, mlir::Value xRest, mlir::Value y,
                       mlir::Value yRest);
  mlir::Value abs(mlir::Value x) { return mlir::math::AbsFOp::create(b, x); }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) {
    return mlir::arith::SelectOp::create(b, condition, x, y);
  }
  mlir::Value is(mlir::arith::CmpFPredicate predicate, mlir::Value x,
                 mlir::Value y) {
    return mlir::arith::CmpFOp::create(b, predicate, x, y);
  }
  mlir::Value is(mlir::arith::CmpFPredicate predicate, mlir::Value x,
                 double y) {
    return is(predicate, x, number(y));
  }
  /// These comparisons are ordered: they are false if an operand is NaN.
  mlir::Value less(mlir::Value x, double y) {
    return is(mlir::arith::CmpFPredicate::OLT, x, y);
  }
  mlir::Value more(mlir::Value x, double y) {
    return is(mlir::arith::CmpFPredicate::OGT, x, y);
  }
  mlir::Value isNaN(mlir::Value x) {
    return mlir::arith::CmpFOp::create(b, mlir::arith::CmpFPredicate::UNO, x,
                                       x);
  }
  mlir::Value asBits(mlir::Value x) {
    return mlir::arith::BitcastOp::create(b, i64, x);
  }
  mlir::Value fromBits(mlir::Value x) {
    return mlir::arith::BitcastOp::create(b, f64, x);
  }
  mlir::Value fromInteger(mlir::Value x) {
    return mlir::arith::SIToFPOp::create(b, f64, x);
  }
  /// Converts an integer of at most 51 bits to f64 by adding it to the bits of
  /// 1.5 2^52, whose last digit has the value 1. Few targets have an
  /// instruction that converts vectors of i64.
  mlir::Value fromSmallInteger(mlir::Value x) {
    mlir::Value placed = mlir::arith::AddIOp::create(b, x, bits(placeOfUnits));
    return sub(fromBits(placed), number(0x1.8p52));
  }
  /// Converts an integer value in f64 to i64, the reverse of fromSmallInteger.
  mlir::Value toSmallInteger(mlir::Value x) {
    mlir::Value placed = asBits(add(x, number(0x1.8p52)));
    return mlir::arith::SubIOp::create(b, placed, bits(placeOfUnits));
  }
  mlir::Value sqrt(mlir::Value x) { return mlir::math::SqrtOp::create(b, x); }
  mlir::Value neg(mlir::Value x) { return mlir::arith::NegFOp::create(b, x); }
  mlir::Value copySign(mlir::Value size, mlir::Value sign) {
    return mlir::math::CopySignOp::create(b, size, sign);
  }
  /// Returns NaN.
  mlir::Value none() {
    return number(std::numeric_limits<double>::quiet_NaN());
  }

  /// Evaluates a polynomial by Horner's scheme. The coefficient of the highest
  /// power is the first.
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients) {
    mlir::Value sum = number(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = fma(sum, x, number(coefficient));
    return sum;
  }

  /// Returns 2^`exponent` for an integer exponent (i64). The result must be a
  /// normal number.
  mlir::Value powerOfTwo(mlir::Value exponent) {
    mlir::Value biased = mlir::arith::AddIOp::create(b, exponent, bits(1023));
    return fromBits(mlir::arith::ShLIOp::create(b, biased, bits(52)));
  }

  mlir::ImplicitLocOpBuilder &b;
  mlir::Type f64, i64;
  bool useFMA;

private:
  /// The bits of 1.5 2^52, a double whose last binary digit has the value 1.
  static constexpr int64_t placeOfUnits = 0x4338000000000000;

  mlir::Value constant(mlir::Type type, mlir::TypedAttr value) {
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
      value = mlir::DenseElementsAttr::get(vector, mlir::Attribute(value));
    return mlir::arith::ConstantOp::create(b, value);
  }
};

/// Returns e^(x + rest), where `rest` is a small low part of x.
mlir::Value exponential(F64ArithmeticBuilder &d, mlir::Value x,
                        mlir::Value rest = {});
/// Returns e^(x + rest) / y, rounded once.
mlir::Value exponentialOver(F64ArithmeticBuilder &d, mlir::Value x,
                            mlir::Value rest, mlir::Value y);
/// Return e^x - 1, e^x + 1 and e^x / 2. The half is finite even for some x for
/// which e^x overflows.
mlir::Value exponentialLessOne(F64ArithmeticBuilder &d, mlir::Value x);
mlir::Value exponentialAndOne(F64ArithmeticBuilder &d, mlir::Value x);
mlir::Value halfOfExponential(F64ArithmeticBuilder &d, mlir::Value x);
mlir::Value logarithm(F64ArithmeticBuilder &d, mlir::Value x);
/// Returns log(1 + x + rest), where `rest` is a small low part of x.
mlir::Value logarithmOfOneMore(F64ArithmeticBuilder &d, mlir::Value x,
                               mlir::Value rest = {});

mlir::Value sine(F64ArithmeticBuilder &d, mlir::Value x);
mlir::Value cosine(F64ArithmeticBuilder &d, mlir::Value x);
mlir::Value tangent(F64ArithmeticBuilder &d, mlir::Value x);
mlir::Value arcSine(F64ArithmeticBuilder &d, mlir::Value x);
mlir::Value arcCosine(F64ArithmeticBuilder &d, mlir::Value x);
mlir::Value arcTangent(F64ArithmeticBuilder &d, mlir::Value x);
/// Returns the angle of the point (x, y), as C's atan2(y, x).
mlir::Value arcTangent2(F64ArithmeticBuilder &d, mlir::Value y, mlir::Value x);

mlir::Value hyperbolicSine(F64ArithmeticBuilder &d, mlir::Value x);
mlir::Value hyperbolicCosine(F64ArithmeticBuilder &d, mlir::Value x);
mlir::Value hyperbolicTangent(F64ArithmeticBuilder &d, mlir::Value x);
/// Return the inverse hyperbolic functions asinh, acosh and atanh.
mlir::Value areaSine(F64ArithmeticBuilder &d, mlir::Value x);
mlir::Value areaCosine(F64ArithmeticBuilder &d, mlir::Value x);
mlir::Value areaTangent(F64ArithmeticBuilder &d, mlir::Value x);

/// Return erf(x), and erfc(x) = 1 - erf(x).
mlir::Value errorFunction(F64ArithmeticBuilder &d, mlir::Value x);
mlir::Value errorRest(F64ArithmeticBuilder &d, mlir::Value x);

/// Returns a^y.
mlir::Value power(F64ArithmeticBuilder &d, mlir::Value a, mlir::Value y);
/// Returns a^y for floats that were converted to doubles. The result is
/// accurate enough for rounding to float, but not to a double's last digits.
mlir::Value powerOfFloats(F64ArithmeticBuilder &d, mlir::Value a,
                          mlir::Value y);

/// If the exponential's only user is an op that adds 1 to it, returns that op;
/// else null.
mlir::Operation *sumWithOne(mlir::math::ExpOp op);

/// Adds patterns that replace functions of doubles by arithmetic, and those
/// functions of floats that are computed in doubles.
void populateDoublesPatterns(mlir::RewritePatternSet &patterns, bool useFMA);

/// Adds a pattern for erfc of floats that uses no doubles. It needs the
/// rounding errors of products, for which only targets with FMA have a cheap
/// instruction.
void populateErfcOfFloats(mlir::RewritePatternSet &patterns);

} // namespace ingot::mathlib

#endif // INGOT_CODEGEN_MATH_F64ARITHMETICBUILDER_H
