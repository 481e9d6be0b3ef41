//===- ComparisonFolds.cpp - Folders of comparisons, selection and casts --===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/Folding.h"

#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/MathOps.h"

#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace mlir::ingot;

// Folds a comparison of constants. `holds` returns the result for two elements.
// Its argument states their order: a negative number if the first one is less,
// 0 if they are equal, a positive number if it is greater. A comparison with a
// NaN is false, except for `not_equal`. Strings are only compared for equality,
// as in TensorFlow.
template <typename OpT, typename AdaptorT>
static OpFoldResult foldOrder(OpT op, AdaptorT adaptor,
                              llvm::function_ref<bool(int)> holds,
                              bool withNaN = false, bool ofStrings = false) {
  bool hasSign = !isUnsigned(getElementTypeOrSelf(op.getLhs()));
  auto onFloat = [&](const APFloat &a, const APFloat &b) {
    APFloat::cmpResult order = a.compare(b);
    if (order == APFloat::cmpUnordered)
      return withNaN;
    return holds(order == APFloat::cmpLessThan ? -1
                 : order == APFloat::cmpEqual  ? 0
                                               : 1);
  };
  auto onInt = [&](const APInt &a, const APInt &b) {
    if (a == b)
      return holds(0);
    return holds((hasSign ? a.slt(b) : a.ult(b)) ? -1 : 1);
  };
  auto onString = [&](const StringRef &a, const StringRef &b) {
    return holds(a.compare(b));
  };
  CompareString strings;
  if (ofStrings)
    strings = onString;
  return foldCompare(adaptor.getLhs(), adaptor.getRhs(), op.getType(), onFloat,
                     onInt, strings);
}

OpFoldResult EqualOp::fold(FoldAdaptor adaptor) {
  return foldOrder(
      *this, adaptor, [](int order) { return order == 0; },
      /*withNaN=*/false, /*ofStrings=*/true);
}
OpFoldResult NotEqualOp::fold(FoldAdaptor adaptor) {
  return foldOrder(
      *this, adaptor, [](int order) { return order != 0; },
      /*withNaN=*/true, /*ofStrings=*/true);
}
OpFoldResult LessOp::fold(FoldAdaptor adaptor) {
  return foldOrder(*this, adaptor, [](int order) { return order < 0; });
}
OpFoldResult LessEqualOp::fold(FoldAdaptor adaptor) {
  return foldOrder(*this, adaptor, [](int order) { return order <= 0; });
}
OpFoldResult GreaterOp::fold(FoldAdaptor adaptor) {
  return foldOrder(*this, adaptor, [](int order) { return order > 0; });
}
OpFoldResult GreaterEqualOp::fold(FoldAdaptor adaptor) {
  return foldOrder(*this, adaptor, [](int order) { return order >= 0; });
}

// Returns the constant that a select of two constants results in: each element
// is taken from one of them, according to `condition`.
template <typename T>
static Attribute
selectElements(DenseElementsAttr condition, DenseElementsAttr thenValue,
               DenseElementsAttr elseValue, RankedTensorType type) {
  auto conditions = condition.getValues<bool>();
  auto thens = thenValue.getValues<T>(), elses = elseValue.getValues<T>();
  auto indicesOf = [&](DenseElementsAttr value) {
    return getBroadcastIndices(value.getType().getShape(), type.getShape());
  };
  SmallVector<T> result;
  if (type.getNumElements() > 0)
    for (auto [c, t, e] : llvm::zip_equal(
             indicesOf(condition), indicesOf(thenValue), indicesOf(elseValue)))
      result.push_back(conditions[c] ? thens[t] : elses[e]);
  return makeConstant(type, result);
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  auto condition = dyn_cast_or_null<DenseElementsAttr>(adaptor.getCondition());
  RankedTensorType type = getFoldableType(getType());
  if (!condition)
    return nullptr;
  if (condition.isSplat() && !condition.empty()) {
    bool which = condition.getSplatValue<bool>();
    Value chosen = which ? getThenValue() : getElseValue();
    // The select folds to the chosen value only if this value already has the
    // result's shape, that is, if broadcasting it against the condition and the
    // other value does not enlarge it.
    if (broadcastsInto(getCondition().getType(), chosen.getType(), getType()) &&
        broadcastsInto((which ? getElseValue() : getThenValue()).getType(),
                       chosen.getType(), getType()))
      return chosen;
    auto value = dyn_cast_or_null<DenseElementsAttr>(
        which ? adaptor.getThenValue() : adaptor.getElseValue());
    if (!value || !type)
      return nullptr;
    return gather(value, type, [&] {
      return getBroadcastIndices(value.getType().getShape(), type.getShape());
    });
  }
  auto thens = dyn_cast_or_null<DenseElementsAttr>(adaptor.getThenValue());
  auto elses = dyn_cast_or_null<DenseElementsAttr>(adaptor.getElseValue());
  if (!thens || !elses || !type || type.getNumElements() > kMaxFoldedElements)
    return nullptr;
  if (isa<DenseStringElementsAttr>(thens))
    return selectElements<StringRef>(condition, thens, elses, type);
  if (isa<FloatType>(type.getElementType()))
    return selectElements<APFloat>(condition, thens, elses, type);
  if (!type.getElementType().isInteger())
    return nullptr;
  return selectElements<APInt>(condition, thens, elses, type);
}

// The following functions convert a number to another element type. They return
// std::nullopt if the type cannot represent the number, because TensorFlow does
// not define the result of such a cast.
static std::optional<APFloat> toFloat(const APFloat &x, FloatType type) {
  bool losesInfo;
  APFloat result = x;
  result.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return result;
}
static std::optional<APFloat> toFloat(const APInt &x, FloatType type,
                                      bool isSigned) {
  APFloat result(type.getFloatSemantics());
  result.convertFromAPInt(x, isSigned, APFloat::rmNearestTiesToEven);
  return result;
}
static std::optional<APInt> toInt(const APFloat &x, IntegerType type) {
  if (type.isInteger(1))
    return APInt(1, !x.isZero());
  llvm::APSInt result(type.getWidth(), isUnsigned(type));
  bool isExact;
  if (x.convertToInteger(result, APFloat::rmTowardZero, &isExact) ==
      APFloat::opInvalidOp)
    return std::nullopt;
  return result;
}
static std::optional<APInt> toInt(const APInt &x, IntegerType type,
                                  bool isSigned) {
  if (type.isInteger(1))
    return APInt(1, !x.isZero());
  return isSigned ? x.sextOrTrunc(type.getWidth())
                  : x.zextOrTrunc(type.getWidth());
}

template <typename To, typename From, typename Fn>
static Attribute convertElements(DenseElementsAttr input, RankedTensorType type,
                                 Fn convert) {
  SmallVector<To> result;
  if (type.getNumElements() > 0) {
    if (!input.isSplat() && type.getNumElements() > kMaxFoldedElements)
      return nullptr;
    for (const From &element : input.getValues<From>()) {
      std::optional<To> converted = convert(element);
      if (!converted)
        return nullptr;
      result.push_back(*converted);
      if (input.isSplat())
        break;
    }
  }
  return makeConstant(type, result);
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  auto input = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  RankedTensorType type = getFoldableType(getType());
  if (!input || !type)
    return nullptr;
  Type from = input.getElementType();
  if (isa<ComplexType>(from) || isa<ComplexType>(type.getElementType()))
    return nullptr;
  bool isSigned = !isUnsigned(from);
  auto toFloats = dyn_cast<FloatType>(type.getElementType());
  auto toInts = dyn_cast<IntegerType>(type.getElementType());
  if (isa<FloatType>(from)) {
    if (toFloats)
      return convertElements<APFloat, APFloat>(
          input, type, [&](const APFloat &x) { return toFloat(x, toFloats); });
    return convertElements<APInt, APFloat>(
        input, type, [&](const APFloat &x) { return toInt(x, toInts); });
  }
  if (toFloats)
    return convertElements<APFloat, APInt>(input, type, [&](const APInt &x) {
      return toFloat(x, toFloats, isSigned);
    });
  return convertElements<APInt, APInt>(
      input, type, [&](const APInt &x) { return toInt(x, toInts, isSigned); });
}
