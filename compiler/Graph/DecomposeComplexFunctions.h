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
class FoldingOpBuilder {
public:
  explicit FoldingOpBuilder(mlir::ImplicitLocOpBuilder &b) : b(b) {}

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
struct RealTerm {
  const FoldingOpBuilder *f;
  mlir::Value value;

  template <typename OpT> RealTerm to(mlir::ValueRange operands) const {
    return {f, f->make<OpT>(operands)};
  }
  RealTerm number(double number) const { return {f, f->number(value, number)}; }
};

RealTerm operator+(RealTerm a, RealTerm b);
RealTerm operator-(RealTerm a, RealTerm b);
RealTerm operator*(RealTerm a, RealTerm b);
RealTerm operator/(RealTerm a, RealTerm b);
RealTerm operator-(RealTerm a);

/// A complex tensor in a formula, as its real and its imaginary part.
struct ComplexTerm {
  RealTerm real, imag;
};

ComplexTerm operator+(ComplexTerm x, ComplexTerm y);
ComplexTerm operator-(ComplexTerm x, ComplexTerm y);
ComplexTerm operator*(ComplexTerm x, ComplexTerm y);
ComplexTerm operator/(ComplexTerm x, ComplexTerm y);
ComplexTerm operator-(ComplexTerm x);
ComplexTerm operator*(ComplexTerm x, double y);
ComplexTerm operator-(double x, ComplexTerm y);
ComplexTerm conj(ComplexTerm x);
/// Returns, elementwise, `yes` where `condition` is true and `no` elsewhere.
ComplexTerm select(mlir::Value condition, ComplexTerm yes, ComplexTerm no);
/// Returns a tensor of zeros with the shape of `like`.
ComplexTerm zeros(ComplexTerm like);
/// Returns a bool tensor that is true where `x` is zero.
mlir::Value isZero(ComplexTerm x);
/// Returns |x|, computed so that no square overflows.
RealTerm abs(ComplexTerm x);
/// Returns the angle of x in radians.
RealTerm angle(ComplexTerm x);
ComplexTerm reciprocal(ComplexTerm x);
ComplexTerm sqrt(ComplexTerm x);
ComplexTerm exp(ComplexTerm x);
ComplexTerm log(ComplexTerm x);
ComplexTerm sin(ComplexTerm x);
ComplexTerm cos(ComplexTerm x);
ComplexTerm tan(ComplexTerm x);
ComplexTerm sinh(ComplexTerm x);
ComplexTerm cosh(ComplexTerm x);
ComplexTerm tanh(ComplexTerm x);
ComplexTerm pow(ComplexTerm x, ComplexTerm y);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_DECOMPOSECOMPLEXFUNCTIONS_H
