//===- Trigonometry.cpp - Sines, cosines and angles of doubles ------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Sines and cosines are polynomials on [-pi/4, pi/4], with the coefficients of
// fdlibm's k_sin.c and k_cos.c; arc functions have the coefficients of s_atan.c
// and e_asin.c. The argument of a sine is reduced to that interval without
// losing digits to cancellation: a small number with pi/2 in three parts (Cody
// and Waite), a large one with as many digits of 2/pi as its exponent needs
// (Payne and Hanek 1983).
//
//===----------------------------------------------------------------------===//

#include "codegen/Math/F64ArithmeticBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ingot::mathlib {

/// pi / 2 as the sum of three doubles. The second one is the rounding error of
/// the first. The third one is the rounding error of the sum of the first two.
static constexpr double halfOfPi[] = {1.5707963267948966, 6.123233995736766e-17,
                                      -1.4973849048591833e-33};

/// The binary digits of 2 / pi after the point, in words of 64 bits. A word of
/// zeros precedes them, for the digits before the point.
static constexpr uint64_t twoByPi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
    0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

namespace {

/// Builds arithmetic on 64-bit integers, or on vectors of these.
struct Int64Arithmetic {
  Value number(uint64_t value) { return d.bits(static_cast<int64_t>(value)); }
  Value add(Value x, Value y) { return arith::AddIOp::create(d.b, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(d.b, x, y); }
  Value both(Value x, Value y) { return arith::AndIOp::create(d.b, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(d.b, x, y); }
  Value left(Value x, Value by) { return arith::ShLIOp::create(d.b, x, by); }
  Value right(Value x, Value by) { return arith::ShRUIOp::create(d.b, x, by); }
  Value below(Value x, Value y) {
    return arith::CmpIOp::create(d.b, arith::CmpIPredicate::ult, x, y);
  }
  Value equal(Value x, uint64_t y) {
    return arith::CmpIOp::create(d.b, arith::CmpIPredicate::eq, x, number(y));
  }
  Value isOdd(Value x) { return equal(both(x, number(1)), 1); }

  F64ArithmeticBuilder &d;
};

/// A number as `quadrant` times pi / 2, plus a remainder r with |r| <= pi / 4.
/// The remainder is the sum of two doubles, `rest` and `low`.
struct ReducedAngle {
  static ReducedAngle of(ValueRange parts) {
    return {parts[0], parts[1], parts[2]};
  }
  SmallVector<Value> parts() const { return {quadrant, rest, low}; }
  SmallVector<Type> types() const {
    return {quadrant.getType(), rest.getType(), low.getType()};
  }

  Value quadrant, rest, low;
};

} // namespace

/// Returns word `index` of `twoByPi`, by a chain of selects.
static Value wordOf(Int64Arithmetic &w, Value index) {
  Value word = w.number(twoByPi[0]);
  for (uint64_t i = 1; i < std::size(twoByPi); ++i)
    word = w.d.select(w.equal(index, i), w.number(twoByPi[i]), word);
  return word;
}

/// Reduces a number below 2^23 by Cody and Waite's scheme. It subtracts n pi /
/// 2 in three parts; n is so small that no significant error remains.
static ReducedAngle reduceSmall(F64ArithmeticBuilder &d, Value size) {
  Value n = math::RoundEvenOp::create(
      d.b, d.mul(size, d.number(0.63661977236758134308)));
  Value minus = d.neg(n);
  Value r = d.exact(minus, d.number(halfOfPi[0]), size);
  Value part = d.mul(n, d.number(halfOfPi[1]));
  Value lost = d.exact(n, d.number(halfOfPi[1]), d.neg(part));
  Value rest = d.sub(r, part);
  Value low = d.sub(d.sub(d.sub(r, rest), part), lost);
  low = d.fma(minus, d.number(halfOfPi[2]), low);
  return {d.toSmallInteger(n), rest, low};
}

/// Reduces a large number by Payne and Hanek's scheme. Let size = m 2^e with an
/// integer m. In the product size * 2/pi, multiples of 4 are whole turns and
/// can be dropped. So the product needs only the binary digits of 2/pi whose
/// values are at most 2^(1 - e), and the first 192 of these are enough.
static ReducedAngle reduceLarge(F64ArithmeticBuilder &d, Value size) {
  Int64Arithmetic w{d};
  Value bits = d.asBits(size), word = w.number(64);
  Value m = w.either(w.both(bits, w.number((uint64_t(1) << 52) - 1)),
                     w.number(uint64_t(1) << 52));
  Value first = w.sub(w.right(bits, w.number(52)), w.number(1075 - 62));
  Value index = w.right(first, w.number(6));
  Value shift = w.both(first, w.number(63));
  // If `shift` is 0, a shift by 64 - `shift` bits would be undefined. It is
  // replaced by a shift by 0, whose result is not selected.
  Value back = w.both(w.sub(word, shift), w.number(63));
  Value isWhole = w.equal(shift, 0);
  Value digits[3], next = wordOf(w, index);
  for (uint64_t i = 0; i < 3; ++i) {
    Value here = next;
    next = wordOf(w, w.add(index, w.number(i + 1)));
    digits[i] = w.either(w.left(here, shift),
                         d.select(isWhole, w.number(0), w.right(next, back)));
  }
  auto low = arith::MulUIExtendedOp::create(d.b, m, digits[2]);
  auto middle = arith::MulUIExtendedOp::create(d.b, m, digits[1]);
  Value second = w.add(middle.getLow(), low.getHigh());
  Value carry =
      arith::ExtUIOp::create(d.b, d.i64, w.below(second, middle.getLow()));
  Value top = w.add(
      w.add(arith::MulIOp::create(d.b, m, digits[0]), middle.getHigh()), carry);
  // The two highest bits of the product, which are before its binary point, are
  // the quadrant. A fraction of 1/2 or more becomes negative, at least -1/2,
  // and the quadrant is then rounded up.
  Value two = w.number(2), rest = w.number(62);
  Value fraction = w.either(w.left(top, two), w.right(second, rest));
  Value below = w.either(w.left(second, two), w.right(low.getLow(), rest));
  Value quadrant = w.add(w.right(top, rest), w.right(fraction, w.number(63)));
  // The first bits of the fraction are converted exactly to one double, and the
  // bits after these to a second double, which rounds.
  Value tail = w.both(fraction, w.number(1023));
  Value high = d.fromInteger(w.sub(fraction, tail));
  Value others = d.fma(arith::UIToFPOp::create(d.b, d.f64, below),
                       d.number(0x1p-64), d.fromInteger(tail));
  Value sum = d.add(high, others);
  Value lost = d.sub(others, d.sub(sum, high));
  sum = d.mul(sum, d.number(0x1p-64));
  lost = d.mul(lost, d.number(0x1p-64));
  Value product = d.mul(sum, d.number(halfOfPi[0]));
  Value error = d.exact(sum, d.number(halfOfPi[0]), d.neg(product));
  error = d.fma(sum, d.number(halfOfPi[1]), error);
  return {quadrant, product, d.fma(lost, d.number(halfOfPi[0]), error)};
}

/// Returns `reduced`, but with the results of reduceLarge in the lanes that
/// have large numbers. These lanes are computed one after the other, because
/// large numbers are too rare to be worth vector code.
static ReducedAngle withLargeLanes(F64ArithmeticBuilder &d, Value size,
                                   Value isLarge, const ReducedAngle &reduced) {
  ImplicitLocOpBuilder &b = d.b;
  auto type = cast<VectorType>(size.getType());
  auto at = [&](int64_t i) { return arith::ConstantIndexOp::create(b, i); };
  auto lanes = scf::ForOp::create(
      b, at(0), at(type.getNumElements()), at(1),
      ValueRange{reduced.quadrant, reduced.rest, reduced.low});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(lanes.getBody());
  OpFoldResult lane = lanes.getInductionVar();
  auto element = [&](Value vector) -> Value {
    return vector::ExtractOp::create(b, vector, lane);
  };
  auto isHere = scf::IfOp::create(b, reduced.types(), element(isLarge),
                                  /*withElseRegion=*/true);
  ValueRange before = lanes.getRegionIterArgs();
  b.setInsertionPointToStart(isHere.thenBlock());
  F64ArithmeticBuilder single(b, b.getF64Type(), d.useFMA);
  SmallVector<Value> inserted;
  for (auto [part, vector] :
       llvm::zip(reduceLarge(single, element(size)).parts(), before))
    inserted.push_back(vector::InsertOp::create(b, part, vector, lane));
  scf::YieldOp::create(b, inserted);
  b.setInsertionPointToStart(isHere.elseBlock());
  scf::YieldOp::create(b, before);
  b.setInsertionPointToEnd(lanes.getBody());
  scf::YieldOp::create(b, isHere.getResults());
  return ReducedAngle::of(lanes.getResults());
}

/// Reduces a number that is not negative. The code for large numbers is in a
/// branch that is taken only if a lane has a large number.
static ReducedAngle reduce(F64ArithmeticBuilder &d, Value size) {
  Value isLarge = d.is(arith::CmpFPredicate::OGE, size, 0x1p23),
        isAny = isLarge;
  ReducedAngle small = reduceSmall(d, size);
  bool onVectors = isa<VectorType>(size.getType());
  if (onVectors)
    isAny =
        vector::ReductionOp::create(d.b, vector::CombiningKind::OR, isLarge);
  auto either = scf::IfOp::create(d.b, small.types(), isAny,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(d.b);
  d.b.setInsertionPointToStart(either.thenBlock());
  ReducedAngle large = onVectors ? withLargeLanes(d, size, isLarge, small)
                                 : reduceLarge(d, size);
  scf::YieldOp::create(d.b, large.parts());
  d.b.setInsertionPointToStart(either.elseBlock());
  scf::YieldOp::create(d.b, small.parts());
  return ReducedAngle::of(either.getResults());
}

namespace {
/// A double-double: the exact sum of two doubles, `high` and a much smaller
/// `low`. The sum is never rounded to one double.
struct DoubleDouble {
  Value high, low;
};
} // namespace

/// Returns the sine of a reduced angle, sin(x.rest + x.low), by the formula of
/// fdlibm's k_sin.c, and the rounding error of this sine.
static DoubleDouble sineOfRest(F64ArithmeticBuilder &d, const ReducedAngle &x) {
  Value z = d.mul(x.rest, x.rest), v = d.mul(z, x.rest);
  Value r =
      d.polynomial(z, {1.58969099521155010221e-10, -2.50507602534068634195e-08,
                       2.75573137070700676789e-06, -1.98412698298579493134e-04,
                       8.33333333332248946124e-03});
  Value half = d.mul(d.number(0.5), x.low);
  Value inner = d.sub(d.mul(z, d.sub(half, d.mul(v, r))), x.low);
  Value less = d.fma(v, d.number(1.66666666666666324348e-01), inner);
  Value high = d.sub(x.rest, less);
  return {high, d.sub(d.sub(x.rest, high), less)};
}

/// Returns the cosine of a reduced angle, cos(x.rest + x.low), by the formula
/// of fdlibm's k_cos.c, and the rounding error of this cosine.
static DoubleDouble cosineOfRest(F64ArithmeticBuilder &d,
                                 const ReducedAngle &x) {
  Value z = d.mul(x.rest, x.rest);
  Value r = d.mul(
      z, d.polynomial(
             z, {-1.13596475577881948265e-11, 2.08757232129817482790e-09,
                 -2.75573143513906633035e-07, 2.48015872894767294178e-05,
                 -1.38888888888741095749e-03, 4.16666666666666019037e-02}));
  Value half = d.mul(d.number(0.5), z), one = d.number(1);
  Value w = d.sub(one, half);
  Value lost = d.sub(d.sub(one, w), half);
  Value more = d.add(lost, d.sub(d.mul(z, r), d.mul(x.rest, x.low)));
  Value high = d.add(w, more);
  return {high, d.add(d.sub(w, high), more)};
}

/// Returns sin(x + quarters * pi / 2), so that quarters = 1 makes it the cosine
/// of x. Returns NaN if x is infinite.
static Value shiftedSine(F64ArithmeticBuilder &d, Value x, int64_t quarters) {
  Int64Arithmetic w{d};
  Value size = d.abs(x);
  ReducedAngle reduced = reduce(d, size);
  Value quadrant = w.add(reduced.quadrant, d.bits(quarters));
  Value result = d.select(w.isOdd(quadrant), cosineOfRest(d, reduced).high,
                          sineOfRest(d, reduced).high);
  result =
      d.select(w.isOdd(w.right(quadrant, w.number(1))), d.neg(result), result);
  if (quarters == 0) // sine is an odd function, cosine an even one
    result = d.select(w.equal(w.right(d.asBits(x), w.number(63)), 1),
                      d.neg(result), result);
  Value isFinite = d.less(size, std::numeric_limits<double>::infinity());
  return d.select(isFinite, result, d.none());
}

Value sine(F64ArithmeticBuilder &d, Value x) { return shiftedSine(d, x, 0); }
Value cosine(F64ArithmeticBuilder &d, Value x) { return shiftedSine(d, x, 1); }

/// Returns tan(x) as the quotient of the sine and the cosine of the rest r,
/// both with their rounding errors. In odd quadrants, tan(x) = tan(r + pi/2) =
/// -cos(r) / sin(r).
Value tangent(F64ArithmeticBuilder &d, Value x) {
  Int64Arithmetic w{d};
  Value size = d.abs(x);
  ReducedAngle reduced = reduce(d, size);
  DoubleDouble s = sineOfRest(d, reduced), c = cosineOfRest(d, reduced);
  Value isOdd = w.isOdd(reduced.quadrant);
  Value result = d.quotient(d.select(isOdd, d.neg(c.high), s.high),
                            d.select(isOdd, d.neg(c.low), s.low),
                            d.select(isOdd, s.high, c.high),
                            d.select(isOdd, s.low, c.low));
  result = d.select(w.equal(w.right(d.asBits(x), w.number(63)), 1),
                    d.neg(result), result);
  Value isFinite = d.less(size, std::numeric_limits<double>::infinity());
  return d.select(isFinite, result, d.none());
}

/// Returns atan(x) for x >= 0 as atan(c) + atan((x - c) / (1 + c x)). c is 0,
/// 1/2, 1, 3/2 or infinity; the table `pieces` says for which x. The quotient
/// is so small that one polynomial computes its arc tangent for every c.
static Value arcTangentOfSize(F64ArithmeticBuilder &d, Value x) {
  struct ArcTangentInterval {
    /// `from` is the smallest x of the interval. `near` is c in the identity
    /// atan(x) = atan(c) + atan((x - c) / (1 + c x)); a `near` of 0 stands for
    /// an infinite c. The sum of `high` and `low` is atan(c).
    double from, near, high, low;
  };
  constexpr ArcTangentInterval pieces[] = {
      {0.4375, 0.5, 4.63647609000806093515e-01, 2.26987774529616870924e-17},
      {0.6875, 1, 7.85398163397448278999e-01, 3.06161699786838301793e-17},
      {1.1875, 1.5, 9.82793723247329054082e-01, 1.39033110312309984516e-17},
      {2.4375, 0, 1.57079632679489655800e+00, 6.12323399573676603587e-17}};
  Value one = d.number(1), zero = d.number(0);
  Value upper = x, lower = one, high = zero, low = zero;
  for (const ArcTangentInterval &piece : pieces) {
    Value isHere = d.is(arith::CmpFPredicate::OGE, x, piece.from);
    Value c = d.number(piece.near);
    upper = d.select(isHere, piece.near ? d.sub(x, c) : d.number(-1), upper);
    lower = d.select(isHere, piece.near ? d.fma(c, x, one) : x, lower);
    high = d.select(isHere, d.number(piece.high), high);
    low = d.select(isHere, d.number(piece.low), low);
  }
  Value y = d.div(upper, lower);
  Value z = d.mul(y, y);
  Value rest = d.mul(
      d.mul(y, z),
      d.polynomial(z, {1.62858201153657823623e-02, -3.65315727442169155270e-02,
                       4.97687799461593236017e-02, -5.83357013379057348645e-02,
                       6.66107313738753120669e-02, -7.69187620504482999495e-02,
                       9.09088713343650656196e-02, -1.11111104054623557880e-01,
                       1.42857142725034663711e-01, -1.99999999998764832476e-01,
                       3.33333333333329318027e-01}));
  return d.sub(high, d.sub(d.sub(rest, low), y));
}

Value arcTangent(F64ArithmeticBuilder &d, Value x) {
  return d.copySign(arcTangentOfSize(d, d.abs(x)), x);
}

/// Returns the angle of the point (x, y). First computes the arc tangent of the
/// smaller coordinate over the larger one, both without signs: an angle in [0,
/// pi/4]. Reflections at the diagonal and at the y axis, and the sign of y,
/// turn it into the angle of (x, y).
Value arcTangent2(F64ArithmeticBuilder &d, Value y, Value x) {
  Int64Arithmetic w{d};
  Value ax = d.abs(x), ay = d.abs(y);
  Value isSteep = d.is(arith::CmpFPredicate::OGT, ay, ax);
  Value less = d.select(isSteep, ax, ay), more = d.select(isSteep, ay, ax);
  // As in C's atan2, 0 / 0 counts as 0, and infinity / infinity as 1.
  Value ratio = d.div(less, more);
  ratio =
      d.select(d.is(arith::CmpFPredicate::OEQ, less, more), d.number(1), ratio);
  ratio = d.select(d.is(arith::CmpFPredicate::OEQ, less, 0), less, ratio);
  Value angle = arcTangentOfSize(d, ratio);
  angle = d.select(
      isSteep,
      d.sub(d.number(halfOfPi[0]), d.sub(angle, d.number(halfOfPi[1]))), angle);
  Value isNegative = w.equal(w.right(d.asBits(x), w.number(63)), 1);
  angle = d.select(
      isNegative,
      d.sub(d.number(2 * halfOfPi[0]), d.sub(angle, d.number(2 * halfOfPi[1]))),
      angle);
  Value isNone = d.is(arith::CmpFPredicate::UNO, x, y);
  return d.select(isNone, d.add(x, y), d.copySign(angle, y));
}

/// Returns R(s^2) of the formula asin(s) = s + s R(s^2), for s up to 1/2 and
/// `square` = s^2. R is a quotient of polynomials with the coefficients of
/// fdlibm's e_asin.c.
static Value asinRest(F64ArithmeticBuilder &d, Value square) {
  Value upper = d.mul(
      square,
      d.polynomial(square,
                   {3.47933107596021167570e-05, 7.91534994289814532176e-04,
                    -4.00555345006794114027e-02, 2.01212532134862925881e-01,
                    -3.25565818622400915405e-01, 1.66666666666666657415e-01}));
  Value lower = d.polynomial(
      square, {7.70381505559019352791e-02, -6.88283971605453293030e-01,
               2.02094576023350569471e+00, -2.40339491173441421878e+00, 1});
  return d.div(upper, lower);
}

namespace {
/// An arc sine as the sum of two parts, `whole` and `rest`. For |x| up to 1/2
/// (`isNear`), the sum is asin(|x|). For larger |x| it is asin(sqrt((1 - |x|) /
/// 2)), which is acos(|x|) / 2. For |x| above 1 the root is NaN.
struct ArcSine {
  Value isNear, whole, rest;
};
} // namespace

/// Computes the ArcSine of x. Both of its formulas use the same polynomial, so
/// the polynomial's argument is selected, and the polynomial evaluated once.
static ArcSine arcOf(F64ArithmeticBuilder &d, Value x) {
  Value size = d.abs(x), half = d.number(0.5);
  Value isNear = d.less(size, 0.5);
  Value square =
      d.select(isNear, d.mul(x, x), d.mul(half, d.sub(d.number(1), size)));
  Value root = d.sqrt(square);
  Value whole = d.select(isNear, size, root);
  // `lost` is the rounding error of the square root. At |x| = 1 the root is 0,
  // so the error must not be divided by the root.
  Value lost = d.div(d.exact(d.neg(root), root, square), d.add(root, root));
  Value isZero = d.is(arith::CmpFPredicate::OEQ, root, 0);
  lost = d.select(arith::OrIOp::create(d.b, isNear, isZero), d.number(0), lost);
  return {isNear, whole, d.fma(whole, asinRest(d, square), lost)};
}

/// Returns asin(x). For |x| above 1/2, asin(|x|) = pi/2 - 2 (whole + rest).
Value arcSine(F64ArithmeticBuilder &d, Value x) {
  ArcSine arc = arcOf(d, x);
  Value twice = d.add(arc.whole, arc.whole), rest = d.add(arc.rest, arc.rest);
  Value far = d.sub(d.number(halfOfPi[0]),
                    d.add(twice, d.sub(rest, d.number(halfOfPi[1]))));
  Value result = d.select(arc.isNear, d.add(arc.whole, arc.rest), far);
  return d.copySign(result, x);
}

Value arcCosine(F64ArithmeticBuilder &d, Value x) {
  ArcSine arc = arcOf(d, x);
  Value isNegative = d.less(x, 0), low = d.number(halfOfPi[1]);
  // acos(x) = pi/2 - asin(x), where asin(x) has the sign of x.
  Value signedWhole = d.copySign(arc.whole, x);
  Value signedRest = d.select(isNegative, d.neg(arc.rest), arc.rest);
  Value near =
      d.sub(d.number(halfOfPi[0]), d.sub(signedWhole, d.sub(low, signedRest)));
  Value half = d.add(arc.whole, arc.rest);
  Value negative =
      d.sub(d.number(halfOfPi[0]), d.add(arc.whole, d.sub(arc.rest, low)));
  Value far = d.select(isNegative, negative, half);
  return d.select(arc.isNear, near, d.add(far, far));
}

} // namespace ingot::mathlib
