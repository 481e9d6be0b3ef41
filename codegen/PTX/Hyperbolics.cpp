//===- Hyperbolics.cpp - Hyperbolic functions of doubles ------------------===//

#include "codegen/PTX/Doubles.h"

#include <algorithm>

using namespace mlir;

namespace ingot::ptx {

/// e^|x| by halves, so that what is finite stays so: the root of it, and the
/// half of its inverse.
static std::pair<Value, Value> halvesOfExp(Doubles &d, Value size) {
  Value root = math::ExpOp::create(d.b, d.mul(size, d.number(0.5)));
  return {root, d.div(d.div(d.number(0.5), root), root)};
}

/// Near 0, where e^x - e^-x cancels, the first terms of its series.
Value hyperbolicSine(ImplicitLocOpBuilder &b, Value x) {
  Doubles d(b);
  llvm::SmallVector<double> factors; // 1 / (2 k + 1)!
  double factorial = 1;
  for (int k = 1; k <= 10; ++k) {
    factorial *= 2 * k * (2 * k + 1);
    factors.insert(factors.begin(), 1 / factorial);
  }
  Value square = d.mul(x, x);
  Value near = d.fma(d.mul(square, x), d.polynomial(square, factors), x);
  Value size = d.abs(x);
  auto [root, inverse] = halvesOfExp(d, size);
  Value far = d.sub(d.mul(d.mul(root, d.number(0.5)), root), inverse);
  return d.select(d.less(size, 1), near, d.copySign(far, x));
}

Value hyperbolicCosine(ImplicitLocOpBuilder &b, Value x) {
  Doubles d(b);
  auto [root, inverse] = halvesOfExp(d, d.abs(x));
  return d.add(d.mul(d.mul(root, d.number(0.5)), root), inverse);
}

/// Where squares would overflow: log(2 x).
static Value logOfDouble(Doubles &d, Value x) {
  return d.add(math::LogOp::create(d.b, x), d.number(0.69314718055994530942));
}

static constexpr double endOfSquares = 0x1p28;

/// log(x + sqrt(x^2 + 1)) = log(1 + x + x^2 / (1 + sqrt(x^2 + 1))).
Value areaSine(ImplicitLocOpBuilder &b, Value x) {
  Doubles d(b);
  Value size = d.abs(x), one = d.number(1), square = d.mul(size, size);
  Value rest = d.div(square, d.add(one, d.sqrt(d.add(square, one))));
  Value near = math::Log1pOp::create(b, d.add(size, rest));
  Value result =
      d.select(d.more(size, endOfSquares), logOfDouble(d, size), near);
  return d.copySign(result, x);
}

/// With t = x - 1: log(1 + t + sqrt(2 t + t^2)); below 1 there is no root.
Value areaCosine(ImplicitLocOpBuilder &b, Value x) {
  Doubles d(b);
  Value t = d.sub(x, d.number(1));
  Value root = d.sqrt(d.mul(t, d.add(t, d.number(2))));
  Value near = math::Log1pOp::create(b, d.add(t, root));
  Value result = d.select(d.more(x, endOfSquares), logOfDouble(d, x), near);
  return d.select(d.is(arith::CmpFPredicate::OGE, x, 1), result, d.none());
}

/// log((1 + x) / (1 - x)) / 2.
Value areaTangent(ImplicitLocOpBuilder &b, Value x) {
  Doubles d(b);
  Value size = d.abs(x);
  Value ratio = d.div(d.add(size, size), d.sub(d.number(1), size));
  Value result = d.mul(d.number(0.5), math::Log1pOp::create(b, ratio));
  result = d.select(d.is(arith::CmpFPredicate::OLE, size, 1), result, d.none());
  return d.copySign(result, x);
}

} // namespace ingot::ptx
