//===- ElementMath.cpp - Arithmetic of elementwise ops --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/ElementMath.h"

using namespace mlir;

namespace ingot::lower {

bool isSmallFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

Value toFloat(ImplicitLocOpBuilder &b, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  // TensorFlow converts between small floats and other types by way of float32,
  // even from float64, where this rounds twice.
  if ((from < 32 && to != 32) || (to < 32 && from != 32))
    return toFloat(b, toFloat(b, value, b.getF32Type()), type);
  if (from < to)
    return arith::ExtFOp::create(b, type, value);
  return arith::TruncFOp::create(b, type, value);
}

Value widened(ImplicitLocOpBuilder &b, Value value) {
  return isSmallFloat(value.getType()) ? toFloat(b, value, b.getF32Type())
                                       : value;
}

static Type signless(Type type) {
  return type.isUnsignedInteger()
             ? IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth())
             : type;
}

ElementMath::ElementMath(ImplicitLocOpBuilder &b, Type type)
    : b(b), stored(signless(type)),
      computed(isSmallFloat(type) ? b.getF32Type() : stored),
      hasNoSign(type.isUnsignedInteger() || type.isInteger(1)) {}

Value ElementMath::number(double value) const {
  if (!isFloat())
    return integer(static_cast<int64_t>(value));
  auto rounded = cast<FloatAttr>(b.getFloatAttr(stored, value));
  return arith::ConstantOp::create(
      b, b.getFloatAttr(computed, rounded.getValueAsDouble()));
}

Value ElementMath::integer(int64_t value) const {
  if (isFloat())
    return number(static_cast<double>(value));
  APInt bits(64, static_cast<uint64_t>(value), /*isSigned=*/true);
  return arith::ConstantOp::create(
      b, b.getIntegerAttr(computed, bits.sextOrTrunc(width())));
}

Value ElementMath::add(Value x, Value y) const {
  return isFloat() ? call<arith::AddFOp>(x, y) : call<arith::AddIOp>(x, y);
}

Value ElementMath::sub(Value x, Value y) const {
  return isFloat() ? call<arith::SubFOp>(x, y) : call<arith::SubIOp>(x, y);
}

Value ElementMath::mul(Value x, Value y) const {
  return isFloat() ? call<arith::MulFOp>(x, y) : call<arith::MulIOp>(x, y);
}

Value ElementMath::div(Value x, Value y) const {
  return call<arith::DivFOp>(x, y);
}

Value ElementMath::neg(Value x) const {
  return isFloat() ? call<arith::NegFOp>(x) : sub(integer(0), x);
}

Value ElementMath::abs(Value x) const {
  if (isFloat())
    return call<math::AbsFOp>(x);
  return isSigned() ? call<math::AbsIOp>(x) : x;
}

Value ElementMath::compare(FP onFloats, arith::CmpIPredicate onSigned,
                           arith::CmpIPredicate onUnsigned, Value x,
                           Value y) const {
  if (isFloat())
    return arith::CmpFOp::create(b, onFloats, x, y);
  return arith::CmpIOp::create(b, isSigned() ? onSigned : onUnsigned, x, y);
}

Value ElementMath::less(Value x, Value y) const {
  return compare(FP::OLT, arith::CmpIPredicate::slt, arith::CmpIPredicate::ult,
                 x, y);
}

Value ElementMath::lessEqual(Value x, Value y) const {
  return compare(FP::OLE, arith::CmpIPredicate::sle, arith::CmpIPredicate::ule,
                 x, y);
}

Value ElementMath::equals(Value x, Value y) const {
  return compare(FP::OEQ, arith::CmpIPredicate::eq, arith::CmpIPredicate::eq, x,
                 y);
}

Value ElementMath::differs(Value x, Value y) const {
  return compare(FP::UNE, arith::CmpIPredicate::ne, arith::CmpIPredicate::ne, x,
                 y);
}

Value ElementMath::select(Value condition, Value x, Value y) const {
  return arith::SelectOp::create(b, condition, x, y);
}

Value ElementMath::both(Value x, Value y) const {
  return call<arith::AndIOp>(x, y);
}

Value ElementMath::either(Value x, Value y) const {
  return call<arith::OrIOp>(x, y);
}

Value ElementMath::larger(Value x, Value y) const {
  if (isFloat())
    return call<arith::MaximumFOp>(x, y);
  return isSigned() ? call<arith::MaxSIOp>(x, y) : call<arith::MaxUIOp>(x, y);
}

Value ElementMath::smaller(Value x, Value y) const {
  if (isFloat())
    return call<arith::MinimumFOp>(x, y);
  return isSigned() ? call<arith::MinSIOp>(x, y) : call<arith::MinUIOp>(x, y);
}

Value ElementMath::safeDivisor(Value y) const {
  Value traps = isZero(y);
  if (isSigned())
    traps = either(traps, equals(y, integer(-1)));
  return select(traps, integer(1), y);
}

Value ElementMath::quotient(Value x, Value y) const {
  Value divisor = safeDivisor(y);
  Value result = isSigned() ? call<arith::DivSIOp>(x, divisor)
                            : call<arith::DivUIOp>(x, divisor);
  if (isSigned())
    result = select(equals(y, integer(-1)), neg(x), result);
  return select(isZero(y), integer(0), result);
}

Value ElementMath::remainder(Value x, Value y) const {
  if (isFloat())
    return call<arith::RemFOp>(x, y);
  // `safeDivisor` replaces the divisors 0 and -1 by 1. The remainder is then 0,
  // which is right for -1, and is also the result that ElementMath defines for
  // 0.
  Value divisor = safeDivisor(y);
  return isSigned() ? call<arith::RemSIOp>(x, divisor)
                    : call<arith::RemUIOp>(x, divisor);
}

namespace {

struct LowerElementwise : RewritePattern {
  LowerElementwise(StringRef opName, ElementFunction function, bool converts,
                   MLIRContext *context)
      : RewritePattern(opName, /*benefit=*/1, context), function(function),
        converts(converts) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    Location loc = op->getLoc();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Sizes sizes = broadcastSizes(rewriter, loc, type, op->getOperands());
    auto body = [&](ImplicitLocOpBuilder &b, ValueRange x) {
      ElementMath elements(b, operandElementType(op, 0));
      if (!converts)
        return SmallVector<Value>{function(elements, x, op)};
      SmallVector<Value> wide =
          llvm::map_to_vector(x.take_front(op->getNumOperands()),
                              [&](Value value) { return widened(b, value); });
      Value result = function(elements, wide, op);
      if (isSmallFloat(type.getElementType()))
        result = toFloat(b, result, type.getElementType());
      return SmallVector<Value>{result};
    };
    auto lowered = elementwise(
        rewriter, loc, type.getShape(), op->getOperands(),
        emptyTensor(rewriter, loc, sizes, type.getElementType()), body);
    rewriter.replaceOp(op, lowered.getResults());
    return success();
  }

  ElementFunction function;
  bool converts;
};

} // namespace

void addElementwise(RewritePatternSet &patterns, StringRef opName,
                    ElementFunction function) {
  patterns.add<LowerElementwise>(opName, function, /*converts=*/true,
                                 patterns.getContext());
}

void addUnconverted(RewritePatternSet &patterns, StringRef opName,
                    ElementFunction function) {
  patterns.add<LowerElementwise>(opName, function, /*converts=*/false,
                                 patterns.getContext());
}

} // namespace ingot::lower
