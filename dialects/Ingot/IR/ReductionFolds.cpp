//===- ReductionFolds.cpp - Folders of reductions -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/Folding.h"

#include "dialects/Ingot/IR/MathReductionOps.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::ingot;

// The functions that reduce a group of elements, which may be empty, to one
// element. If `onInt` returns std::nullopt, the reduction is not folded.
namespace {
struct ReductionFoldFunctions {
  llvm::function_ref<APFloat(ArrayRef<APFloat>)> onFloat;
  llvm::function_ref<std::optional<APInt>(ArrayRef<APInt>)> onInt;
};
} // namespace

// Sums elements as a balanced tree. Its rounding error grows with the logarithm
// of the number of elements, like that of TensorFlow's sums.
template <typename T> static T sumTree(ArrayRef<T> values) {
  if (values.size() == 1)
    return values.front();
  size_t half = values.size() / 2;
  return sumTree(values.take_front(half)) + sumTree(values.drop_front(half));
}

// Groups the input's elements by the element of the result to which they are
// reduced.
template <typename T>
static SmallVector<SmallVector<T>> group(DenseElementsAttr input,
                                         const llvm::SmallBitVector &reduced,
                                         int64_t numResults) {
  ArrayRef<int64_t> shape = input.getType().getShape();
  SmallVector<int64_t> kept;
  for (auto [axis, dim] : llvm::enumerate(shape))
    kept.push_back(reduced.test(axis) ? 1 : dim);
  SmallVector<SmallVector<T>> groups(numResults);
  if (input.empty())
    return groups;
  // `kept` is the input's shape with size 1 in reduced dimensions. Broadcasting
  // it back to the input's shape yields, for each element of the input, the
  // index of the element of the result to which it is reduced.
  for (auto [element, index] :
       llvm::zip_equal(input.getValues<T>(), getBroadcastIndices(kept, shape)))
    groups[index].push_back(element);
  return groups;
}

/// Reduces each group of the input's elements to an element of the result by
/// `reduce`. Returns null if `reduce` fails for a group.
template <typename T, typename Fn>
static Attribute reduceGroups(DenseElementsAttr input,
                              const llvm::SmallBitVector &reduced,
                              RankedTensorType type, Fn reduce) {
  SmallVector<T> result;
  for (ArrayRef<T> elements : group<T>(input, reduced, type.getNumElements())) {
    std::optional<T> value = reduce(elements);
    if (!value)
      return nullptr;
    result.push_back(*value);
  }
  return makeConstant(type, result);
}

template <typename OpT, typename AdaptorT>
static OpFoldResult foldReduction(OpT op, AdaptorT adaptor,
                                  ReductionFoldFunctions reduction) {
  // A reduction over no axes is the identity. The type of `axes` tells how many
  // axes there are, even if their values are unknown.
  std::optional<int64_t> numAxes =
      getNumElements(getTensorShape(op.getAxes().getType()));
  if (numAxes == 0 && op.getInput().getType() == op.getType())
    return op.getInput();
  auto input = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  std::optional<SmallVector<int64_t>> axes = getConstantInts(op.getAxes());
  RankedTensorType type = getFoldableType(op.getType());
  if (!input || !axes || !type || input.getNumElements() > kMaxFoldedElements ||
      type.getNumElements() > kMaxFoldedElements)
    return nullptr;
  int64_t rank = input.getType().getRank();
  llvm::SmallBitVector reduced(rank, false);
  for (int64_t axis : *axes) {
    FailureOr<int64_t> index = normalizeAxis(std::nullopt, axis, rank, "axis");
    if (failed(index))
      return nullptr;
    reduced.set(*index);
  }
  if (isa<ComplexType>(input.getElementType()))
    return nullptr;
  if (isa<FloatType>(input.getElementType()))
    return reduceGroups<APFloat>(
        input, reduced, type,
        [&](ArrayRef<APFloat> values) -> std::optional<APFloat> {
          return reduction.onFloat(values);
        });
  return reduceGroups<APInt>(input, reduced, type, reduction.onInt);
}

static const llvm::fltSemantics &semanticsOf(Type type) {
  return cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
}

static unsigned widthOf(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
}

OpFoldResult SumOp::fold(FoldAdaptor adaptor) {
  Type type = getType();
  auto onFloat = [&](ArrayRef<APFloat> values) {
    return values.empty() ? APFloat::getZero(semanticsOf(type))
                          : sumTree(values);
  };
  auto onInt = [&](ArrayRef<APInt> values) -> std::optional<APInt> {
    return values.empty() ? APInt(widthOf(type), 0) : sumTree(values);
  };
  return foldReduction(*this, adaptor, {onFloat, onInt});
}

OpFoldResult MeanOp::fold(FoldAdaptor adaptor) {
  Type type = getType();
  bool hasSign = !isUnsigned(getElementTypeOrSelf(type));
  auto onFloat = [&](ArrayRef<APFloat> values) {
    if (values.empty())
      return APFloat::getNaN(semanticsOf(type));
    APFloat count(semanticsOf(type));
    count.convertFromAPInt(APInt(64, values.size()), /*IsSigned=*/false,
                           APFloat::rmNearestTiesToEven);
    return sumTree(values) / count;
  };
  auto onInt = [&](ArrayRef<APInt> values) -> std::optional<APInt> {
    // Do not fold the mean if there are no elements, or if their count
    // overflows the element type.
    if (values.empty() || !llvm::isUIntN(widthOf(type) - 1, values.size()))
      return std::nullopt;
    APInt count(widthOf(type), values.size());
    APInt sum = sumTree(values);
    return hasSign ? sum.sdiv(count) : sum.udiv(count);
  };
  return foldReduction(*this, adaptor, {onFloat, onInt});
}

OpFoldResult ProdOp::fold(FoldAdaptor adaptor) {
  Type type = getType();
  auto onFloat = [&](ArrayRef<APFloat> values) {
    APFloat product = APFloat::getOne(semanticsOf(type));
    for (const APFloat &value : values)
      product = product * value;
    return product;
  };
  auto onInt = [&](ArrayRef<APInt> values) -> std::optional<APInt> {
    APInt product(widthOf(type), 1);
    for (const APInt &value : values)
      product *= value;
    return product;
  };
  return foldReduction(*this, adaptor, {onFloat, onInt});
}

// Folds a maximum or minimum. If one of the elements is NaN, the result is NaN;
// if there are no elements, it is the identity of the reduction, such as minus
// infinity for a maximum.
template <typename OpT, typename AdaptorT>
static OpFoldResult foldExtreme(OpT op, AdaptorT adaptor, bool largest) {
  Type type = op.getType();
  Type element = getElementTypeOrSelf(type);
  // Booleans compare as unsigned: false is less than true.
  bool hasSign = !isUnsigned(element) && !element.isInteger(1);
  auto onFloat = [&](ArrayRef<APFloat> values) {
    APFloat best = APFloat::getInf(semanticsOf(type), /*Negative=*/largest);
    for (const APFloat &value : values) {
      if (value.isNaN())
        return value;
      if (largest ? best < value : value < best)
        best = value;
    }
    return best;
  };
  auto onInt = [&](ArrayRef<APInt> values) -> std::optional<APInt> {
    unsigned width = widthOf(type);
    APInt best = largest ? (hasSign ? APInt::getSignedMinValue(width)
                                    : APInt::getMinValue(width))
                         : (hasSign ? APInt::getSignedMaxValue(width)
                                    : APInt::getMaxValue(width));
    for (const APInt &value : values) {
      bool isLess = hasSign ? best.slt(value) : best.ult(value);
      bool isGreater = hasSign ? best.sgt(value) : best.ugt(value);
      if (largest ? isLess : isGreater)
        best = value;
    }
    return best;
  };
  return foldReduction(op, adaptor, {onFloat, onInt});
}

OpFoldResult MaxOp::fold(FoldAdaptor adaptor) {
  return foldExtreme(*this, adaptor, /*largest=*/true);
}
OpFoldResult MinOp::fold(FoldAdaptor adaptor) {
  return foldExtreme(*this, adaptor, /*largest=*/false);
}
