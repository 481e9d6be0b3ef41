//===- LowerPointwise.cpp - Pointwise functions ---------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/ElementMath.h"
#include "dialects/Ingot/IR/Folding.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"

#include "mlir/IR/Matchers.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

template <typename MathOp>
Value function(const ElementMath &e, ValueRange x, Operation *) {
  return e.call<MathOp>(x[0]);
}

template <typename MathOp>
Value binaryFunction(const ElementMath &e, ValueRange x, Operation *) {
  return e.call<MathOp>(x[0], x[1]);
}

Value reciprocal(const ElementMath &e, ValueRange x, Operation *) {
  Value one = e.integer(1);
  return e.isFloat() ? e.div(one, x[0]) : e.quotient(one, x[0]);
}

Value nearestInteger(const ElementMath &e, ValueRange x, Operation *) {
  return e.isFloat() ? e.call<math::RoundEvenOp>(x[0]) : x[0];
}

/// Returns 1 / x truncated to an integer. A negative power x^-n of an integer
/// is computed as (1 / x)^n.
Value inverseOfInteger(const ElementMath &e, Value x) {
  return e.quotient(e.integer(1), x);
}

/// Computes an integer power by squaring, with one multiplication of the result
/// per bit of the exponent.
Value integerPower(const ElementMath &e, Value base, Value exponent) {
  Value zero = e.integer(0), one = e.integer(1);
  if (e.isSigned()) {
    Value isNegative = e.less(exponent, zero);
    base = e.select(isNegative, inverseOfInteger(e, base), base);
    exponent = e.select(isNegative, e.neg(exponent), exponent);
  }
  Value result = one;
  for (unsigned bit = 0; bit < e.width(); ++bit) {
    Value mask = e.integer(static_cast<int64_t>(uint64_t(1) << bit));
    Value isSet = e.differs(e.both(exponent, mask), zero);
    result = e.select(isSet, e.mul(result, base), result);
    if (bit + 1 < e.width())
      base = e.mul(base, base);
  }
  return result;
}

/// If the exponent operand of `op` is a constant whose elements all equal one
/// of the numbers `known`, returns this number; 0 otherwise.
double exponentAmong(ArrayRef<double> known, Operation *op) {
  Attribute exponents;
  if (matchPattern(op->getOperand(1), m_Constant(&exponents)))
    for (double exponent : known)
      if (isSplatOf(exponents, exponent))
        return exponent;
  return 0;
}

/// Returns base^(1/2). Unlike sqrt, this is +0 for a base of -0, and infinity
/// for -infinity.
Value rootAsPower(const ElementMath &e, Value base) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value root = e.add(e.call<math::SqrtOp>(base), e.number(0));
  return e.select(e.equals(base, e.number(-infinity)), e.number(infinity),
                  root);
}

Value power(const ElementMath &e, ValueRange x, Operation *op) {
  if (!e.isFloat())
    return integerPower(e, x[0], x[1]);
  Value base = x[0];
  double rooted = exponentAmong({0.5, -0.5, -1}, op);
  if (rooted != 0) {
    Value raised = rooted == -1 ? base : rootAsPower(e, base);
    return rooted < 0 ? e.div(e.number(1), raised) : raised;
  }
  // Small powers become products. Each product rounds once more, so powers
  // above 4 use the more accurate power function.
  auto exponent = static_cast<int>(exponentAmong({1, 2, 3, 4}, op));
  if (exponent == 0)
    return e.call<math::PowFOp>(base, x[1]);
  if (exponent == 4)
    base = e.mul(base, base);
  return exponent == 1   ? base
         : exponent == 3 ? e.mul(e.mul(base, base), base)
                         : e.mul(base, base);
}

Value truncateDiv(const ElementMath &e, ValueRange x, Operation *) {
  return e.isFloat() ? e.call<math::TruncOp>(e.div(x[0], x[1]))
                     : e.quotient(x[0], x[1]);
}

Value remainder(const ElementMath &e, ValueRange x, Operation *) {
  return e.remainder(x[0], x[1]);
}

/// Whether the signs of a truncated division's remainder and of the divisor
/// differ. If so, the floored quotient is one less than the truncated one.
Value signsDiffer(const ElementMath &e, Value rest, Value divisor) {
  Value zero = e.integer(0);
  Value restBelow = e.less(rest, zero), divisorBelow = e.less(divisor, zero);
  return e.both(e.differs(rest, zero),
                e.call<arith::XOrIOp>(restBelow, divisorBelow));
}

Value floorDiv(const ElementMath &e, ValueRange x, Operation *) {
  if (e.isFloat())
    return e.call<math::FloorOp>(e.div(x[0], x[1]));
  Value quotient = e.quotient(x[0], x[1]);
  if (!e.isSigned())
    return quotient;
  Value isBelow = signsDiffer(e, e.remainder(x[0], x[1]), x[1]);
  return e.select(isBelow, e.sub(quotient, e.integer(1)), quotient);
}

Value floorMod(const ElementMath &e, ValueRange x, Operation *) {
  Value rest = e.remainder(x[0], x[1]);
  if (!e.isSigned())
    return rest;
  return e.select(signsDiffer(e, rest, x[1]), e.add(rest, x[1]), rest);
}

/// Returns `value`, or zero if `x` is zero.
Value unlessZero(const ElementMath &e, Value x, Value value) {
  Value zero = e.integer(0);
  return e.select(e.equals(x, zero), zero, value);
}

Value mulNoNan(const ElementMath &e, ValueRange x, Operation *) {
  return unlessZero(e, x[1], e.mul(x[0], x[1]));
}

Value xdivy(const ElementMath &e, ValueRange x, Operation *) {
  return unlessZero(e, x[0], e.div(x[0], x[1]));
}

template <typename LogOp>
Value timesLog(const ElementMath &e, ValueRange x, Operation *) {
  return unlessZero(e, x[0], e.mul(x[0], e.call<LogOp>(x[1])));
}

/// Returns the float next to x[0] in the direction of x[1]. Floats of one sign
/// are ordered like their bits read as integers. So the next float away from
/// zero has bits that are larger by 1, and the one towards zero bits that are
/// smaller by 1.
Value nextAfter(const ElementMath &e, ValueRange x, Operation *) {
  ElementMath bits(e.b, e.b.getIntegerType(e.width()));
  auto bitsOf = [&](Value value) -> Value {
    return arith::BitcastOp::create(e.b, bits.type(), value);
  };
  Value zero = bits.integer(0), one = bits.integer(1);
  Value signBit =
      bits.integer(static_cast<int64_t>(uint64_t(1) << (e.width() - 1)));
  Value from = bitsOf(x[0]), to = bitsOf(x[1]);
  Value fromBelow = bits.less(from, zero), toBelow = bits.less(to, zero);
  Value magnitude = bits.both(from, bits.sub(signBit, one));
  Value toMagnitude = bits.both(to, bits.sub(signBit, one));
  Value differ = bits.call<arith::XOrIOp>(fromBelow, toBelow);
  Value inwards = bits.either(differ, bits.less(toMagnitude, magnitude));
  Value step = bits.select(inwards, bits.integer(-1), one);
  // The float next to a zero is the smallest subnormal number with the sign of
  // the target x[1].
  Value smallest = bits.either(bits.both(to, signBit), one);
  Value next =
      bits.select(bits.isZero(magnitude), smallest, bits.add(from, step));
  Value zeros = bits.isZero(bits.either(magnitude, toMagnitude));
  next = bits.select(bits.either(zeros, bits.equals(from, to)), to, next);
  Value result = arith::BitcastOp::create(e.b, e.type(), next);
  Value isNan =
      arith::CmpFOp::create(e.b, arith::CmpFPredicate::UNO, x[0], x[1]);
  return e.select(isNan, e.add(x[0], x[1]), result);
}

/// Clamps a shift distance to [0, width - 1]: a shift by more bits is poison in
/// LLVM.
Value distance(const ElementMath &e, Value y) {
  Value most = e.integer(e.width() - 1);
  if (e.isSigned())
    y = e.larger(y, e.integer(0));
  return e.smaller(y, most);
}

Value rightShift(const ElementMath &e, ValueRange x, Operation *) {
  Value by = distance(e, x[1]);
  return e.isSigned() ? e.call<arith::ShRSIOp>(x[0], by)
                      : e.call<arith::ShRUIOp>(x[0], by);
}

Value approximatelyEqual(const ElementMath &e, ValueRange x, Operation *op) {
  float tolerance =
      cast<ApproximateEqualOp>(op).getTolerance().convertToFloat();
  return e.lessEqual(e.abs(e.sub(x[0], x[1])), e.number(tolerance));
}

/// Lowers a bitcast. If the result's elements are wider than the input's,
/// several input elements make one result element; if they are narrower, each
/// input element yields several, which the last index distinguishes.
struct LowerBitcast : OpRewritePattern<BitcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BitcastOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value input = op.getInput();
    auto from = cast<RankedTensorType>(input.getType());
    auto type = cast<RankedTensorType>(op.getType());
    Type element = type.getElementType();
    unsigned fromBits = from.getElementTypeBitWidth();
    unsigned toBits = type.getElementTypeBitWidth();
    int64_t common = std::min(from.getRank(), type.getRank());
    Sizes sizes = sizesOf(rewriter, loc, input);
    sizes.resize(common);
    if (type.getRank() > common)
      sizes.push_back(rewriter.getIndexAttr(fromBits / toBits));
    AffineMap map = AffineMap::getMultiDimIdentityMap(type.getRank(),
                                                      rewriter.getContext());
    // The map of the first `common` dimensions. getMajorSubMap() would return a
    // null map for an input of rank 0.
    AffineMap inputMap = AffineMap::get(type.getRank(), /*symbolCount=*/0,
                                        map.getResults().take_front(common),
                                        rewriter.getContext());
    auto body = [&](ImplicitLocOpBuilder &b, ValueRange x) {
      Type bits = b.getIntegerType(toBits),
           inputBits = b.getIntegerType(fromBits);
      auto bitsOf = [&](Value value) -> Value {
        return arith::BitcastOp::create(b, inputBits, value);
      };
      Value result;
      if (fromBits == toBits) {
        result = bitsOf(x[0]);
      } else if (fromBits > toBits) {
        Value part = arith::IndexCastOp::create(
            b, inputBits, linalg::IndexOp::create(b, common));
        Value width =
            arith::ConstantOp::create(b, b.getIntegerAttr(inputBits, toBits));
        Value moved = arith::ShRUIOp::create(
            b, bitsOf(x[0]), arith::MulIOp::create(b, part, width));
        result = arith::TruncIOp::create(b, bits, moved);
      } else {
        SmallVector<Value> indices;
        for (int64_t dim = 0; dim < common; ++dim)
          indices.push_back(linalg::IndexOp::create(b, dim));
        indices.push_back(Value());
        for (unsigned part = 0; part < toBits / fromBits; ++part) {
          indices.back() = arith::ConstantIndexOp::create(b, part);
          Value wide = arith::ExtUIOp::create(
              b, bits, bitsOf(tensor::ExtractOp::create(b, input, indices)));
          Value by = arith::ConstantOp::create(
              b, b.getIntegerAttr(bits, part * fromBits));
          Value moved = arith::ShLIOp::create(b, wide, by);
          result = part ? arith::OrIOp::create(b, result, moved) : moved;
        }
      }
      return SmallVector<Value>{arith::BitcastOp::create(b, element, result)};
    };
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    if (fromBits >= toBits) {
      inputs.push_back(input);
      maps.push_back(inputMap);
    }
    maps.push_back(map);
    auto lowered = generic(rewriter, loc, inputs,
                           emptyTensor(rewriter, loc, sizes, element), maps,
                           SmallVector<bool>(type.getRank(), false), body);
    rewriter.replaceOp(op, lowered.getResults());
    return success();
  }
};

} // namespace

void ::ingot::lower::populatePointwisePatterns(RewritePatternSet &patterns) {
  addElementwise<OnesLikeOp>(patterns,
                             [](const ElementMath &e, ValueRange, Operation *) {
                               return e.integer(1);
                             });
  addElementwise<ReciprocalOp>(patterns, reciprocal);
  addElementwise<RsqrtOp>(patterns, function<math::RsqrtOp>);
  addElementwise<Expm1Op>(patterns, function<math::ExpM1Op>);
  addElementwise<Log1pOp>(patterns, function<math::Log1pOp>);
  addElementwise<SinOp>(patterns, function<math::SinOp>);
  addElementwise<CosOp>(patterns, function<math::CosOp>);
  addElementwise<TanOp>(patterns, function<math::TanOp>);
  addElementwise<AsinOp>(patterns, function<math::AsinOp>);
  addElementwise<AcosOp>(patterns, function<math::AcosOp>);
  addElementwise<AtanOp>(patterns, function<math::AtanOp>);
  addElementwise<SinhOp>(patterns, function<math::SinhOp>);
  addElementwise<CoshOp>(patterns, function<math::CoshOp>);
  addElementwise<AsinhOp>(patterns, function<math::AsinhOp>);
  addElementwise<AcoshOp>(patterns, function<math::AcoshOp>);
  addElementwise<AtanhOp>(patterns, function<math::AtanhOp>);
  addElementwise<ErfOp>(patterns, function<math::ErfOp>);
  addElementwise<ErfcOp>(patterns, function<math::ErfcOp>);
  addElementwise<FloorOp>(patterns, function<math::FloorOp>);
  addElementwise<CeilOp>(patterns, function<math::CeilOp>);
  addElementwise<RoundOp>(patterns, nearestInteger);
  addElementwise<InvertOp>(patterns,
                           [](const ElementMath &e, ValueRange x, Operation *) {
                             return e.call<arith::XOrIOp>(x[0], e.integer(-1));
                           });
  addElementwise<IsNanOp>(patterns,
                          [](const ElementMath &e, ValueRange x, Operation *) {
                            return e.differs(x[0], x[0]);
                          });
  addElementwise<IsInfOp>(patterns,
                          [](const ElementMath &e, ValueRange x, Operation *) {
                            return e.equals(e.abs(x[0]), e.number(INFINITY));
                          });
  addElementwise<IsFiniteOp>(
      patterns, [](const ElementMath &e, ValueRange x, Operation *) {
        return e.less(e.abs(x[0]), e.number(INFINITY));
      });
  addElementwise<PowOp>(patterns, power);
  addElementwise<TruncateDivOp>(patterns, truncateDiv);
  addElementwise<FloorDivOp>(patterns, floorDiv);
  addElementwise<TruncateModOp>(patterns, remainder);
  addElementwise<FloorModOp>(patterns, floorMod);
  addElementwise<Atan2Op>(patterns, binaryFunction<math::Atan2Op>);
  addElementwise<MulNoNanOp>(patterns, mulNoNan);
  addElementwise<XdivyOp>(patterns, xdivy);
  addElementwise<XlogyOp>(patterns, timesLog<math::LogOp>);
  addElementwise<Xlog1pyOp>(patterns, timesLog<math::Log1pOp>);
  addElementwise<NextAfterOp>(patterns, nextAfter);
  addElementwise<BitwiseAndOp>(patterns, binaryFunction<arith::AndIOp>);
  addElementwise<BitwiseOrOp>(patterns, binaryFunction<arith::OrIOp>);
  addElementwise<BitwiseXorOp>(patterns, binaryFunction<arith::XOrIOp>);
  addElementwise<LeftShiftOp>(
      patterns, [](const ElementMath &e, ValueRange x, Operation *) {
        return e.call<arith::ShLIOp>(x[0], distance(e, x[1]));
      });
  addElementwise<RightShiftOp>(patterns, rightShift);
  addElementwise<ApproximateEqualOp>(patterns, approximatelyEqual);
  patterns.add<LowerBitcast>(patterns.getContext());
}
