//===- BroadcastGradients.cpp - Gradients of broadcast operands -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// Matches Reshape(Sum(gradient, axes), shape) where `axes` come from
// BroadcastGradientArgs. Most ops broadcast all dimensions of their operands. A
// batched matmul broadcasts only the dimensions before the last two, and an
// einsum only the dimensions of the ellipsis, which may be anywhere in the
// shape. So the gradient of an einsum passes only the ellipsis's slice of the
// shape to BroadcastGradientArgs, and adds the index of the slice's first
// dimension to the returned axes.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Ops/BroadcastGradients.h"
#include "compiler/Import/Ops/NodeDecomposition.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/PartialConstants.h"
#include "dialects/Ingot/IR/PointwiseOps.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// Returns the only element of the vector `vector` if it is constant.
static std::optional<int64_t> onlyElement(Value vector) {
  auto ints = getPartialInts(vector);
  if (!ints || ints->size() != 1 || ShapedType::isDynamic(ints->front()))
    return std::nullopt;
  return ints->front();
}

// Returns whether the vector `part` is known to consist of consecutive elements
// of the vector `shape`, the first of them at index `begin`: `part` is a slice
// of `shape`, or both are constants.
static bool isPart(Value part, Value shape, int64_t begin) {
  if (part == shape)
    return begin == 0;
  if (auto slice = part.getDefiningOp<StridedSliceOp>())
    return slice.getInput() == shape && !slice.getEllipsisMask() &&
           !slice.getNewAxisMask() && !slice.getShrinkAxisMask() &&
           onlyElement(slice.getStrides()) == 1 &&
           (slice.getBeginMask() ? 0 : onlyElement(slice.getBegin())) == begin;
  auto own = getConstantInts(part), all = getConstantInts(shape);
  return own && all && begin >= 0 && begin + own->size() <= all->size() &&
         llvm::equal(*own, ArrayRef(*all).slice(begin, own->size()));
}

// If `op` negates, casts or scales (by a scalar) an operand that has the shape
// of the result, returns this operand; otherwise null.
static Value getScaledOperand(Operation *op) {
  if (isa<NegOp, CastOp>(op))
    return op->getOperand(0);
  if (!isa<MulOp, RealDivOp>(op))
    return {};
  auto isScalar = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getRank() == 0;
  };
  if (isScalar(op->getOperand(1)))
    return op->getOperand(0);
  return isa<MulOp>(op) && isScalar(op->getOperand(0)) ? op->getOperand(1)
                                                       : Value();
}

// If `axes` is the sum x + c of a value and a constant, sets `axes` to x and
// returns c; otherwise returns 0.
static int64_t takeOffset(Value &axes) {
  auto sum = axes.getDefiningOp<AddOp>();
  if (!sum)
    return 0;
  for (unsigned side : {0, 1})
    if (std::optional<int64_t> offset = getConstantInt(sum->getOperand(side))) {
      axes = sum->getOperand(1 - side);
      return *offset;
    }
  return 0;
}

// Returns the number of elements of the vector `vector` if it is static.
static std::optional<int64_t> lengthOf(Value vector) {
  auto type = dyn_cast<RankedTensorType>(vector.getType());
  if (!type || type.getRank() != 1 || type.isDynamicDim(0))
    return std::nullopt;
  return type.getDimSize(0);
}

// Creates the `ingot.sum_to_shape` to `shape` that replaces `sum`, and returns
// its result. Returns null if `sum` does not sum over the dimensions along
// which an operand of shape `shape` was broadcast.
//
// `sum` may sum only over dimensions in a slice of `shape`, while
// `ingot.sum_to_shape` sums over every dimension that is larger than in
// `shape`. The results are equal, as no dimension outside of the slice is
// larger. The graph reshapes `sum` to `shape`, so both have the same number of
// elements. If one dimension of `sum` were larger than in `shape`, another one
// would be smaller, and `ingot.sum_to_shape` would reject the shapes.
static Value sumToShape(NodeDecomposition &parts, SumOp sum, Value shape) {
  Value axes = sum.getAxes();
  int64_t offset = takeOffset(axes);
  auto args = axes.getDefiningOp<BroadcastGradientArgsOp>();
  if (!args || sum.getKeepDims())
    return {};
  bool isFirst = axes == args.getR0();
  Value own = isFirst ? args.getS0() : args.getS1();
  if (!isPart(own, shape, offset))
    return {};
  Value gradient = sum.getInput();
  if (offset > 0) {
    // The gradient has `missing` dimensions that `shape` lacks, because only
    // the other operand has them. They come after its first `offset`
    // dimensions. `sum_to_shape` aligns shapes at their last dimensions, so it
    // would sum over the first `missing` dimensions instead. Therefore create a
    // Sum over the dimensions [offset, offset + missing) first.
    auto ownRank = lengthOf(own);
    auto otherRank = lengthOf(isFirst ? args.getS1() : args.getS0());
    if (!ownRank || !otherRank)
      return {};
    int64_t missing = std::max(*otherRank - *ownRank, int64_t(0));
    auto leading = llvm::to_vector(llvm::seq(offset, offset + missing));
    if (missing > 0)
      gradient = parts.make<SumOp>(
          {gradient, parts.vector(leading, parts.builder.getI32Type())});
  }
  return gradient ? parts.make<SumToShapeOp>({gradient, shape}) : Value();
}

// Between the Sum and the Reshape, a graph may negate, cast or scale the sum:
// TensorFlow 1 negates it in the gradient of a subtraction, where later
// versions negate the summand. These ops are applied to the result of
// `ingot.sum_to_shape` instead.
Value importBroadcastGradient(NodeImport &node, NodeDecomposition &parts) {
  SmallVector<Operation *> between;
  Operation *op = parts.inputs[0].getDefiningOp();
  for (Value next; op && (next = getScaledOperand(op));
       op = next.getDefiningOp())
    between.push_back(op);
  auto sum = dyn_cast_or_null<SumOp>(op);
  Value result = sum ? sumToShape(parts, sum, parts.inputs[1]) : Value();
  if (!result)
    return {};
  Value previous = sum.getResult();
  for (Operation *elementwise : llvm::reverse(between)) {
    SmallVector<Value> operands(elementwise->getOperands());
    llvm::replace(operands, previous, result);
    Operation *moved = result
                           ? node.create(elementwise->getName().getStringRef(),
                                         operands, elementwise->getAttrs())
                           : nullptr;
    previous = elementwise->getResult(0);
    result = moved ? moved->getResult(0) : Value();
  }
  return result;
}

} // namespace ingot::importer
