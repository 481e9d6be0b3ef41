//===- SumToShape.cpp - Gradients of broadcasts as reductions -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/SumToShape.h"
#include "compiler/Graph/SymbolicShapes.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/Folding.h"
#include "dialects/Ingot/IR/InferredOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/PartialConstants.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/ShapeInference.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

bool expandSumToShape(SumToShapeOp op, const SymbolicShapes *shapes) {
  auto from = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto to = dyn_cast<RankedTensorType>(op.getType());
  if (!from || !to)
    return false;
  int64_t missing = from.getRank() - to.getRank();
  auto areSame = [&](int64_t axis) {
    if (!shapes)
      return false;
    return (*shapes)[op.getInput()][axis] ==
           (*shapes)[op.getOutput()][axis - missing];
  };
  SmallVector<int32_t> axes;
  for (auto [i, dim] : llvm::enumerate(from.getShape())) {
    int64_t axis = static_cast<int64_t>(i);
    int64_t kept = axis < missing ? 1 : to.getDimSize(axis - missing);
    if (kept == 1 && (dim != 1 || axis < missing))
      axes.push_back(axis);
    // This dimension of the result has a dynamic size. At run time, it may be
    // 1, so that a sum over the dimension is needed, or it may be the size of
    // the input, so that no sum is needed. So the sum_to_shape cannot be
    // replaced by a sum over fixed axes.
    if (ShapedType::isDynamic(kept) && dim != 1 && !areSame(axis))
      return false;
  }
  OpBuilder builder(op);
  Value value = op.getInput();
  if (!axes.empty()) {
    Value list =
        createConstant(builder, op.getLoc(), builder.getI32TensorAttr(axes));
    value = SumOp::create(builder, op.getLoc(), value, list);
  }
  if (value.getType() != to)
    value = ReshapeOp::create(builder, op.getLoc(), to, value, op.getShape());
  op.replaceAllUsesWith(value);
  op.erase();
  return true;
}

/// Whether a tensor whose shape is the value `shape` may be broadcast to type
/// `to`. An element of `shape` that is unknown at compile time may have any
/// value.
static bool mayBeBroadcast(Value shape, RankedTensorType to) {
  auto type = dyn_cast<RankedTensorType>(shape.getType());
  if (!type || !type.hasStaticShape() || type.getDimSize(0) > to.getRank())
    return false;
  auto sizes = getPartialInts(shape);
  if (!sizes)
    return false;
  ArrayRef<int64_t> last = to.getShape().take_back(sizes->size());
  return llvm::all_of(llvm::zip_equal(*sizes, last), [](auto pair) {
    auto [own, all] = pair;
    return own == 1 || areCompatibleDims(own, all);
  });
}

/// If `axes` are the reduction axes that a BroadcastGradientArgs op returns for
/// one of its operands, returns the shape of this operand; null otherwise.
static Value shapeOfBroadcast(Value axes) {
  auto both = axes.getDefiningOp<BroadcastGradientArgsOp>();
  if (!both)
    return {};
  return axes == both.getR0() ? both.getS0() : both.getS1();
}

/// Prepends ones to `shape` until it has `rank` elements: a broadcast operand
/// has size 1 in dimensions that it lacks. Returns null if type inference
/// rejects the concatenation.
static Value ofRank(OpBuilder &builder, Location loc, Value shape,
                    int64_t rank) {
  auto type = cast<RankedTensorType>(shape.getType());
  int64_t missing = rank - type.getDimSize(0);
  if (missing == 0)
    return shape;
  auto constant = [&](RankedTensorType constantType, int64_t value) {
    APInt element(constantType.getElementTypeBitWidth(), value);
    return createConstant(builder, loc, makeConstant(constantType, element));
  };
  Value ones =
      constant(RankedTensorType::get({missing}, type.getElementType()), 1);
  Value axis = constant(RankedTensorType::get({}, builder.getI32Type()), 0);
  Operation *joined = createInferred(builder, loc, ConcatOp::getOperationName(),
                                     {axis, ones, shape}, {});
  return joined ? joined->getResult(0) : Value();
}

bool replaceSumOverBroadcast(SumOp op) {
  Value shape = shapeOfBroadcast(op.getAxes());
  auto from = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!shape || !from || !op.getKeepDims() || !mayBeBroadcast(shape, from))
    return false;
  OpBuilder builder(op);
  shape = ofRank(builder, op.getLoc(), shape, from.getRank());
  Operation *sum = shape ? createInferred(builder, op.getLoc(),
                                          SumToShapeOp::getOperationName(),
                                          {op.getInput(), shape}, {})
                         : nullptr;
  if (!sum)
    return false;
  op.replaceAllUsesWith(sum->getResult(0));
  op.erase();
  return true;
}

/// Graphs normalize negative axes by computing (axes + rank) % rank. Returns
/// the value from which `axes` is computed in this way, or else `axes` itself.
static Value skipNormalization(Value axes) {
  while (Operation *op = axes.getDefiningOp()) {
    if (!isa<AddOp, FloorModOp>(op))
      break;
    if (getConstantInt(op->getOperand(1)))
      axes = op->getOperand(0);
    else if (isa<AddOp>(op) && getConstantInt(op->getOperand(0)))
      axes = op->getOperand(1);
    else
      break;
  }
  return axes;
}

bool replaceKeptShape(DynamicStitchOp op) {
  if (op.getIndices().size() != 2)
    return false;
  auto all = getConstantInts(op.getIndices()[0]);
  auto whole = op.getData()[0].getDefiningOp<ShapeOp>();
  auto from = whole ? dyn_cast<RankedTensorType>(whole.getInput().getType())
                    : RankedTensorType();
  Value shape = shapeOfBroadcast(skipNormalization(op.getIndices()[1]));
  auto ones = op.getData()[1].getDefiningOp<FillOp>();
  if (!all || !from || !shape || !ones ||
      static_cast<int64_t>(all->size()) != from.getRank() ||
      !llvm::equal(*all, llvm::seq<int64_t>(from.getRank())) ||
      getConstantInt(ones.getValue()) != 1 || !mayBeBroadcast(shape, from) ||
      getElementTypeOrSelf(shape) != getElementTypeOrSelf(op.getType()))
    return false;
  OpBuilder builder(op);
  Value kept = ofRank(builder, op.getLoc(), shape, from.getRank());
  if (!kept)
    return false;
  op.replaceAllUsesWith(kept);
  op.erase();
  return true;
}

} // namespace ingot::graph
