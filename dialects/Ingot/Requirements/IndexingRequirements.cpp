//===- IndexingRequirements.cpp - Sizes of slices and indices -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/StridedSlices.h"
#include "dialects/Ingot/Requirements/ShapeRequirementBuilder.h"

namespace mlir::ingot {

/// Whether the tensor is a vector of integers, of any length.
static bool isSizes(Value tensor) {
  Type element = getElementTypeOrSelf(tensor.getType());
  return isRanked(tensor) && rankOf(tensor) == 1 &&
         (element.isSignlessInteger(32) || element.isSignlessInteger(64));
}

static void require(SliceOp op, ShapeRequirementBuilder &r) {
  Value input = op.getInput();
  if (!isRanked(input) || !isSizes(op.getBegin()) || !isSizes(op.getSize()))
    return;
  Number rank = r.number(rankOf(input));
  r.require(r.both(r.equal(r.size(op.getBegin(), 0), rank),
                   r.equal(r.size(op.getSize(), 0), rank)),
            r.says() << "Expected begin and size arguments to be 1-D tensors "
                        "of size "
                     << rank << ", but got shapes " << op.getBegin() << " and "
                     << op.getSize() << " instead.");
  for (int64_t i = 0; i < rankOf(input); ++i) {
    Number begin = r.element(op.getBegin(), i);
    Number size = r.element(op.getSize(), i);
    Number dim = r.size(input, i), rest = r.subtract(dim, begin);
    r.require(r.within(r.number(0), begin, dim),
              r.says() << "Expected begin[" << Twine(i) << "] in [0, " << dim
                       << "], but got " << begin);
    r.require(r.either(r.equal(size, r.number(-1)),
                       r.within(r.number(0), size, rest)),
              r.says() << "Expected size[" << Twine(i) << "] in [0, " << rest
                       << "], but got " << size);
  }
}

/// Adds the requirements of a strided slice: no stride may be 0, and an index
/// that selects a single element must lie within its dimension.
template <typename OpTy>
static void requireSlice(OpTy op, ShapeRequirementBuilder &r) {
  Value input = op.getInput(), begin = op.getBegin();
  if (!isRanked(input) || !hasElements(begin))
    return;
  // Planning the slice cannot fail, because the op's verifier has planned it,
  // too.
  FailureOr<SlicePlan> plan =
      planStridedSlice(std::nullopt, rankOf(input), begin, op.getEnd(),
                       op.getStrides(), SliceMasks(op));
  if (failed(plan))
    return;
  for (const SlicedDim &sliced : *plan) {
    if (sliced.kind == SlicedDim::New || sliced.entry < 0)
      continue;
    if (hasElements(op.getStrides())) {
      Number stride = r.element(op.getStrides(), sliced.entry);
      Number zero = r.number(0);
      r.require(r.either(r.less(zero, stride), r.less(stride, zero)),
                r.says() << "strides[" << Twine(sliced.entry)
                         << "] must be non-zero");
    }
    if (sliced.kind != SlicedDim::Index)
      continue;
    Number index = r.element(begin, sliced.entry);
    Number size = r.size(input, sliced.dim);
    r.require(r.both(r.isNatural(r.add(size, index)), r.less(index, size)),
              r.says() << "slice index " << index << " of dimension "
                       << Twine(sliced.dim) << " out of bounds.");
  }
}

/// Returns how many elements a slice selects from a dimension of size `size`,
/// with `begin` and `end` clamped to the dimension as in Python. Returns
/// std::nullopt if the stride is not constant.
static std::optional<Number> countOf(const SlicedDim &sliced, Value begin,
                                     Value end, Number size,
                                     ShapeRequirementBuilder &r) {
  if (sliced.entry < 0)
    return size;
  if (ShapedType::isDynamic(sliced.stride) || sliced.stride == 0 ||
      !hasElements(begin) || !hasElements(end))
    return std::nullopt;
  bool isUp = sliced.stride > 0;
  Number zero = r.number(0), before = r.number(-1);
  Number last = r.subtract(size, r.number(1));
  Number low = isUp ? zero : before, high = isUp ? size : last;
  auto within = [&](Value entries) {
    Number place = r.element(entries, sliced.entry);
    place = r.choose(r.isNegative(place), r.add(place, size), place);
    return r.smaller(r.larger(place, low), high);
  };
  Number from = sliced.beginMasked ? (isUp ? zero : last) : within(begin);
  Number to = sliced.endMasked ? (isUp ? size : before) : within(end);
  int64_t step = isUp ? sliced.stride : -sliced.stride;
  Number length = isUp ? r.subtract(to, from) : r.subtract(from, to);
  return r.divide(r.larger(r.add(length, r.number(step - 1)), zero),
                  r.number(step));
}

static void require(StridedSliceOp op, ShapeRequirementBuilder &r) {
  requireSlice(op, r);
}

static void require(StridedSliceUpdateOp op, ShapeRequirementBuilder &r) {
  requireSlice(op, r);
  Value input = op.getInput(), value = op.getValue();
  if (!areRanked({input, value}))
    return;
  FailureOr<SlicePlan> plan =
      planStridedSlice(std::nullopt, rankOf(input), op.getBegin(), op.getEnd(),
                       op.getStrides(), SliceMasks(op));
  if (failed(plan))
    return;
  SmallVector<Number> expected;
  for (const SlicedDim &sliced : *plan) {
    if (sliced.kind == SlicedDim::Index)
      continue;
    std::optional<Number> count =
        sliced.kind == SlicedDim::New
            ? r.number(1)
            : countOf(sliced, op.getBegin(), op.getEnd(),
                      r.size(input, sliced.dim), r);
    if (!count)
      return;
    expected.push_back(*count);
  }
  if (rankOf(value) == static_cast<int64_t>(expected.size()))
    r.require(r.sameSizes(expected, r.sizes(value)),
              (r.says() << "shape of dy was " << value << " instead of ")
                  .shape(expected));
}

static void require(GatherOp op, ShapeRequirementBuilder &r) {
  Value input = op.getInput(), indices = op.getIndices();
  auto batch = static_cast<int64_t>(op.getBatchDims());
  if (!areRanked({input, indices}))
    return;
  batch += batch < 0 ? rankOf(indices) : 0;
  for (int64_t dim = 0; dim < std::min({batch, rankOf(input), rankOf(indices)});
       ++dim)
    r.require(r.equal(r.size(input, dim), r.size(indices, dim)),
              r.says() << "params.shape[" << Twine(dim)
                       << "]: " << r.size(input, dim)
                       << " should be equal to indices.shape[" << Twine(dim)
                       << "]: " << r.size(indices, dim));
}

static void require(TensorScatterOp op, ShapeRequirementBuilder &r) {
  Value input = op.getInput(), indices = op.getIndices();
  Value updates = op.getUpdates();
  if (!areRanked({input, indices, updates}) || rankOf(indices) == 0)
    return;
  int64_t depth = getDim(indices.getType(), rankOf(indices) - 1);
  if (ShapedType::isDynamic(depth) || depth > rankOf(input))
    return;
  SmallVector<Number> expected = r.sizes(indices);
  expected.pop_back();
  llvm::append_range(expected,
                     ArrayRef<Number>(r.sizes(input)).drop_front(depth));
  if (rankOf(updates) == static_cast<int64_t>(expected.size()))
    r.require(r.sameSizes(expected, r.sizes(updates)),
              (r.says() << "Dimensions of indices " << indices
                        << " and of the output " << input
                        << " must match those of updates " << updates
                        << ": expected ")
                  .shape(expected));
}

void attachIndexingRequirements(MLIRContext &context) {
  attachModels<SliceOp, StridedSliceOp, StridedSliceUpdateOp, GatherOp,
               TensorScatterOp>(context);
}

} // namespace mlir::ingot
