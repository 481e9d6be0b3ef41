//===- Doubles.h - Functions of doubles as arithmetic -----------*- C++ -*-===//
//
// Each is at most a few units in the last place off; a float's function, which
// is computed in doubles and rounded once, is as good as never.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_PTX_DOUBLES_H
#define INGOT_CODEGEN_PTX_DOUBLES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <limits>

namespace ingot::ptx {

/// Arithmetic on doubles, as it is read.
class Doubles {
public:
  explicit Doubles(mlir::ImplicitLocOpBuilder &b)
      : b(b), f64(b.getF64Type()), i64(b.getI64Type()) {}

  mlir::Value number(double value) {
    return mlir::arith::ConstantOp::create(b, b.getF64FloatAttr(value));
  }
  mlir::Value bits(int64_t value) {
    return mlir::arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
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
  /// Of numbers: whether one is less, or more, than the other.
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
  mlir::Value toInteger(mlir::Value x) {
    return mlir::arith::FPToSIOp::create(b, i64, x);
  }
  mlir::Value sqrt(mlir::Value x) { return mlir::math::SqrtOp::create(b, x); }
  mlir::Value neg(mlir::Value x) { return mlir::arith::NegFOp::create(b, x); }
  mlir::Value copySign(mlir::Value size, mlir::Value sign) {
    return mlir::math::CopySignOp::create(b, size, sign);
  }
  mlir::Value none() {
    return number(std::numeric_limits<double>::quiet_NaN());
  }

  /// The highest coefficient first.
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients) {
    mlir::Value sum = number(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = fma(sum, x, number(coefficient));
    return sum;
  }

  /// 2 to the power of an integer in the range of normal numbers.
  mlir::Value powerOfTwo(mlir::Value exponent) {
    mlir::Value biased = mlir::arith::AddIOp::create(b, exponent, bits(1023));
    return fromBits(mlir::arith::ShLIOp::create(b, biased, bits(52)));
  }

  mlir::ImplicitLocOpBuilder &b;
  mlir::Type f64, i64;
};

/// Of one number, and of two.
using FunctionOfOne = mlir::Value(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
using FunctionOfTwo = mlir::Value(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                                  mlir::Value y);

FunctionOfOne sine, cosine, tangent, arcSine, arcCosine, arcTangent;
FunctionOfOne hyperbolicSine, hyperbolicCosine;
FunctionOfOne areaSine, areaCosine, areaTangent;
FunctionOfOne errorFunction, errorRest;
/// The angle of the point (y, x), ordinate first.
FunctionOfTwo arcTangent2;
/// The first number, which is not negative, to the power of the second.
FunctionOfTwo powerOfSize;

} // namespace ingot::ptx

#endif // INGOT_CODEGEN_PTX_DOUBLES_H
