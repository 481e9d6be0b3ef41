//===- ArrayGradients.cpp - Gradients of concatenations and splits --------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"

namespace mlir::ingot {

static void differentiate(ConcatOp op, Gradients &g) {
  std::optional<int32_t> rank = g.rankOf(op.getInputs().front());
  std::optional<SmallVector<int32_t>> axes =
      rank ? g.axesOf(op.getAxis(), *rank) : std::nullopt;
  if (!axes)
    return;
  int32_t axis = axes->front();
  SmallVector<int32_t> before(axis), after(*rank - axis - 1);
  SmallVector<int32_t> allBefore(axis, -1), allAfter(*rank - axis - 1, -1);
  GradientExpression offset = g.indices(0);
  for (Value input : op.getInputs()) {
    GradientExpression size = g.dims(input, axis, axis + 1);
    if (g.wants(input)) {
      GradientExpression begin =
          g.join({g.indices(before), offset, g.indices(after)});
      GradientExpression sizes =
          g.join({g.indices(allBefore), size, g.indices(allAfter)});
      g.add(input, g.make<SliceOp>({g.of(op), begin, sizes}));
    }
    offset = offset + size;
  }
}

static void differentiate(SplitOp op, Gradients &g) {
  SmallVector<Value> operands = {op.getAxis()};
  for (Value piece : op.getOutputs())
    operands.push_back(g.of(piece));
  g.add(op.getInput(), g.make<ConcatOp>(operands));
}

static void differentiate(BroadcastToOp op, Gradients &g) {
  g.addBroadcast(op.getInput(), g.of(op));
}
static void differentiate(EnsureShapeOp op, Gradients &g) {
  g.add(op.getInput(), g.of(op));
}
static void differentiate(SumToShapeOp op, Gradients &g) {
  g.add(op.getInput(), g.broadcastLike(g.of(op), op.getInput()));
}

void attachArrayGradients(MLIRContext &context) {
  attachGradientsOf<ConcatOp, SplitOp, BroadcastToOp, EnsureShapeOp,
                    SumToShapeOp>(context);
  attachNoGradients<OneHotOp>(context);
}

} // namespace mlir::ingot
