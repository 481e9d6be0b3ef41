//===- InferShapes.cpp - Folding of shape arithmetic, types from it -------===//

#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/ArrayOps.h"
#include "dialects/Ingot/ShapeInference.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace ingot::graph {
#define GEN_PASS_DEF_INFERSHAPESPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

using namespace mlir;
using namespace mlir::ingot;

/// All that either type says of a tensor; `current` where they disagree.
static Type refined(Type current, Type inferred) {
  auto tensor = dyn_cast<TensorType>(current);
  if (!tensor || !areCompatibleTypes(current, inferred))
    return current;
  return getTensorType(
      refineShape(getTensorShape(current), getTensorShape(inferred)),
      tensor.getElementType());
}

/// Replaces `op` by what it folds to; false if it does not fold.
static bool fold(Operation *op) {
  if (op->getNumResults() == 0 || op->hasTrait<OpTrait::ConstantLike>())
    return false;
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(folded)) || folded.empty())
    return false;
  OpBuilder builder(op);
  SmallVector<Value> values;
  for (auto [result, type] : llvm::zip(folded, op->getResultTypes())) {
    if (auto value = dyn_cast<Value>(result)) {
      values.push_back(value);
      continue;
    }
    auto elements = dyn_cast<ElementsAttr>(cast<Attribute>(result));
    if (!elements)
      return false;
    values.push_back(ConstantOp::create(builder, op->getLoc(), elements));
  }
  op->replaceAllUsesWith(values);
  op->erase();
  return true;
}

static void inferTypes(Operation *op) {
  auto inferable = dyn_cast<InferTypeOpInterface>(op);
  SmallVector<Type> types;
  if (!inferable || failed(inferable.inferReturnTypes(
                        op->getContext(), op->getLoc(), op->getOperands(),
                        op->getDiscardableAttrDictionary(),
                        op->getPropertiesStorage(), op->getRegions(), types)))
    return;
  for (auto [result, type] : llvm::zip(op->getResults(), types))
    result.setType(refined(result.getType(), type));
}

/// The gradient of a broadcast as a sum over axes, where these are known.
static bool expand(SumToShapeOp op) {
  auto from = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto to = dyn_cast<RankedTensorType>(op.getType());
  if (!from || !to)
    return false;
  int64_t missing = from.getRank() - to.getRank();
  SmallVector<int32_t> axes;
  for (auto [i, dim] : llvm::enumerate(from.getShape())) {
    int64_t axis = static_cast<int64_t>(i);
    int64_t kept = axis < missing ? 1 : to.getDimSize(axis - missing);
    if (kept == 1 && (dim != 1 || axis < missing))
      axes.push_back(axis);
    // A size that is not known may be kept or be 1.
    if (ShapedType::isDynamic(kept) && dim != 1)
      return false;
  }
  OpBuilder builder(op);
  Value value = op.getInput();
  if (!axes.empty()) {
    Value list = ConstantOp::create(builder, op.getLoc(),
                                    builder.getI32TensorAttr(axes));
    value = SumOp::create(builder, op.getLoc(), value, list);
  }
  if (value.getType() != to)
    value = ReshapeOp::create(builder, op.getLoc(), to, value, op.getShape());
  op.replaceAllUsesWith(value);
  op.erase();
  return true;
}

static void refine(Region &region) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(block)) {
      // Folders need the static type that the shape function finds.
      inferTypes(&op);
      if (fold(&op))
        continue;
      if (auto sum = dyn_cast<SumToShapeOp>(op); sum && expand(sum))
        continue;
      for (Region &nested : op.getRegions())
        refine(nested);
    }
}

namespace {
struct InferShapes : ::ingot::graph::impl::InferShapesPassBase<InferShapes> {
  void runOnOperation() override {
    refine(getOperation().getBodyRegion());
    // Functions of datasets state their results' types.
    getOperation().walk([](func::FuncOp function) {
      if (function.isExternal())
        return;
      Operation *terminator = function.getBody().front().getTerminator();
      function.setType(
          FunctionType::get(function.getContext(), function.getArgumentTypes(),
                            SmallVector<Type>(terminator->getOperandTypes())));
    });
  }
};
} // namespace
