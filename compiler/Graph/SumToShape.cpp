//===- SumToShape.cpp - Gradients of broadcasts as sums over axes ---------===//

#include "compiler/Graph/SumToShape.h"
#include "compiler/Graph/SymbolicShapes.h"
#include "dialects/Ingot/MathReductionOps.h"
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

} // namespace ingot::graph
