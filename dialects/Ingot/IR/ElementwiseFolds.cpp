//===- ElementwiseFolds.cpp - Folders of elementwise arithmetic -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/Folding.h"

#include "dialects/Ingot/IR/MathOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ingot;

// Evaluates a function of the C library in double precision, and rounds the
// result once to the operand's precision.
static APFloat evaluate(const APFloat &x, double (*fn)(double)) {
  bool losesInfo;
  APFloat wide = x;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  APFloat result(fn(wide.convertToDouble()));
  result.convert(x.getSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return result;
}

static OpFoldResult foldFloat(Attribute input, Type type,
                              double (*fn)(double)) {
  return foldUnary(
      input, type, [fn](const APFloat &x) { return evaluate(x, fn); }, nullptr);
}

OpFoldResult SqrtOp::fold(FoldAdaptor adaptor) {
  return foldFloat(adaptor.getInput(), getType(), std::sqrt);
}
OpFoldResult ExpOp::fold(FoldAdaptor adaptor) {
  return foldFloat(adaptor.getInput(), getType(), std::exp);
}
OpFoldResult LogOp::fold(FoldAdaptor adaptor) {
  return foldFloat(adaptor.getInput(), getType(), std::log);
}
OpFoldResult TanhOp::fold(FoldAdaptor adaptor) {
  return foldFloat(adaptor.getInput(), getType(), std::tanh);
}

OpFoldResult AbsOp::fold(FoldAdaptor adaptor) {
  bool hasSign = !isUnsigned(getElementTypeOrSelf(getInput()));
  return foldUnary(
      adaptor.getInput(), getType(),
      [](const APFloat &x) { return llvm::abs(x); },
      [=](const APInt &x) { return hasSign ? x.abs() : x; });
}

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getInput().getDefiningOp<NegOp>())
    if (inner.getInput().getType() == getType())
      return inner.getInput();
  return foldUnary(
      adaptor.getInput(), getType(), [](const APFloat &x) { return -x; },
      [](const APInt &x) { return -x; });
}

OpFoldResult SignOp::fold(FoldAdaptor adaptor) {
  bool hasSign = !isUnsigned(getElementTypeOrSelf(getInput()));
  return foldUnary(
      adaptor.getInput(), getType(),
      [](const APFloat &x) {
        if (x.isNaN())
          return x;
        if (x.isZero()) // The sign of -0 is +0, as in TensorFlow.
          return APFloat::getZero(x.getSemantics());
        return APFloat::getOne(x.getSemantics(), x.isNegative());
      },
      [=](const APInt &x) {
        if (hasSign && x.isNegative())
          return APInt::getAllOnes(x.getBitWidth());
        return APInt(x.getBitWidth(), !x.isZero());
      });
}

OpFoldResult SquareOp::fold(FoldAdaptor adaptor) {
  return foldUnary(
      adaptor.getInput(), getType(), [](const APFloat &x) { return x * x; },
      [](const APInt &x) { return x * x; });
}

OpFoldResult ReluOp::fold(FoldAdaptor adaptor) {
  if (getInput().getDefiningOp<ReluOp>() && getInput().getType() == getType())
    return getInput();
  bool hasSign = !isUnsigned(getElementTypeOrSelf(getInput()));
  return foldUnary(
      adaptor.getInput(), getType(),
      [](const APFloat &x) {
        return x < APFloat::getZero(x.getSemantics())
                   ? APFloat::getZero(x.getSemantics())
                   : x;
      },
      [=](const APInt &x) {
        return hasSign && x.isNegative() ? APInt(x.getBitWidth(), 0) : x;
      });
}

OpFoldResult LogicalNotOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getInput().getDefiningOp<LogicalNotOp>())
    if (inner.getInput().getType() == getType())
      return inner.getInput();
  return foldUnary(adaptor.getInput(), getType(), nullptr,
                   [](const APInt &x) { return ~x; });
}

// If one operand of a binary op is a constant all of whose elements are
// `neutral`, returns the other operand, which is the op's result; otherwise
// null.
template <typename OpT, typename AdaptorT>
static Value findUnchanged(OpT op, AdaptorT adaptor, double neutral,
                           bool eitherSide) {
  Value lhs = op.getLhs(), rhs = op.getRhs();
  Type type = op.getType();
  if (isSplatOf(adaptor.getRhs(), neutral) &&
      broadcastsInto(rhs.getType(), lhs.getType(), type))
    return lhs;
  if (eitherSide && isSplatOf(adaptor.getLhs(), neutral) &&
      broadcastsInto(lhs.getType(), rhs.getType(), type))
    return rhs;
  return nullptr;
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // For the addition of floats, only -0 is neutral: adding 0 to -0 results in
  // 0.
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(getType()));
  if (Value same = findUnchanged(*this, adaptor, isFloat ? -0.0 : 0.0, true))
    return same;
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APFloat &a, const APFloat &b) { return a + b; },
      [](const APInt &a, const APInt &b) { return a + b; });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  if (Value same = findUnchanged(*this, adaptor, 0.0, false))
    return same;
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APFloat &a, const APFloat &b) { return a - b; },
      [](const APInt &a, const APInt &b) { return a - b; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (Value same = findUnchanged(*this, adaptor, 1.0, true))
    return same;
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APFloat &a, const APFloat &b) { return a * b; },
      [](const APInt &a, const APInt &b) { return a * b; });
}

OpFoldResult RealDivOp::fold(FoldAdaptor adaptor) {
  if (Value same = findUnchanged(*this, adaptor, 1.0, false))
    return same;
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APFloat &a, const APFloat &b) { return a / b; }, nullptr);
}

OpFoldResult DivNoNanOp::fold(FoldAdaptor adaptor) {
  if (Value same = findUnchanged(*this, adaptor, 1.0, false))
    return same;
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APFloat &a, const APFloat &b) {
        return b.isZero() ? APFloat::getZero(a.getSemantics()) : a / b;
      },
      nullptr);
}

// Returns the larger or the smaller of two numbers. A NaN wins over any number;
// of two equal numbers (also 0 and -0), the first one wins.
static APFloat chooseFloat(const APFloat &a, const APFloat &b, bool larger) {
  if (a.isNaN())
    return a;
  if (b.isNaN())
    return b;
  return (larger ? a < b : b < a) ? b : a;
}

OpFoldResult MaximumOp::fold(FoldAdaptor adaptor) {
  bool hasSign = !isUnsigned(getElementTypeOrSelf(getLhs()));
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APFloat &a, const APFloat &b) {
        return chooseFloat(a, b, /*larger=*/true);
      },
      [=](const APInt &a, const APInt &b) {
        return (hasSign ? a.sge(b) : a.uge(b)) ? a : b;
      });
}

OpFoldResult MinimumOp::fold(FoldAdaptor adaptor) {
  bool hasSign = !isUnsigned(getElementTypeOrSelf(getLhs()));
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APFloat &a, const APFloat &b) {
        return chooseFloat(a, b, /*larger=*/false);
      },
      [=](const APInt &a, const APInt &b) {
        return (hasSign ? a.sle(b) : a.ule(b)) ? a : b;
      });
}

OpFoldResult SquaredDifferenceOp::fold(FoldAdaptor adaptor) {
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APFloat &a, const APFloat &b) { return (a - b) * (a - b); },
      [](const APInt &a, const APInt &b) { return (a - b) * (a - b); });
}

OpFoldResult ReluGradOp::fold(FoldAdaptor adaptor) {
  bool hasSign = !isUnsigned(getElementTypeOrSelf(getLhs()));
  return foldBinary(
      adaptor.getLhs(), adaptor.getRhs(), getType(),
      [](const APFloat &gradient, const APFloat &x) {
        APFloat zero = APFloat::getZero(x.getSemantics());
        return x > zero ? gradient : gradient * zero;
      },
      [=](const APInt &gradient, const APInt &x) {
        bool isPositive = hasSign ? x.isStrictlyPositive() : !x.isZero();
        return isPositive ? gradient : APInt(x.getBitWidth(), 0);
      });
}

OpFoldResult LogicalAndOp::fold(FoldAdaptor adaptor) {
  if (Value same = findUnchanged(*this, adaptor, 1.0, true))
    return same;
  return foldBinary(adaptor.getLhs(), adaptor.getRhs(), getType(), nullptr,
                    [](const APInt &a, const APInt &b) { return a & b; });
}

OpFoldResult LogicalOrOp::fold(FoldAdaptor adaptor) {
  if (Value same = findUnchanged(*this, adaptor, 0.0, true))
    return same;
  return foldBinary(adaptor.getLhs(), adaptor.getRhs(), getType(), nullptr,
                    [](const APInt &a, const APInt &b) { return a | b; });
}

OpFoldResult AddNOp::fold(FoldAdaptor adaptor) {
  if (getInputs().size() == 1 && getInputs().front().getType() == getType())
    return getInputs().front();
  Attribute sum = adaptor.getInputs().front();
  for (Attribute input : adaptor.getInputs().drop_front()) {
    sum = foldBinary(
        sum, input, getType(),
        [](const APFloat &a, const APFloat &b) { return a + b; },
        [](const APInt &a, const APInt &b) { return a + b; });
    if (!sum)
      return nullptr;
  }
  return sum;
}
