//===- ArrayRequirements.cpp - Sizes of concatenations and splits ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/TensorOps.h"
#include "dialects/Ingot/Requirements/ShapeRequirementBuilder.h"

namespace mlir::ingot {

/// If `op` was imported from a node that stacks tensors (Pack), returns the
/// node's operands. The importer expands them by one dimension before it
/// concatenates them. Returns an empty list for other ops.
static SmallVector<Value> stackedBy(ConcatOp op) {
  SmallVector<Value> stacked;
  for (Value input : op.getInputs())
    if (auto expand = input.getDefiningOp<ExpandDimsOp>();
        expand && expand->getLoc() == op->getLoc())
      stacked.push_back(expand.getInput());
  if (stacked.size() != op.getInputs().size() || !areRanked(stacked))
    stacked.clear();
  return stacked;
}

static void require(ConcatOp op, ShapeRequirementBuilder &r) {
  ValueRange inputs = op.getInputs();
  if (!areRanked(inputs) || inputs.empty())
    return;
  Value first = inputs.front();
  if (SmallVector<Value> stacked = stackedBy(op); !stacked.empty()) {
    for (auto [i, each] : llvm::enumerate(stacked))
      if (rankOf(each) == rankOf(stacked[0]))
        r.require(r.sameSizes(r.sizes(stacked[0]), r.sizes(each)),
                  r.says() << "Shapes of all inputs must match: "
                              "values[0].shape = "
                           << stacked[0] << " != values[" << Twine(i)
                           << "].shape = " << each);
    return;
  }
  std::optional<int64_t> axis = axisOf(op.getAxis(), rankOf(first));
  if (!axis)
    return;
  for (auto [i, each] : llvm::enumerate(inputs))
    for (int64_t dim = 0; dim < rankOf(first); ++dim)
      if (dim != *axis && rankOf(each) == rankOf(first))
        r.require(r.equal(r.size(first, dim), r.size(each, dim)),
                  r.says() << "ConcatOp : Dimension " << Twine(dim)
                           << " in both shapes must be equal: shape[0] = "
                           << first << " vs. shape[" << Twine(i)
                           << "] = " << each);
}

/// Requires that the count of results divides the size of dimension `axis`.
static void requireEvenSplit(SplitOp op, int64_t axis,
                             ShapeRequirementBuilder &r) {
  Number size = r.size(op.getInput(), axis);
  auto pieces = static_cast<int64_t>(op.getCount());
  r.require(r.equal(r.remainder(size, r.number(pieces)), r.number(0)),
            r.says() << "Number of ways to split should evenly divide the "
                        "split dimension, but got split_dim "
                     << Twine(axis) << " (size = " << size << ") and num_split "
                     << Twine(pieces));
}

static void require(SplitOp op, ShapeRequirementBuilder &r) {
  if (!isRanked(op.getInput()))
    return;
  std::optional<int64_t> axis = axisOf(op.getAxis(), rankOf(op.getInput()));
  if (!axis)
    return;
  if (op.getSizes().empty())
    return requireEvenSplit(op, *axis, r);
  if (!hasElements(op.getSizes().front()))
    return;
  SmallVector<Number> sizes = r.elements(op.getSizes().front());
  Number whole = r.size(op.getInput(), *axis), stated = r.number(0);
  Number anyOpen = r.number(0), onlyOneOpen = r.number(1);
  Number fits = r.number(1);
  for (auto [i, size] : llvm::enumerate(sizes)) {
    Number isOpen = r.equal(size, r.number(-1));
    r.require(r.atMost(r.number(-1), size),
              r.says() << "Split size at index " << Twine(i)
                       << " must be >= 0. Got: " << size);
    // Each size must be at most that of the dimension to split. Otherwise the
    // sum of all sizes could overflow.
    fits = r.both(fits, r.atMost(size, whole));
    stated = r.add(stated, r.larger(size, r.number(0)));
    for (Number other : ArrayRef<Number>(sizes).take_front(i))
      onlyOneOpen =
          r.both(onlyOneOpen, r.either(r.isNatural(size), r.isNatural(other)));
    anyOpen = r.either(anyOpen, isOpen);
  }
  r.require(onlyOneOpen, r.says() << "There can only be one -1 in the input.");
  r.require(
      r.both(fits, r.either(r.equal(stated, whole),
                            r.both(anyOpen, r.atMost(stated, whole)))),
      (r.says() << "Determined shape must either match input shape along "
                   "split_dim exactly if fully specified, or be less than the "
                   "size of the input along split_dim if not fully specified. "
                   " Got: "
                << stated << " of " << whole));
}

static void require(OneHotOp op, ShapeRequirementBuilder &r) {
  if (!hasElements(op.getDepth()))
    return;
  Number depth = r.element(op.getDepth());
  r.require(r.isNatural(depth),
            r.says() << "depth must be non-negative, got: " << depth);
}

/// Requires that a tensor of shape `sizes` can be broadcast to `shape`.
static void requireRepeats(ArrayRef<Number> sizes, ArrayRef<Number> shape,
                           ShapeRequirementBuilder &r) {
  if (sizes.size() > shape.size())
    return;
  Number fits = r.number(1);
  for (auto [size, target] :
       llvm::zip_equal(sizes, shape.take_back(sizes.size())))
    fits = r.both(fits,
                  r.either(r.equal(size, target), r.equal(size, r.number(1))));
  r.require(fits,
            ((r.says() << "Incompatible shapes: ").shape(sizes) << " vs. ")
                .shape(shape));
}

static void require(BroadcastToOp op, ShapeRequirementBuilder &r) {
  if (!isRanked(op.getInput()) || !hasElements(op.getShape()))
    return;
  r.requireSizes(op.getShape());
  requireRepeats(r.sizes(op.getInput()), r.elements(op.getShape()), r);
}

static void require(SumToShapeOp op, ShapeRequirementBuilder &r) {
  if (isRanked(op.getInput()) && hasElements(op.getShape()))
    requireRepeats(r.elements(op.getShape()), r.sizes(op.getInput()), r);
}

static void require(BroadcastArgsOp op, ShapeRequirementBuilder &r) {
  if (!hasElements(op.getS0()) || !hasElements(op.getS1()))
    return;
  SmallVector<Number> a = r.elements(op.getS0()), b = r.elements(op.getS1());
  r.require(
      r.broadcastable(a, b),
      ((r.says() << "Incompatible shapes: ").shape(a) << " vs. ").shape(b));
}

static void require(AddNOp op, ShapeRequirementBuilder &r) {
  ValueRange inputs = op.getInputs();
  if (!areRanked(inputs))
    return;
  for (auto [i, each] : llvm::enumerate(inputs))
    if (rankOf(each) == rankOf(inputs[0]))
      r.require(r.sameSizes(r.sizes(inputs[0]), r.sizes(each)),
                r.says() << "Inputs to operation must have the same size and "
                            "shape.  Input 0: "
                         << inputs[0] << " != input " << Twine(i) << ": "
                         << each);
}

/// Returns the sizes of both operands of ingot.require_same_shape, or
/// std::nullopt if a rank is unknown.
static std::optional<std::pair<SmallVector<Number>, SmallVector<Number>>>
comparedSizes(RequireSameShapeOp op, ShapeRequirementBuilder &r) {
  Value a = op.getLhs(), b = op.getRhs();
  if (!areRanked({a, b}))
    return std::nullopt;
  if (!op.getAreShapes())
    return std::pair(r.sizes(a), r.sizes(b));
  r.require(r.equal(r.size(a, 0), r.size(b, 0)),
            r.says() << "shapes of " << r.size(a, 0) << " and " << r.size(b, 0)
                     << " dimensions must have equal ranks");
  int64_t rank = getDim(a.getType(), 0);
  if (ShapedType::isDynamic(rank))
    rank = getDim(b.getType(), 0);
  if (ShapedType::isDynamic(rank) || rank > kMaxRank)
    return std::nullopt;
  SmallVector<Number> x, y;
  for (int64_t dim = 0; dim < rank; ++dim) {
    x.push_back(r.element(a, dim));
    y.push_back(r.element(b, dim));
  }
  return std::pair(x, y);
}

static void require(RequireSameShapeOp op, ShapeRequirementBuilder &r) {
  auto sizes = comparedSizes(op, r);
  if (!sizes)
    return;
  auto &[a, b] = *sizes;
  Number same = r.number(a.size() == b.size());
  auto rank = static_cast<int64_t>(a.size());
  for (int64_t dim = 0; dim < rank && a.size() == b.size(); ++dim)
    if (!llvm::is_contained(op.getFree(), dim) &&
        !llvm::is_contained(op.getFree(), dim - rank))
      same = r.both(same, r.equal(a[dim], b[dim]));
  auto [before, rest] = op.getText().split("{}");
  auto [between, after] = rest.split("{}");
  r.require(same, ((r.says() << before).shape(a) << between).shape(b) << after);
}

void attachArrayRequirements(MLIRContext &context) {
  attachModels<ConcatOp, SplitOp, OneHotOp, BroadcastToOp, SumToShapeOp,
               BroadcastArgsOp, AddNOp, RequireSameShapeOp>(context);
}

} // namespace mlir::ingot
