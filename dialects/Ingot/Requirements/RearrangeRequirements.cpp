//===- RearrangeRequirements.cpp - Sizes of paddings, blocks, sequences ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/RearrangeOps.h"
#include "dialects/Ingot/Requirements/ShapeRequirementBuilder.h"

namespace mlir::ingot {

namespace {
/// The numbers of elements that a pad op adds before and after a dimension.
struct DimPadding {
  Number before, after;
};
} // namespace

/// Returns the padding before and after dimension `index`, which is row `index`
/// of the operand `borders`, a matrix of two columns.
static DimPadding borderOf(Value borders, int64_t index,
                           ShapeRequirementBuilder &r) {
  return {r.element(borders, 2 * index), r.element(borders, 2 * index + 1)};
}

static bool areBorders(Value borders, int64_t count) {
  return hasElements(borders) && rankOf(borders) == 2 &&
         getDim(borders.getType(), 0) == count &&
         getDim(borders.getType(), 1) == 2;
}

static void requireNatural(const DimPadding &border,
                           ShapeRequirementBuilder &r) {
  r.require(r.both(r.isNatural(border.before), r.isNatural(border.after)),
            r.says() << "Paddings must be non-negative: " << border.before
                     << " " << border.after);
}

static void require(PadOp op, ShapeRequirementBuilder &r) {
  if (!isRanked(op.getInput()) ||
      !areBorders(op.getPaddings(), rankOf(op.getInput())))
    return;
  for (int64_t dim = 0; dim < rankOf(op.getInput()); ++dim)
    requireNatural(borderOf(op.getPaddings(), dim, r), r);
}

/// Requires that a dimension of size `size` has enough elements for the border
/// to mirror. With `isReflect`, the element at the edge is not mirrored.
static void requireMirrored(const DimPadding &border, Number size,
                            bool isReflect, ShapeRequirementBuilder &r) {
  requireNatural(border, r);
  if (isReflect)
    r.require(r.both(r.less(border.before, size), r.less(border.after, size)),
              r.says() << "paddings must be less than the dimension size: "
                       << border.before << ", " << border.after
                       << " not less than " << size);
  else
    r.require(
        r.both(r.atMost(border.before, size), r.atMost(border.after, size)),
        r.says() << "paddings must be no greater than the dimension size: "
                 << border.before << ", " << border.after << " greater than "
                 << size);
}

static void require(MirrorPadOp op, ShapeRequirementBuilder &r) {
  Value input = op.getInput();
  if (!isRanked(input) || !areBorders(op.getPaddings(), rankOf(input)))
    return;
  for (int64_t dim = 0; dim < rankOf(input); ++dim)
    requireMirrored(borderOf(op.getPaddings(), dim, r), r.size(input, dim),
                    op.getMode() == "REFLECT", r);
}

static void require(MirrorPadGradOp op, ShapeRequirementBuilder &r) {
  Value input = op.getInput();
  if (!isRanked(input) || !areBorders(op.getPaddings(), rankOf(input)))
    return;
  for (int64_t dim = 0; dim < rankOf(input); ++dim) {
    DimPadding border = borderOf(op.getPaddings(), dim, r);
    Number kept =
        r.subtract(r.size(input, dim), r.add(border.before, border.after));
    requireMirrored(border, kept, op.getMode() == "REFLECT", r);
  }
}

static void require(ReverseSequenceOp op, ShapeRequirementBuilder &r) {
  Value input = op.getInput(), lengths = op.getLengths();
  if (!areRanked({input, lengths}) || rankOf(lengths) != 1)
    return;
  auto batch = static_cast<int64_t>(op.getBatchDim());
  batch += batch < 0 ? rankOf(input) : 0;
  r.require(r.equal(r.size(lengths, 0), r.size(input, batch)),
            r.says() << "Length of seq_lens != input.dims(" << Twine(batch)
                     << "), (" << r.size(lengths, 0) << " vs. "
                     << r.size(input, batch) << ")");
}

static void require(RollOp op, ShapeRequirementBuilder &r) {
  Value shift = op.getShift(), axes = op.getAxes();
  if (areRanked({shift, axes}) && rankOf(shift) == 1 && rankOf(axes) == 1)
    r.require(r.equal(r.size(shift, 0), r.size(axes, 0)),
              r.says() << "shift and axis must have the same size, but have "
                          "shapes "
                       << shift << " and " << axes);
}

static void require(LinSpaceOp op, ShapeRequirementBuilder &r) {
  if (!hasElements(op.getCount()))
    return;
  Number count = r.element(op.getCount());
  r.require(r.less(r.number(0), count), r.says()
                                            << "Requires num > 0: " << count);
}

static void require(SpaceToBatchOp op, ShapeRequirementBuilder &r) {
  Value input = op.getInput();
  if (!isRanked(input) || !hasElements(op.getBlock()))
    return;
  int64_t count = getDim(op.getBlock().getType(), 0);
  if (!areBorders(op.getPaddings(), count) || count >= rankOf(input))
    return;
  for (auto [i, block] : llvm::enumerate(r.elements(op.getBlock()))) {
    DimPadding border = borderOf(op.getPaddings(), i, r);
    Number padded =
        r.add(r.size(input, i + 1), r.add(border.before, border.after));
    requireNatural(border, r);
    r.require(r.less(r.number(0), block),
              r.says() << "All values in block_shape must be positive, got "
                          "value, "
                       << block << " at index " << Twine(i));
    r.require(
        r.equal(r.remainder(padded, r.larger(block, r.number(1))), r.number(0)),
        r.says() << "padded_shape[" << Twine(i) << "]=" << padded
                 << " is not divisible by block_shape[" << Twine(i)
                 << "]=" << block);
  }
}

static void require(BatchToSpaceOp op, ShapeRequirementBuilder &r) {
  Value input = op.getInput();
  if (!isRanked(input) || !hasElements(op.getBlock()))
    return;
  int64_t count = getDim(op.getBlock().getType(), 0);
  if (!areBorders(op.getCrops(), count) || count >= rankOf(input))
    return;
  Number all = r.number(1), one = r.number(1);
  for (auto [i, block] : llvm::enumerate(r.elements(op.getBlock()))) {
    DimPadding crop = borderOf(op.getCrops(), i, r);
    Number whole = r.multiply(r.size(input, i + 1), block);
    r.require(r.less(r.number(0), block),
              r.says() << "All values in block_shape must be positive, got "
                          "value, "
                       << block << " at index " << Twine(i));
    r.require(r.both(r.both(r.isNatural(crop.before), r.isNatural(crop.after)),
                     r.atMost(r.add(crop.before, crop.after), whole)),
              r.says() << "crops[" << Twine(i) << "] = [" << crop.before << ", "
                       << crop.after << "] do not fit into " << whole
                       << " elements");
    all = r.multiply(all, r.larger(block, one));
  }
  r.require(r.equal(r.remainder(r.size(input, 0), all), r.number(0)),
            r.says() << "Input batch dimension (" << r.size(input, 0)
                     << ") is not divisible by product of block sizes (" << all
                     << ")");
}

static void require(SpaceToDepthOp op, ShapeRequirementBuilder &r) {
  Value input = op.getInput();
  if (!isRanked(input) || rankOf(input) != 4)
    return;
  int64_t first = op.getDataFormat() == "NCHW" ? 2 : 1;
  Number height = r.size(input, first), width = r.size(input, first + 1);
  Number block = r.number(op.getBlock()), zero = r.number(0);
  r.require(r.both(r.equal(r.remainder(height, block), zero),
                   r.equal(r.remainder(width, block), zero)),
            r.says() << "Image width " << width << " and height " << height
                     << " should be divisible by block_size: " << block);
}

static void require(DepthToSpaceOp op, ShapeRequirementBuilder &r) {
  Value input = op.getInput();
  if (!isRanked(input) || rankOf(input) != 4)
    return;
  Number depth = r.size(input, op.getDataFormat() == "NCHW" ? 1 : 3);
  auto block = static_cast<int64_t>(op.getBlock());
  r.require(r.equal(r.remainder(depth, r.number(block * block)), r.number(0)),
            r.says() << "Input depth dimension " << depth
                     << " should be divisible by: " << Twine(block * block));
}

void attachRearrangeRequirements(MLIRContext &context) {
  attachModels<PadOp, MirrorPadOp, MirrorPadGradOp, ReverseSequenceOp, RollOp,
               LinSpaceOp, SpaceToBatchOp, BatchToSpaceOp, SpaceToDepthOp,
               DepthToSpaceOp>(context);
}

} // namespace mlir::ingot
