//===- IndexingFolds.cpp - Folders of slices, gathers and scatters --------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/Folding.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/PartialConstants.h"
#include "dialects/Ingot/IR/StridedSlices.h"

using namespace mlir;
using namespace mlir::ingot;

/// Makes a constant of type `type` from elements of `input`: `source` maps each
/// position in the constant to the position in `input` from which its element
/// is taken.
static Attribute
pick(DenseElementsAttr input, RankedTensorType type,
     llvm::function_ref<void(ArrayRef<int64_t>, SmallVectorImpl<int64_t> &)>
         source) {
  return gather(input, type, [&] {
    SmallVector<int64_t> at;
    return mapPositions(type.getShape(), [&](ArrayRef<int64_t> position) {
      source(position, at);
      int64_t index = 0;
      for (auto [dim, size] : llvm::enumerate(input.getType().getShape()))
        index = index * size + at[dim];
      return index;
    });
  });
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = getFoldableType(getType());
  if (!type)
    return nullptr;
  // A slice with the same static shape as the input begins at 0 in each
  // dimension, so it is the input.
  if (getInput().getType() == type)
    return getInput();
  if (Attribute known = foldKnownInts(getResult()))
    return known;
  auto input = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  auto begin = getConstantInts(getBegin());
  if (!input || !begin)
    return nullptr;
  for (auto [first, count, size] :
       llvm::zip_equal(*begin, type.getShape(), input.getType().getShape()))
    if (first < 0 || first + count > size)
      return nullptr;
  return pick(input, type,
              [&](ArrayRef<int64_t> position, SmallVectorImpl<int64_t> &at) {
                at.clear();
                for (auto [first, i] : llvm::zip_equal(*begin, position))
                  at.push_back(first + i);
              });
}

OpFoldResult StridedSliceOp::fold(FoldAdaptor adaptor) {
  RankedTensorType type = getFoldableType(getType());
  auto inputType = dyn_cast<RankedTensorType>(getInput().getType());
  if (!type || !inputType)
    return nullptr;
  if (Attribute known = foldKnownInts(getResult()))
    return known;
  FailureOr<SlicePlan> plan =
      planStridedSlice(std::nullopt, inputType.getRank(), getBegin(), getEnd(),
                       getStrides(), SliceMasks(*this));
  if (failed(plan) || !inputType.hasStaticShape())
    return nullptr;
  SmallVector<StridedRange> ranges; // one range per dimension of the input
  for (const SlicedDim &dim : *plan) {
    if (dim.kind == SlicedDim::New)
      continue;
    auto range = dim.rangeOf(inputType.getDimSize(dim.dim));
    if (!range)
      return nullptr;
    ranges.push_back(*range);
  }
  if (inputType == type &&
      llvm::all_of(ranges,
                   [](const StridedRange &range) {
                     return range.stride == 1 || range.count <= 1;
                   }) &&
      llvm::none_of(*plan, [](const SlicedDim &dim) {
        return dim.kind == SlicedDim::New;
      }))
    return getInput();
  auto input = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  if (!input)
    return nullptr;
  return pick(input, type,
              [&](ArrayRef<int64_t> position, SmallVectorImpl<int64_t> &at) {
                at.clear();
                size_t next = 0;
                for (const SlicedDim &dim : *plan) {
                  if (dim.kind == SlicedDim::New) {
                    ++next;
                    continue;
                  }
                  const StridedRange &range = ranges[dim.dim];
                  int64_t i =
                      dim.kind == SlicedDim::Index ? 0 : position[next++];
                  at.push_back(range.begin + i * range.stride);
                }
              });
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  if (Attribute known = foldKnownInts(getResult()))
    return known;
  RankedTensorType type = getFoldableType(getType());
  auto input = dyn_cast_or_null<DenseElementsAttr>(adaptor.getInput());
  auto indices = dyn_cast_or_null<DenseIntElementsAttr>(adaptor.getIndices());
  auto axis = getConstantInt(getAxis());
  if (!type || !input || !indices || !axis || getBatchDims() != 0)
    return nullptr;
  int64_t rank = input.getType().getRank();
  int64_t along = *axis < 0 ? *axis + rank : *axis;
  size_t indexRank = indices.getType().getRank();
  SmallVector<int64_t> picked;
  for (const APInt &index : indices) {
    picked.push_back(index.getSExtValue());
    if (picked.back() < 0 || picked.back() >= input.getType().getDimSize(along))
      return nullptr;
  }
  return pick(input, type,
              [&](ArrayRef<int64_t> position, SmallVectorImpl<int64_t> &at) {
                at.assign(position.begin(), position.begin() + along);
                int64_t index = 0;
                for (size_t d = 0; d < indexRank; ++d)
                  index = index * indices.getType().getDimSize(d) +
                          position[along + d];
                at.push_back(picked[index]);
                llvm::append_range(at, position.drop_front(along + indexRank));
              });
}

// Folds only updates of lists of integers, such as permutations of dimensions,
// on which shapes may depend. Other updates run in the compiled program.
OpFoldResult TensorScatterOp::fold(FoldAdaptor) {
  RankedTensorType type = getFoldableType(getType());
  auto input = getConstantInts(getInput());
  auto indices = getConstantInts(getIndices());
  auto updates = getConstantInts(getUpdates());
  if (!type || type.getRank() != 1 || !input || !indices || !updates ||
      indices->size() != updates->size() || getCombine() != "update")
    return nullptr;
  for (auto [index, update] : llvm::zip_equal(*indices, *updates))
    if (index >= 0 && index < static_cast<int64_t>(input->size()))
      (*input)[index] = update;
  unsigned width = type.getElementType().getIntOrFloatBitWidth();
  SmallVector<APInt> elements;
  for (int64_t value : *input)
    elements.push_back(APInt(width, value, /*isSigned=*/true,
                             /*implicitTrunc=*/true));
  return makeConstant(type, elements);
}
