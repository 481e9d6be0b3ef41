//===- DecomposeComplexFunctions.h - Complex functions by parts -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Functions of complex numbers as formulas of their real and imaginary parts.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_DECOMPOSECOMPLEXFUNCTIONS_H
#define INGOT_COMPILER_GRAPH_DECOMPOSECOMPLEXFUNCTIONS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::graph {

/// Creates real ops for formulas, and folds those of constants.
class FormulaBuilder {
public:
  explicit FormulaBuilder(mlir::ImplicitLocOpBuilder &b) : b(b) {}

  /// Creates an op with inferred type, and returns its first result.
  mlir::Value make(llvm::StringRef name, mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) const;
  template <typename OpT> mlir::Value make(mlir::ValueRange operands) const {
    return make(OpT::getOperationName(), operands);
  }
  /// Makes a scalar constant of the element type of `like`.
  mlir::Value number(mlir::Value like, double value) const;

  mlir::ImplicitLocOpBuilder &b;
};

/// A tensor of real numbers in a formula. Operators create ops.
struct Real {
  const FormulaBuilder *f;
  mlir::Value value;

  template <typename OpT> Real to(mlir::ValueRange operands) const {
    return {f, f->make<OpT>(operands)};
  }
  Real number(double number) const { return {f, f->number(value, number)}; }
};

Real operator+(Real a, Real b);
Real operator-(Real a, Real b);
Real operator*(Real a, Real b);
Real operator/(Real a, Real b);
Real operator-(Real a);

/// A tensor of complex numbers in a formula, by its parts.
struct Complex {
  Real real, imag;
};

Complex operator+(Complex x, Complex y);
Complex operator-(Complex x, Complex y);
Complex operator*(Complex x, Complex y);
Complex operator/(Complex x, Complex y);
Complex operator-(Complex x);
Complex operator*(Complex x, double y);
Complex operator-(double x, Complex y);
Complex conj(Complex x);
/// Returns `yes` where the condition is true, and `no` elsewhere.
Complex select(mlir::Value condition, Complex yes, Complex no);
/// Returns a zero in each element's place.
Complex zeros(Complex like);
/// Returns where a number is zero.
mlir::Value isZero(Complex x);
/// Returns |x| without overflow of squares.
Real abs(Complex x);
/// Returns the angle of x in radians.
Real angle(Complex x);
Complex reciprocal(Complex x);
Complex sqrt(Complex x);
Complex exp(Complex x);
Complex log(Complex x);
Complex sin(Complex x);
Complex cos(Complex x);
Complex tan(Complex x);
Complex sinh(Complex x);
Complex cosh(Complex x);
Complex tanh(Complex x);
Complex pow(Complex x, Complex y);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_DECOMPOSECOMPLEXFUNCTIONS_H
