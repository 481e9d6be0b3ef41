//===- DecomposeComplexFunctions.h - Complex functions by parts -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Functions of complex tensors, computed by real ops from the real and
// imaginary parts of the operands.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_DECOMPOSECOMPLEXFUNCTIONS_H
#define INGOT_COMPILER_GRAPH_DECOMPOSECOMPLEXFUNCTIONS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::graph {

/// Creates the real ops of a formula, and folds those whose operands are
/// constants.
class FormulaBuilder {
public:
  explicit FormulaBuilder(mlir::ImplicitLocOpBuilder &b) : b(b) {}

  /// Creates an op with inferred result types, or folds it. Returns its first
  /// result.
  mlir::Value make(llvm::StringRef name, mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) const;
  template <typename OpT> mlir::Value make(mlir::ValueRange operands) const {
    return make(OpT::getOperationName(), operands);
  }
  /// Creates a scalar constant with the value `value` and the element type of
  /// `like`.
  mlir::Value number(mlir::Value like, double value) const;

  mlir::ImplicitLocOpBuilder &b;
};

/// A real tensor in a formula. Its operators, such as +, create ops.
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

/// A complex tensor in a formula, as its real and its imaginary part.
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
/// Returns, elementwise, `yes` where `condition` is true and `no` elsewhere.
Complex select(mlir::Value condition, Complex yes, Complex no);
/// Returns a tensor of zeros with the shape of `like`.
Complex zeros(Complex like);
/// Returns a bool tensor that is true where `x` is zero.
mlir::Value isZero(Complex x);
/// Returns |x|, computed so that no square overflows.
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
