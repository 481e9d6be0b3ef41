//===- LowerSpaceToBatch.cpp - Space-to-batch and space-to-depth ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/GatherLowering.h"
#include "dialects/Ingot/IR/RearrangeOps.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;

/// Returns the sizes of the block of a space-to-batch op, clamped to at least
/// 1, so that arithmetic on these never divides by 0.
SmallVector<Index> blockOf(IndexMath &math, Value block) {
  SmallVector<Index> sizes;
  auto type = cast<RankedTensorType>(block.getType());
  for (int64_t i = 0; i < type.getDimSize(0); ++i)
    sizes.push_back(math.max(math.element(block, i), math.constant(1)));
  return sizes;
}

/// Returns the coordinates within a block of the element with row-major index
/// `number`.
SmallVector<Index> withinBlock(IndexMath &math, Index number,
                               ArrayRef<Index> block) {
  SmallVector<Index> places(block.size(), number);
  for (size_t i = block.size(); i-- > 0;) {
    places[i] = math.mod(number, block[i]);
    number = math.floorDiv(number, block[i]);
  }
  return places;
}

struct LowerSpaceToBatch : GatherLowering<SpaceToBatchOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, SpaceToBatchOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Sizes from = math.sizes(op.getInput()), sizes = from;
    if (cast<ShapedType>(op.getBlock().getType()).isDynamicDim(0))
      return op.emitError(
                 "the block shape must be a vector of static length, got type ")
             << op.getBlock().getType();
    SmallVector<Index> block = blockOf(math, op.getBlock()), before;
    for (auto [i, size] : llvm::enumerate(block)) {
      auto [front, back] = paddingOf(b, op.getPaddings(), i);
      before.push_back(front);
      sizes[0] = math.mul(sizes[0], size);
      sizes[i + 1] =
          math.floorDiv(math.add(math.add(from[i + 1], front), back), size);
    }
    Value zero = zeroOf(b, type.getElementType());
    return fromPositions(
        b, type, sizes, {},
        [&](Builder &inner, ArrayRef<Value> at, ValueRange) {
          IndexMath m(inner);
          Index batch = m.max(from[0], m.constant(1));
          SmallVector<Index> offsets =
              withinBlock(m, m.floorDiv(at[0], batch), block);
          SmallVector<MaybeOutOfBoundsIndex> place{
              {m.value(m.mod(at[0], batch)), false}};
          for (auto [i, size] : llvm::enumerate(block))
            place.push_back(
                {m.value(m.sub(m.add(m.mul(at[i + 1], size), offsets[i]),
                               before[i])),
                 true});
          for (Value position : at.drop_front(place.size()))
            place.push_back({position, false});
          return readElement(inner, op.getInput(), from, place, zero);
        });
  }
};

struct LowerBatchToSpace : GatherLowering<BatchToSpaceOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, BatchToSpaceOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Sizes from = math.sizes(op.getInput()), sizes = from;
    if (cast<ShapedType>(op.getBlock().getType()).isDynamicDim(0))
      return op.emitError(
                 "the block shape must be a vector of static length, got type ")
             << op.getBlock().getType();
    SmallVector<Index> block = blockOf(math, op.getBlock()), before;
    for (auto [i, size] : llvm::enumerate(block)) {
      auto [front, back] = paddingOf(b, op.getCrops(), i);
      before.push_back(front);
      sizes[0] = math.floorDiv(sizes[0], size);
      sizes[i + 1] =
          math.max(math.sub(math.sub(math.mul(from[i + 1], size), front), back),
                   math.constant(0));
    }
    Value zero = zeroOf(b, type.getElementType());
    return fromPositions(
        b, type, sizes, {},
        [&](Builder &inner, ArrayRef<Value> at, ValueRange) {
          IndexMath m(inner);
          Index number = m.constant(0);
          SmallVector<MaybeOutOfBoundsIndex> place{{at[0], true}};
          for (auto [i, size] : llvm::enumerate(block)) {
            Index position = m.add(at[i + 1], before[i]);
            number = m.add(m.mul(number, size), m.mod(position, size));
            place.push_back({m.value(m.floorDiv(position, size)), true});
          }
          place[0].index = m.value(m.add(m.mul(number, sizes[0]), at[0]));
          for (Value position : at.drop_front(place.size()))
            place.push_back({position, false});
          return readElement(inner, op.getInput(), from, place, zero);
        });
  }
};

/// The indices of the dimensions height, width and depth (channels) of images
/// in a data format.
struct ImageDimIndices {
  int64_t height, width, depth;
  explicit ImageDimIndices(StringRef format) {
    bool last = format == "NHWC";
    height = last ? 1 : 2;
    width = height + 1;
    depth = last ? 3 : 1;
  }
};

struct LowerSpaceToDepth : GatherLowering<SpaceToDepthOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, SpaceToDepthOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    ImageDimIndices dims(op.getDataFormat());
    Sizes from = math.sizes(op.getInput()), sizes = from;
    Index block = math.constant(op.getBlock());
    sizes[dims.height] = math.floorDiv(sizes[dims.height], block);
    sizes[dims.width] = math.floorDiv(sizes[dims.width], block);
    sizes[dims.depth] = math.mul(math.mul(sizes[dims.depth], block), block);
    return fromPositions(
        b, type, sizes, {},
        [&](Builder &inner, ArrayRef<Value> at, ValueRange) -> Value {
          IndexMath m(inner);
          Index depth = from[dims.depth];
          Index number = m.floorDiv(at[dims.depth], depth);
          SmallVector<Value> place(at);
          place[dims.depth] = m.value(m.mod(at[dims.depth], depth));
          place[dims.height] = m.value(
              m.add(m.mul(at[dims.height], block), m.floorDiv(number, block)));
          place[dims.width] = m.value(
              m.add(m.mul(at[dims.width], block), m.mod(number, block)));
          return tensor::ExtractOp::create(inner, op.getInput(), place);
        });
  }
};

struct LowerDepthToSpace : GatherLowering<DepthToSpaceOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, DepthToSpaceOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    ImageDimIndices dims(op.getDataFormat());
    Sizes sizes = math.sizes(op.getInput());
    Index block = math.constant(op.getBlock());
    sizes[dims.height] = math.mul(sizes[dims.height], block);
    sizes[dims.width] = math.mul(sizes[dims.width], block);
    sizes[dims.depth] =
        math.floorDiv(sizes[dims.depth], math.mul(block, block));
    return fromPositions(
        b, type, sizes, {},
        [&](Builder &inner, ArrayRef<Value> at, ValueRange) -> Value {
          IndexMath m(inner);
          Index y = at[dims.height], x = at[dims.width];
          Index number = m.add(m.mul(m.mod(y, block), block), m.mod(x, block));
          SmallVector<Value> place(at);
          place[dims.height] = m.value(m.floorDiv(y, block));
          place[dims.width] = m.value(m.floorDiv(x, block));
          place[dims.depth] =
              m.value(m.add(m.mul(number, sizes[dims.depth]), at[dims.depth]));
          return tensor::ExtractOp::create(inner, op.getInput(), place);
        });
  }
};

} // namespace

void ::ingot::lower::populateBlockPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerSpaceToBatch, LowerBatchToSpace, LowerSpaceToDepth,
               LowerDepthToSpace>(patterns.getContext());
}
