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
struct RealTensorExpression {
  const FoldingOpBuilder *f;
  mlir::Value value;

  template <typename OpT>
  RealTensorExpression to(mlir::ValueRange operands) const {
    return {f, f->make<OpT>(operands)};
  }
  RealTensorExpression number(double number) const {
    return {f, f->number(value, number)};
  }
};

RealTensorExpression operator+(RealTensorExpression a, RealTensorExpression b);
RealTensorExpression operator-(RealTensorExpression a, RealTensorExpression b);
RealTensorExpression operator*(RealTensorExpression a, RealTensorExpression b);
RealTensorExpression operator/(RealTensorExpression a, RealTensorExpression b);
RealTensorExpression operator-(RealTensorExpression a);

/// A complex tensor in a formula, as its real and its imaginary part.
struct ComplexTensorExpression {
  RealTensorExpression real, imag;
};

ComplexTensorExpression operator+(ComplexTensorExpression x,
                                  ComplexTensorExpression y);
ComplexTensorExpression operator-(ComplexTensorExpression x,
                                  ComplexTensorExpression y);
ComplexTensorExpression operator*(ComplexTensorExpression x,
                                  ComplexTensorExpression y);
ComplexTensorExpression operator/(ComplexTensorExpression x,
                                  ComplexTensorExpression y);
ComplexTensorExpression operator-(ComplexTensorExpression x);
ComplexTensorExpression operator*(ComplexTensorExpression x, double y);
ComplexTensorExpression operator-(double x, ComplexTensorExpression y);
ComplexTensorExpression conj(ComplexTensorExpression x);
/// Returns, elementwise, `yes` where `condition` is true and `no` elsewhere.
ComplexTensorExpression select(mlir::Value condition,
                               ComplexTensorExpression yes,
                               ComplexTensorExpression no);
/// Returns a tensor of zeros with the shape of `like`.
ComplexTensorExpression zeros(ComplexTensorExpression like);
/// Returns a bool tensor that is true where `x` is zero.
mlir::Value isZero(ComplexTensorExpression x);
/// Returns |x|, computed so that no square overflows.
RealTensorExpression abs(ComplexTensorExpression x);
/// Returns the angle of x in radians.
RealTensorExpression angle(ComplexTensorExpression x);
ComplexTensorExpression reciprocal(ComplexTensorExpression x);
ComplexTensorExpression sqrt(ComplexTensorExpression x);
ComplexTensorExpression exp(ComplexTensorExpression x);
ComplexTensorExpression log(ComplexTensorExpression x);
ComplexTensorExpression sin(ComplexTensorExpression x);
ComplexTensorExpression cos(ComplexTensorExpression x);
ComplexTensorExpression tan(ComplexTensorExpression x);
ComplexTensorExpression sinh(ComplexTensorExpression x);
ComplexTensorExpression cosh(ComplexTensorExpression x);
ComplexTensorExpression tanh(ComplexTensorExpression x);
ComplexTensorExpression pow(ComplexTensorExpression x,
                            ComplexTensorExpression y);

} // namespace ingot::graph

#endif // INGOT_COMPILER_GRAPH_DECOMPOSECOMPLEXFUNCTIONS_H
