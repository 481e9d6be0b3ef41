//===- ArrayFolds.cpp - Folders of concat, one_hot and broadcasts ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/Folding.h"
#include "dialects/Ingot/IR/PartialConstants.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

/// Whether `type` determines the shape completely.
static bool isStatic(Type type) {
  auto ranked = dyn_cast<RankedTensorType>(type);
  return ranked && ranked.hasStaticShape();
}

/// Concatenates constants of integers, such as the paddings in the gradient of
/// a slice.
static Attribute concatInts(ConcatOp op, ArrayRef<Attribute> inputs) {
  RankedTensorType type = getFoldableType(op.getType());
  std::optional<int64_t> axis = getConstantInt(op.getAxis());
  if (!type || !axis || !type.getElementType().isInteger() ||
      type.getNumElements() > kMaxFoldedElements)
    return nullptr;
  if (*axis < 0)
    *axis += type.getRank();
  if (*axis < 0 || *axis >= type.getRank())
    return nullptr;
  SmallVector<SmallVector<APInt>> parts;
  for (Attribute input : inputs) {
    auto part = dyn_cast_or_null<DenseElementsAttr>(input);
    if (!part)
      return nullptr;
    parts.push_back(llvm::to_vector(part.getValues<APInt>()));
  }
  int64_t blocks = 1;
  for (int64_t size : type.getShape().take_front(*axis))
    blocks *= size;
  SmallVector<APInt> elements;
  for (int64_t block = 0; block < blocks; ++block)
    for (const SmallVector<APInt> &part : parts)
      llvm::append_range(elements,
                         ArrayRef(part).slice(block * part.size() / blocks,
                                              part.size() / blocks));
  return makeConstant(type, elements);
}

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  // Folds a concat to its only input that is not empty, if that input has the
  // result's type: empty inputs contribute no elements.
  Value only;
  unsigned numParts = 0;
  for (Value input : getInputs()) {
    if (isStatic(input.getType()) &&
        getNumElements(getTensorShape(input.getType())) == 0)
      continue;
    ++numParts;
    only = input;
  }
  if (numParts == 1 && only.getType() == getType() &&
      (getInputs().size() == 1 || isStatic(getType())))
    return only;
  if (Attribute ints = concatInts(*this, adaptor.getInputs()))
    return ints;
  return foldKnownInts(getResult());
}

OpFoldResult OneHotOp::fold(FoldAdaptor) { return foldKnownInts(getResult()); }

OpFoldResult BroadcastToOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType() && isStatic(getType()))
    return getInput();
  auto input = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  RankedTensorType type = getFoldableType(getType());
  if (!input || !type)
    return nullptr;
  return gather(input, type, [&] {
    return getBroadcastIndices(input.getType().getShape(), type.getShape());
  });
}

OpFoldResult SumToShapeOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType() && isStatic(getType()))
    return getInput();
  // Folds sum_to_shape(x, shape(x)) to x. The op sums a gradient over the
  // dimensions in which an operand was broadcast; if the gradient already has
  // the operand's shape, there are no such dimensions.
  if (auto shape = getShape().getDefiningOp<ShapeOp>();
      shape && shape.getInput() == getInput() &&
      getInput().getType() == getType())
    return getInput();
  return nullptr;
}

OpFoldResult BroadcastArgsOp::fold(FoldAdaptor) {
  if (getS0() == getS1())
    return getS0();
  return foldKnownInts(getResult());
}

LogicalResult
BroadcastGradientArgsOp::fold(FoldAdaptor,
                              SmallVectorImpl<OpFoldResult> &results) {
  auto a = getPartialInts(getS0()), b = getPartialInts(getS1());
  if (!a || !b)
    return failure();
  auto axes = getReducedAxes(Shape(*a), Shape(*b));
  if (!axes)
    return failure();
  for (auto [list, result] :
       {std::make_pair(&axes->first, getR0()), {&axes->second, getR1()}}) {
    auto type = RankedTensorType::get({static_cast<int64_t>(list->size())},
                                      getElementTypeOrSelf(result.getType()));
    if (result.getType() != type)
      return failure();
    unsigned width = type.getElementType().getIntOrFloatBitWidth();
    SmallVector<APInt> elements;
    for (int64_t axis : *list)
      elements.push_back(APInt(width, axis));
    results.push_back(makeConstant(type, elements));
  }
  return success();
}

OpFoldResult EnsureShapeOp::fold(FoldAdaptor) {
  // Folds ensure_shape to its operand if the operand's type already guarantees
  // the required shape.
  Shape input = getTensorShape(getInput().getType());
  if (!input || input->size() != getShape().size())
    return nullptr;
  for (auto [dim, wanted] : llvm::zip_equal(*input, getShape()))
    if (wanted >= 0 && dim != wanted)
      return nullptr;
  return getInput().getType() == getType() ? OpFoldResult(getInput()) : nullptr;
}
