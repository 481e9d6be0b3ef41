//===- TensorFolds.cpp - Folders of ops that make and reshape tensors -----===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/Folding.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/PartialConstants.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

OpFoldResult FillOp::fold(FoldAdaptor adaptor) {
  auto value = dyn_cast_or_null<DenseElementsAttr>(adaptor.getValue());
  RankedTensorType type = getFoldableType(getType());
  if (!value || !type)
    return nullptr;
  // `value` is a scalar, so all elements of the result are equal, and `gather`
  // does not call the function that would return indices.
  return gather(value, type, [] { return SmallVector<int64_t>(); });
}

OpFoldResult ZerosLikeOp::fold(FoldAdaptor) {
  RankedTensorType type = getFoldableType(getType());
  return type ? makeZeros(type) : nullptr;
}

OpFoldResult ShapeOp::fold(FoldAdaptor) {
  auto input = dyn_cast<RankedTensorType>(getInput().getType());
  RankedTensorType type = getFoldableType(getType());
  if (!input || !input.hasStaticShape() || !type)
    return nullptr;
  unsigned width = type.getElementType().getIntOrFloatBitWidth();
  SmallVector<APInt> dims;
  for (int64_t dim : input.getShape()) {
    if (!llvm::isIntN(width, dim))
      return nullptr;
    dims.push_back(APInt(width, dim, /*isSigned=*/true));
  }
  return makeConstant(type, dims);
}

// Whether the number of elements determines the shape of a tensor of this type:
// at most one dimension is unknown, and no other is 0.
static bool isFixedByCount(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked)
    return false;
  return ranked.hasStaticShape() || (ranked.getNumDynamicDims() == 1 &&
                                     !llvm::is_contained(ranked.getShape(), 0));
}

// Whether `sizes` are known not to be negative, because they are sizes of a
// tensor or constants.
static bool areSizesOfTensor(Value sizes) {
  if (sizes.getDefiningOp<ShapeOp>())
    return true;
  auto concat = sizes.getDefiningOp<ConcatOp>();
  return concat && llvm::all_of(concat.getInputs(), [](Value part) {
           std::optional<SmallVector<int64_t>> known = getPartialInts(part);
           return areSizesOfTensor(part) ||
                  (known && llvm::all_of(*known, [](int64_t size) {
                     return ShapedType::isStatic(size) && size >= 0;
                   }));
         });
}

// Whether the shape of a reshape's result depends only on how many elements the
// input has, and not on the input's shape. The shape matters if one requested
// size is -1 and another one is 0: the size for -1 is then computed from the
// product of the input's sizes that are not 0.
static bool dependsOnCountOnly(ReshapeOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if ((type && type.hasStaticShape()) || areSizesOfTensor(op.getShape()))
    return true;
  std::optional<SmallVector<int64_t>> sizes = getPartialInts(op.getShape());
  if (!sizes)
    return false;
  for (auto [i, inferred] : llvm::enumerate(*sizes)) {
    if (inferred != -1 && ShapedType::isStatic(inferred))
      continue;
    for (auto [j, size] : llvm::enumerate(*sizes)) {
      bool isPositive = size > 0 || (type && type.getDimSize(j) > 0);
      if (i != j && !isPositive)
        return false;
    }
  }
  return true;
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType() && isFixedByCount(getType()))
    return getInput();
  if (RankedTensorType type = getFoldableType(getType()))
    if (Attribute value = reshapeConstant(adaptor.getInput(), type))
      return value;
  // Reads the input of an inner reshape directly: only the outer reshape
  // determines the shape.
  if (auto inner = getInput().getDefiningOp<ReshapeOp>();
      inner && dependsOnCountOnly(*this)) {
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return nullptr;
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = getFoldableType(getType());
  return type ? reshapeConstant(adaptor.getInput(), type) : nullptr;
}

OpFoldResult SqueezeOp::fold(FoldAdaptor adaptor) {
  // Folds a squeeze whose result has the input's type: such a squeeze removes
  // no dimension.
  if (getInput().getType() == getType() && isa<RankedTensorType>(getType()))
    return getInput();
  RankedTensorType type = getFoldableType(getType());
  return type ? reshapeConstant(adaptor.getInput(), type) : nullptr;
}

OpFoldResult TileOp::fold(FoldAdaptor adaptor) {
  std::optional<SmallVector<int64_t>> multiples =
      getConstantInts(getMultiples());
  if (!multiples)
    return nullptr;
  if (getInput().getType() == getType() &&
      llvm::all_of(*multiples, [](int64_t multiple) { return multiple == 1; }))
    return getInput();
  auto input = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  RankedTensorType type = getFoldableType(getType());
  if (!input || !type)
    return nullptr;
  return gather(input, type, [&] {
    return mapPositions(type.getShape(), [&](ArrayRef<int64_t> position) {
      int64_t index = 0;
      for (auto [at, dim] : llvm::zip(position, input.getType().getShape()))
        index = index * dim + at % dim;
      return index;
    });
  });
}

OpFoldResult RangeOp::fold(FoldAdaptor adaptor) {
  auto start = dyn_cast_or_null<DenseElementsAttr>(adaptor.getStart());
  auto delta = dyn_cast_or_null<DenseElementsAttr>(adaptor.getDelta());
  RankedTensorType type = getFoldableType(getType());
  // The limit of a range only determines the number of elements, which the
  // result's type already states.
  if (!start || !delta || !adaptor.getLimit() || !type ||
      type.getNumElements() > kMaxFoldedElements)
    return nullptr;
  int64_t count = type.getNumElements();
  if (auto floats = dyn_cast<FloatType>(type.getElementType())) {
    APFloat first = *start.value_begin<APFloat>();
    APFloat step = *delta.value_begin<APFloat>();
    SmallVector<APFloat> values;
    for (int64_t i = 0; i < count; ++i) {
      // Computes element i as start + i * delta, like TensorFlow. Adding delta
      // repeatedly would round differently.
      APFloat index(floats.getFloatSemantics());
      index.convertFromAPInt(APInt(64, i), /*IsSigned=*/true,
                             APFloat::rmNearestTiesToEven);
      values.push_back(first + index * step);
    }
    return makeConstant(type, values);
  }
  APInt value = *start.value_begin<APInt>();
  SmallVector<APInt> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(value);
    value += *delta.value_begin<APInt>();
  }
  return makeConstant(type, values);
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  std::optional<SmallVector<int64_t>> permutation =
      getConstantInts(getPermutation());
  if (!permutation)
    return nullptr;
  if (getInput().getType() == getType() && llvm::is_sorted(*permutation))
    return getInput();
  auto input = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  RankedTensorType type = getFoldableType(getType());
  if (!input || !type)
    return nullptr;
  return gather(input, type, [&] {
    ArrayRef<int64_t> from = input.getType().getShape();
    SmallVector<int64_t> strides(from.size(), 1);
    for (size_t d = from.size(); d-- > 1;)
      strides[d - 1] = strides[d] * from[d];
    return mapPositions(type.getShape(), [&](ArrayRef<int64_t> position) {
      int64_t index = 0;
      for (auto [at, dim] : llvm::zip_equal(position, *permutation))
        index += at * strides[dim];
      return index;
    });
  });
}
