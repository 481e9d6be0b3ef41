//===- RaggedGradients.cpp - Gradients of ragged tensors' values ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/RaggedOps.h"
#include "dialects/Ingot/IR/ReductionOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

namespace mlir::ingot {

/// Adds the gradient of each row of the result to the gradient of the row of
/// the values that was gathered. To know the indices of the gathered rows,
/// gathers the numbers 0, 1, ... in the same way as the values.
static void differentiate(RaggedGatherOp op, Gradients &g) {
  Value values = op.getValues();
  GradientExpression count = g.reshape(g.dims(values, 0, 1), g.indices({}));
  SmallVector<Value> operands(op.getNestedSplits());
  operands.push_back(g.make<RangeOp>({g.index(0), count, g.index(1)}));
  operands.push_back(op.getIndices());
  SmallVector<Value> rows = g.makeAll<RaggedGatherOp>(
      operands, g.getBuilder().getNamedAttr("output_ragged_rank",
                                            op.getOutputRaggedRankAttr()));
  g.add(values, g.make<SegmentReduceOp>(
                    {g.of(op.getOutputValues()), rows.back(), count},
                    g.text("reduction", "sum")));
}

static void differentiate(RaggedToSparseOp op, Gradients &g) {
  std::optional<int32_t> rank = g.rankOf(op.getValues());
  if (rank)
    g.add(op.getValues(), g.reshape(g.of(op.getSparseValues()),
                                    g.dims(op.getValues(), 0, *rank)));
}

void attachRaggedGradients(MLIRContext &context) {
  attachGradientsOf<RaggedGatherOp, RaggedToSparseOp>(context);
}

} // namespace mlir::ingot
