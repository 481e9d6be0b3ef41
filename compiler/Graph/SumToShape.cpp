//===- SumToShape.cpp - Gradients of broadcasts as sums over axes ---------===//

#include "compiler/Graph/SumToShape.h"
#include "compiler/Graph/SymbolicShapes.h"
#include "dialects/Ingot/ArrayOps.h"
#include "dialects/Ingot/Folding.h"
#include "dialects/Ingot/InferredOps.h"
#include "dialects/Ingot/PartialInts.h"
#include "dialects/Ingot/ShapeInference.h"
#include "dialects/Ingot/TensorOps.h"

#include "mlir/IR/Builders.h"

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
    // A size that is not known may be the input's, or be 1.
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

/// Whether an operand of shape `shape` may have been broadcast to `to`.
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

bool replaceSumOverBroadcast(SumOp op) {
  auto axes = op.getAxes().getDefiningOp<BroadcastGradientArgsOp>();
  auto from = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!axes || !from || !op.getKeepDims())
    return false;
  Value shape = op.getAxes() == axes.getR0() ? axes.getS0() : axes.getS1();
  if (!mayBeBroadcast(shape, from))
    return false;
  auto type = cast<RankedTensorType>(shape.getType());
  OpBuilder builder(op);
  // Dimensions that the operand did not have are 1 of what is kept.
  if (int64_t missing = from.getRank() - type.getDimSize(0); missing > 0) {
    auto constant = [&](RankedTensorType constantType, int64_t value) {
      APInt element(constantType.getElementTypeBitWidth(), value);
      return createConstant(builder, op.getLoc(),
                            makeConstant(constantType, element));
    };
    Value ones =
        constant(RankedTensorType::get({missing}, type.getElementType()), 1);
    Value axis = constant(RankedTensorType::get({}, builder.getI32Type()), 0);
    Operation *joined =
        createInferred(builder, op.getLoc(), ConcatOp::getOperationName(),
                       {axis, ones, shape}, {});
    if (!joined)
      return false;
    shape = joined->getResult(0);
  }
  Operation *sum =
      createInferred(builder, op.getLoc(), SumToShapeOp::getOperationName(),
                     {op.getInput(), shape}, {});
  if (!sum)
    return false;
  op.replaceAllUsesWith(sum->getResult(0));
  op.erase();
  return true;
}

} // namespace ingot::graph
