//===- MaterializeBroadcasts.cpp - Open dimensions that may be 1 ----------===//

#include "compiler/Graph/Passes.h"
#include "compiler/Graph/SumToShape.h"
#include "compiler/Graph/SymbolicShapes.h"

#include "dialects/Ingot/BroadcastOps.h"

#include "mlir/IR/Builders.h"

namespace ingot::graph {
#define GEN_PASS_DEF_MATERIALIZEBROADCASTSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::graph::SymbolicShapes;

/// Whether `operand` is as long as `result` wherever its type does not say 1.
static bool fits(Value operand, Value result, const SymbolicShapes &shapes) {
  auto type = cast<RankedTensorType>(operand.getType());
  ArrayRef<int64_t> own = shapes[operand], all = shapes[result];
  if (own.size() > all.size())
    return true;
  all = all.take_back(own.size());
  for (auto [dim, size] : llvm::enumerate(own))
    if (type.isDynamicDim(dim) && size != all[dim])
      return false;
  return true;
}

static void materialize(Operation *op, const SymbolicShapes &shapes) {
  if (op->getNumResults() == 0 ||
      !llvm::all_of(op->getOperandTypes(),
                    [](Type type) { return isa<RankedTensorType>(type); }))
    return;
  SmallVector<Value> operands(op->getOperands());
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (fits(operand.get(), op->getResult(0), shapes))
      continue;
    SmallVector<Value> others;
    for (Value other : operands)
      if (other != operand.get())
        others.push_back(other);
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    operand.set(BroadcastAgainstOp::create(
        builder, op->getLoc(),
        result.clone(getElementTypeOrSelf(operand.get().getType())),
        operands[operand.getOperandNumber()], others));
  }
}

namespace {
struct MaterializeBroadcasts
    : ::ingot::graph::impl::MaterializeBroadcastsPassBase<
          MaterializeBroadcasts> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (Operation &root : *getOperation().getBody()) {
      if (!isa<EntryOp, func::FuncOp>(root))
        continue;
      SmallVector<Operation *> open;
      SmallVector<SumToShapeOp> sums;
      root.walk([&](Operation *op) {
        if (auto sum = dyn_cast<SumToShapeOp>(op))
          sums.push_back(sum);
        if (::ingot::graph::isElementwise(op) &&
            llvm::any_of(op->getOperandTypes(), [](Type type) {
              return !cast<ShapedType>(type).hasStaticShape();
            }))
          open.push_back(op);
      });
      if (open.empty() && sums.empty())
        continue;
      SymbolicShapes shapes(&root, symbols);
      for (Operation *op : open)
        materialize(op, shapes);
      // Users first: what is asked of shapes has been there from the start.
      for (SumToShapeOp sum : llvm::reverse(sums))
        ::ingot::graph::expandSumToShape(sum, &shapes);
    }
  }
};
} // namespace
