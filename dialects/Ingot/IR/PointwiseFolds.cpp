//===- PointwiseFolds.cpp - Folders of divisions and powers ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/Folding.h"
#include "dialects/Ingot/IR/PointwiseOps.h"

using namespace mlir;
using namespace mlir::ingot;

OpFoldResult OnesLikeOp::fold(FoldAdaptor) {
  RankedTensorType type = getFoldableType(getType());
  if (!type)
    return nullptr;
  Type element = type.getElementType();
  if (auto kind = dyn_cast<FloatType>(element))
    return makeConstant(type, APFloat::getOne(kind.getFloatSemantics()));
  if (auto complex = dyn_cast<ComplexType>(element)) {
    const llvm::fltSemantics &kind =
        cast<FloatType>(complex.getElementType()).getFloatSemantics();
    return DenseElementsAttr::get(
        type,
        std::complex<APFloat>(APFloat::getOne(kind), APFloat::getZero(kind)));
  }
  return makeConstant(type, APInt(element.getIntOrFloatBitWidth(), 1));
}

namespace {
/// A division of integers, which are signed or unsigned according to the
/// element type.
using Division = APInt (*)(const APInt &, const APInt &, bool isSigned);
} // namespace

template <typename OpT, typename AdaptorT>
static OpFoldResult foldDivision(OpT op, AdaptorT adaptor, Division divide) {
  bool isSigned = !isUnsigned(getElementTypeOrSelf(op.getLhs()));
  return foldBinary(adaptor.getLhs(), adaptor.getRhs(), op.getType(), nullptr,
                    [=](const APInt &a, const APInt &b) {
                      return b.isZero() ? b : divide(a, b, isSigned);
                    });
}

static APInt remainder(const APInt &a, const APInt &b, bool isSigned) {
  return isSigned ? a.srem(b) : a.urem(b);
}

/// Whether truncation towards zero rounds the quotient up, that is, the
/// quotient is negative and not an integer.
static bool roundsUp(const APInt &a, const APInt &b, bool isSigned) {
  return isSigned && a.isNegative() != b.isNegative() && !a.srem(b).isZero();
}

OpFoldResult TruncateDivOp::fold(FoldAdaptor adaptor) {
  return foldDivision(*this, adaptor,
                      [](const APInt &a, const APInt &b, bool isSigned) {
                        return isSigned ? a.sdiv(b) : a.udiv(b);
                      });
}

OpFoldResult FloorDivOp::fold(FoldAdaptor adaptor) {
  return foldDivision(
      *this, adaptor, [](const APInt &a, const APInt &b, bool isSigned) {
        APInt quotient = isSigned ? a.sdiv(b) : a.udiv(b);
        return roundsUp(a, b, isSigned) ? quotient - 1 : quotient;
      });
}

OpFoldResult TruncateModOp::fold(FoldAdaptor adaptor) {
  return foldDivision(*this, adaptor, remainder);
}

OpFoldResult FloorModOp::fold(FoldAdaptor adaptor) {
  return foldDivision(*this, adaptor,
                      [](const APInt &a, const APInt &b, bool isSigned) {
                        APInt rest = remainder(a, b, isSigned);
                        return roundsUp(a, b, isSigned) ? rest + b : rest;
                      });
}

OpFoldResult PowOp::fold(FoldAdaptor adaptor) {
  auto powers = dyn_cast_if_present<DenseIntElementsAttr>(adaptor.getRhs());
  if (!powers)
    return nullptr;
  // A negative power of an integer is an error, which is reported at run time,
  // so do not fold it.
  bool isSigned = !isUnsigned(powers.getElementType());
  auto isNegative = [=](const APInt &x) { return isSigned && x.isNegative(); };
  if (powers.isSplat() ? isNegative(powers.getSplatValue<APInt>())
                       : llvm::any_of(powers.getValues<APInt>(), isNegative))
    return nullptr;
  return foldBinary(adaptor.getLhs(), adaptor.getRhs(), getType(), nullptr,
                    [](APInt base, APInt power) {
                      APInt result(base.getBitWidth(), 1);
                      for (; !power.isZero(); power.lshrInPlace(1)) {
                        if (power[0])
                          result *= base;
                        base *= base;
                      }
                      return result;
                    });
}
