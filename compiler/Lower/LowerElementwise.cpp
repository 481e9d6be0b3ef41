//===- LowerElementwise.cpp - Elementwise arithmetic ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/ElementMath.h"

#include "dialects/Ingot/IR/MathOps.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

/// Wraps a member function of ElementMath as the function of an elementwise op.
template <Value (ElementMath::*Member)(Value) const>
Value unary(const ElementMath &e, ValueRange x, Operation *) {
  return (e.*Member)(x[0]);
}
template <Value (ElementMath::*Member)(Value, Value) const>
Value binary(const ElementMath &e, ValueRange x, Operation *) {
  return (e.*Member)(x[0], x[1]);
}
template <Value (ElementMath::*Member)(Value, Value) const>
Value swapped(const ElementMath &e, ValueRange x, Operation *) {
  return (e.*Member)(x[1], x[0]);
}

template <typename MathOp>
Value function(const ElementMath &e, ValueRange x, Operation *) {
  return e.call<MathOp>(x[0]);
}

Value sign(const ElementMath &e, ValueRange x, Operation *) {
  Value zero = e.integer(0), one = e.integer(1);
  // The result for an x that is neither positive nor negative (0, -0 or NaN).
  // Adding +0 turns -0 into +0, as in TensorFlow; a NaN stays a NaN.
  Value rest = e.isFloat() ? e.add(x[0], zero) : x[0];
  if (e.isSigned())
    rest = e.select(e.less(x[0], zero), e.integer(-1), rest);
  return e.select(e.less(zero, x[0]), one, rest);
}

/// Computes max(x, 0). If x is NaN, x < 0 is false, so the NaN is returned
/// unchanged.
Value relu(const ElementMath &e, ValueRange x, Operation *) {
  Value zero = e.integer(0);
  return e.select(e.less(x[0], zero), zero, x[0]);
}

Value reluGrad(const ElementMath &e, ValueRange x, Operation *) {
  Value zero = e.integer(0);
  // For x[1] <= 0, the gradient x[0] is multiplied by zero instead of replaced
  // by zero, as TensorFlow does: an infinite gradient or a NaN then results in
  // a NaN.
  Value rest = e.isFloat() ? e.mul(x[0], zero) : zero;
  return e.select(e.less(zero, x[1]), x[0], rest);
}

Value divNoNan(const ElementMath &e, ValueRange x, Operation *) {
  Value zero = e.integer(0);
  return e.select(e.equals(x[1], zero), zero, e.div(x[0], x[1]));
}

Value squaredDifference(const ElementMath &e, ValueRange x, Operation *) {
  Value difference = e.sub(x[0], x[1]);
  return e.mul(difference, difference);
}

Value sumOfAll(const ElementMath &e, ValueRange x, Operation *) {
  Value total = x[0];
  for (Value next : x.drop_front())
    total = e.add(total, next);
  return total;
}

} // namespace

void ::ingot::lower::populateElementwisePatterns(RewritePatternSet &patterns) {
  addElementwise<AbsOp>(patterns, unary<&ElementMath::abs>);
  addElementwise<NegOp>(patterns, unary<&ElementMath::neg>);
  addElementwise<SignOp>(patterns, sign);
  addElementwise<SqrtOp>(patterns, function<math::SqrtOp>);
  addElementwise<SquareOp>(patterns,
                           [](const ElementMath &e, ValueRange x, Operation *) {
                             return e.mul(x[0], x[0]);
                           });
  addElementwise<ExpOp>(patterns, function<math::ExpOp>);
  addElementwise<LogOp>(patterns, function<math::LogOp>);
  addElementwise<TanhOp>(patterns, function<math::TanhOp>);
  addElementwise<ReluOp>(patterns, relu);
  addElementwise<LogicalNotOp>(patterns, unary<&ElementMath::isZero>);
  addElementwise<AddOp>(patterns, binary<&ElementMath::add>);
  addElementwise<SubOp>(patterns, binary<&ElementMath::sub>);
  addElementwise<MulOp>(patterns, binary<&ElementMath::mul>);
  addElementwise<RealDivOp>(patterns, binary<&ElementMath::div>);
  addElementwise<DivNoNanOp>(patterns, divNoNan);
  addElementwise<MaximumOp>(patterns, binary<&ElementMath::larger>);
  addElementwise<MinimumOp>(patterns, binary<&ElementMath::smaller>);
  addElementwise<SquaredDifferenceOp>(patterns, squaredDifference);
  addElementwise<ReluGradOp>(patterns, reluGrad);
  addElementwise<LogicalAndOp>(patterns, binary<&ElementMath::both>);
  addElementwise<LogicalOrOp>(patterns, binary<&ElementMath::either>);
  addElementwise<EqualOp>(patterns, binary<&ElementMath::equals>);
  addElementwise<NotEqualOp>(patterns, binary<&ElementMath::differs>);
  addElementwise<LessOp>(patterns, binary<&ElementMath::less>);
  addElementwise<LessEqualOp>(patterns, binary<&ElementMath::lessEqual>);
  addElementwise<GreaterOp>(patterns, swapped<&ElementMath::less>);
  addElementwise<GreaterEqualOp>(patterns, swapped<&ElementMath::lessEqual>);
  addElementwise<AddNOp>(patterns, sumOfAll);
  addUnconverted(patterns, SelectOp::getOperationName(),
                 [](const ElementMath &e, ValueRange x, Operation *) {
                   return e.select(x[0], x[1], x[2]);
                 });
}
