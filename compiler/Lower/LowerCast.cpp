//===- LowerCast.cpp - Conversions between element types ------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Every pair of numeric types converts as in TensorFlow on x86-64. Small floats
// are converted by way of float32. A float outside the range of the integer
// type becomes the integer that the processor's conversion instruction returns
// for it, truncated to the result's width.
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/ElementMath.h"

#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/MathOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

Value constant(Builder &b, Type type, double value) {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}

/// Truncates a float to a signed integer of `width` bits. Returns the lowest
/// integer for a NaN or a float that is out of range, like the conversion
/// instruction of x86-64.
Value toSigned(Builder &b, Value x, unsigned width) {
  Type type = b.getIntegerType(width);
  double limit = std::ldexp(1.0, static_cast<int>(width) - 1);
  Value lowest = arith::ConstantOp::create(
      b, b.getIntegerAttr(type, APInt::getSignedMinValue(width)));
  // A float that equals the lowest integer fails this comparison, too, but the
  // select then returns the lowest integer.
  Value fits = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT,
                                     math::AbsFOp::create(b, x),
                                     constant(b, x.getType(), limit));
  return arith::SelectOp::create(b, fits, arith::FPToSIOp::create(b, type, x),
                                 lowest);
}

/// Truncates a float to an unsigned 64-bit integer. Like compilers for x86-64,
/// uses only conversions to signed integers, as the processor has no others.
/// For x >= 2^63, the conversion of x yields only the highest bit, and that of
/// x - 2^63 yields the other bits.
Value toUnsigned64(Builder &b, Value x) {
  Value half = constant(b, x.getType(), std::ldexp(1.0, 63));
  Value signPlace =
      arith::ConstantOp::create(b, b.getIntegerAttr(b.getI64Type(), 63));
  Value low = toSigned(b, x, 64);
  Value high = toSigned(b, arith::SubFOp::create(b, x, half), 64);
  Value isOutside = arith::ShRSIOp::create(b, low, signPlace);
  return arith::OrIOp::create(b, low,
                              arith::AndIOp::create(b, high, isOutside));
}

Value floatToInteger(Builder &b, Value x, Type to) {
  x = widened(b, x);
  unsigned width = to.getIntOrFloatBitWidth();
  if (width == 64)
    return to.isUnsignedInteger() ? toUnsigned64(b, x) : toSigned(b, x, 64);
  if (width == 32 && to.isUnsignedInteger())
    return arith::TruncIOp::create(b, b.getI32Type(), toSigned(b, x, 64));
  Value wide = toSigned(b, x, 32);
  if (width == 32)
    return wide;
  return arith::TruncIOp::create(b, b.getIntegerType(width), wide);
}

Value integerToFloat(Builder &b, Value x, bool hasSign, Type to) {
  Type computed = isSmallFloat(to) ? Type(b.getF32Type()) : to;
  Value result = hasSign ? Value(arith::SIToFPOp::create(b, computed, x))
                         : Value(arith::UIToFPOp::create(b, computed, x));
  return toFloat(b, result, to);
}

Value integerToInteger(Builder &b, Value x, bool hasSign, Type to) {
  unsigned from = x.getType().getIntOrFloatBitWidth();
  unsigned width = to.getIntOrFloatBitWidth();
  Type type = b.getIntegerType(width);
  if (from == width)
    return x;
  if (from > width)
    return arith::TruncIOp::create(b, type, x);
  return hasSign ? Value(arith::ExtSIOp::create(b, type, x))
                 : Value(arith::ExtUIOp::create(b, type, x));
}

Value convert(const ElementMath &e, ValueRange x, Operation *op) {
  Builder &b = e.b;
  Type from = operandElementType(op, 0), to = cast<CastOp>(op).getDst();
  bool fromFloat = isa<FloatType>(from), intoFloat = isa<FloatType>(to);
  bool hasSign = !from.isUnsignedInteger() && !from.isInteger(1);
  if (from == to)
    return x[0];
  if (to.isInteger(1)) {
    ElementMath elements(b, from);
    return elements.differs(widened(b, x[0]), elements.integer(0));
  }
  if (!fromFloat && !intoFloat)
    return integerToInteger(b, x[0], hasSign, to);
  if (!fromFloat)
    return integerToFloat(b, x[0], hasSign, to);
  if (!intoFloat)
    return floatToInteger(b, x[0], to);
  return toFloat(b, x[0], to);
}

} // namespace

void ::ingot::lower::populateCastPatterns(RewritePatternSet &patterns) {
  addUnconverted(patterns, CastOp::getOperationName(), convert);
}
