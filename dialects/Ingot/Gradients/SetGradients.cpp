//===- SetGradients.cpp - Gradients of partitions and stitches ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/SetOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

namespace mlir::ingot {

/// Undoes the partition: puts the gradient of each slice back at the slice's
/// original index. To know these indices, partitions the numbers 0, 1, ... in
/// the same way as the slices. dynamic_stitch then places the gradients.
static void differentiate(DynamicPartitionOp op, Gradients &g) {
  Value data = op.getData(), partitions = op.getPartitions();
  std::optional<int32_t> rank = g.rankOf(data), leading = g.rankOf(partitions);
  if (!rank || !leading)
    return;
  GradientExpression count = g.product(g.shape(partitions));
  GradientExpression numbers = g.reshapeLike(
      g.make<RangeOp>({g.index(0), count, g.index(1)}), partitions);
  SmallVector<Value> operands = g.makeAll<DynamicPartitionOp>(
      {numbers, partitions}, op.getOperation()->getAttrs());
  for (Value part : op.getOutputs())
    operands.push_back(g.of(part));
  g.add(data, g.reshapeLike(g.make<DynamicStitchOp>(operands), data));
}

static void differentiate(DynamicStitchOp op, Gradients &g) {
  for (auto [indices, data] : llvm::zip(op.getIndices(), op.getData()))
    if (g.wants(data))
      g.add(data, g.make<GatherOp>({g.of(op), indices, g.index(0)}));
}

void attachSetGradients(MLIRContext &context) {
  attachGradientsOf<DynamicPartitionOp, DynamicStitchOp>(context);
}

} // namespace mlir::ingot
