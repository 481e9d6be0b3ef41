//===- LowerElementwise.cpp - Elementwise arithmetic ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/Elements.h"

#include "dialects/Ingot/MathOps.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

/// Wraps a member function of Elements as the function of an elementwise op.
template <Value (Elements::*Member)(Value) const>
Value unary(const Elements &e, ValueRange x, Operation *) {
  return (e.*Member)(x[0]);
}
template <Value (Elements::*Member)(Value, Value) const>
Value binary(const Elements &e, ValueRange x, Operation *) {
  return (e.*Member)(x[0], x[1]);
}
template <Value (Elements::*Member)(Value, Value) const>
Value swapped(const Elements &e, ValueRange x, Operation *) {
  return (e.*Member)(x[1], x[0]);
}

template <typename MathOp>
Value function(const Elements &e, ValueRange x, Operation *) {
  return e.call<MathOp>(x[0]);
}

Value sign(const Elements &e, ValueRange x, Operation *) {
  Value zero = e.integer(0), one = e.integer(1);
  // Adding +0 turns -0 into +0, as in TensorFlow, and leaves a NaN.
  Value rest = e.isFloat() ? e.add(x[0], zero) : x[0];
  if (e.isSigned())
    rest = e.select(e.less(x[0], zero), e.integer(-1), rest);
  return e.select(e.less(zero, x[0]), one, rest);
}

/// max(x, 0). A NaN is returned unchanged, because its comparison is false.
Value relu(const Elements &e, ValueRange x, Operation *) {
  Value zero = e.integer(0);
  return e.select(e.less(x[0], zero), zero, x[0]);
}

Value reluGrad(const Elements &e, ValueRange x, Operation *) {
  Value zero = e.integer(0);
  // For x[1] <= 0, the gradient x[0] is multiplied by zero instead of replaced
  // by zero, as TensorFlow does: an infinite gradient or a NaN then results in
  // a NaN.
  Value rest = e.isFloat() ? e.mul(x[0], zero) : zero;
  return e.select(e.less(zero, x[1]), x[0], rest);
}

Value divNoNan(const Elements &e, ValueRange x, Operation *) {
  Value zero = e.integer(0);
  return e.select(e.equals(x[1], zero), zero, e.div(x[0], x[1]));
}

Value squaredDifference(const Elements &e, ValueRange x, Operation *) {
  Value difference = e.sub(x[0], x[1]);
  return e.mul(difference, difference);
}

Value sumOfAll(const Elements &e, ValueRange x, Operation *) {
  Value total = x[0];
  for (Value next : x.drop_front())
    total = e.add(total, next);
  return total;
}

} // namespace

void ::ingot::lower::populateElementwisePatterns(RewritePatternSet &patterns) {
  addElementwise<AbsOp>(patterns, unary<&Elements::abs>);
  addElementwise<NegOp>(patterns, unary<&Elements::neg>);
  addElementwise<SignOp>(patterns, sign);
  addElementwise<SqrtOp>(patterns, function<math::SqrtOp>);
  addElementwise<SquareOp>(patterns,
                           [](const Elements &e, ValueRange x, Operation *) {
                             return e.mul(x[0], x[0]);
                           });
  addElementwise<ExpOp>(patterns, function<math::ExpOp>);
  addElementwise<LogOp>(patterns, function<math::LogOp>);
  addElementwise<TanhOp>(patterns, function<math::TanhOp>);
  addElementwise<ReluOp>(patterns, relu);
  addElementwise<LogicalNotOp>(patterns, unary<&Elements::isZero>);
  addElementwise<AddOp>(patterns, binary<&Elements::add>);
  addElementwise<SubOp>(patterns, binary<&Elements::sub>);
  addElementwise<MulOp>(patterns, binary<&Elements::mul>);
  addElementwise<RealDivOp>(patterns, binary<&Elements::div>);
  addElementwise<DivNoNanOp>(patterns, divNoNan);
  addElementwise<MaximumOp>(patterns, binary<&Elements::larger>);
  addElementwise<MinimumOp>(patterns, binary<&Elements::smaller>);
  addElementwise<SquaredDifferenceOp>(patterns, squaredDifference);
  addElementwise<ReluGradOp>(patterns, reluGrad);
  addElementwise<LogicalAndOp>(patterns, binary<&Elements::both>);
  addElementwise<LogicalOrOp>(patterns, binary<&Elements::either>);
  addElementwise<EqualOp>(patterns, binary<&Elements::equals>);
  addElementwise<NotEqualOp>(patterns, binary<&Elements::differs>);
  addElementwise<LessOp>(patterns, binary<&Elements::less>);
  addElementwise<LessEqualOp>(patterns, binary<&Elements::lessEqual>);
  addElementwise<GreaterOp>(patterns, swapped<&Elements::less>);
  addElementwise<GreaterEqualOp>(patterns, swapped<&Elements::lessEqual>);
  addElementwise<AddNOp>(patterns, sumOfAll);
  addUnconverted(patterns, SelectOp::getOperationName(),
                 [](const Elements &e, ValueRange x, Operation *) {
                   return e.select(x[0], x[1], x[2]);
                 });
}
