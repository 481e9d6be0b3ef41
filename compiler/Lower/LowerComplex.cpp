//===- LowerComplex.cpp - Parts of complex numbers ------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// A complex number is stored as an integer, with the bits of the real part in
// its low half. On a little-endian machine these are the bytes of C's and
// NumPy's complex numbers.
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/ElementMath.h"

#include "dialects/Ingot/IR/ComplexOps.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

/// Returns the low half (the real part) or the high half (the imaginary part)
/// of an integer that stores a complex number, as a float.
static Value half(ImplicitLocOpBuilder &b, Value number, bool isHigh) {
  FloatType part = getPartType(number.getType());
  if (isHigh) {
    Value distance = arith::ConstantOp::create(
        b, b.getIntegerAttr(number.getType(), part.getWidth()));
    number = arith::ShRUIOp::create(b, number, distance);
  }
  Value bits =
      arith::TruncIOp::create(b, b.getIntegerType(part.getWidth()), number);
  return arith::BitcastOp::create(b, part, bits);
}

static Value real(const ElementMath &e, ValueRange x, Operation *) {
  return half(e.b, x[0], /*isHigh=*/false);
}

static Value imag(const ElementMath &e, ValueRange x, Operation *) {
  return half(e.b, x[0], /*isHigh=*/true);
}

static Value complex(const ElementMath &e, ValueRange x, Operation *) {
  ImplicitLocOpBuilder &b = e.b;
  unsigned width = x[0].getType().getIntOrFloatBitWidth();
  Type stored = b.getIntegerType(2 * width);
  auto widen = [&](Value part) -> Value {
    return arith::ExtUIOp::create(
        b, stored, arith::BitcastOp::create(b, b.getIntegerType(width), part));
  };
  Value distance =
      arith::ConstantOp::create(b, b.getIntegerAttr(stored, width));
  Value high = arith::ShLIOp::create(b, widen(x[1]), distance);
  return arith::OrIOp::create(b, widen(x[0]), high);
}

void ::ingot::lower::populateComplexPatterns(RewritePatternSet &patterns) {
  addUnconverted(patterns, RealOp::getOperationName(), real);
  addUnconverted(patterns, ImagOp::getOperationName(), imag);
  addUnconverted(patterns, ComplexOp::getOperationName(), complex);
}
