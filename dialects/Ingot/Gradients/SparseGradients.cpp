//===- SparseGradients.cpp - Gradients of sparse tensors' elements --------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/ReductionOps.h"
#include "dialects/Ingot/IR/SparseOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include <numeric>

namespace mlir::ingot {

/// Undoes the reordering: adds the gradient of each value at the value's
/// original index. To know these indices, reorders the numbers 0, 1, ... in the
/// same way as the values.
static void differentiate(SparseReorderOp op, Gradients &g) {
  Value values = op.getValues();
  GradientExpression count = g.reshape(g.dims(values, 0, 1), g.indices({}));
  GradientExpression numbers = g.make<RangeOp>({g.index(0), count, g.index(1)});
  SmallVector<Value> ordered =
      g.makeAll<SparseReorderOp>({op.getIndices(), numbers, op.getShape()});
  g.add(values,
        g.make<SegmentReduceOp>({g.of(op.getOutputValues()), ordered[1], count},
                                g.text("reduction", "sum")));
}

static void differentiate(SparseFillEmptyRowsOp op, Gradients &g) {
  SmallVector<Value> gradients = g.makeAll<SparseFillEmptyRowsGradOp>(
      {op.getPlaces(), g.of(op.getOutputValues())});
  g.add(op.getValues(), gradients[0]);
  g.add(op.getDefaultValue(), gradients[1]);
}

static void differentiate(SparseToDenseOp op, Gradients &g) {
  std::optional<int32_t> rank = g.rankOf(op.getIndices());
  if (!rank)
    return;
  // gather_nd needs a matrix of indices. If `indices` is a scalar or a vector,
  // the tensor to gather from is a vector, so the matrix has one column.
  Value indices = op.getIndices();
  if (*rank < 2)
    indices = g.reshape(indices, g.indices({-1, 1}));
  GradientExpression picked = g.make<GatherNdOp>({g.of(op), indices});
  if (auto type = dyn_cast<RankedTensorType>(op.getValues().getType());
      type && *rank == 0 && type.getRank() == 0)
    picked = g.reshape(picked, g.indices({}));
  g.addBroadcast(op.getValues(), picked);
  auto total = [&](Value tensor) {
    return g.sum(g.reshape(tensor, g.indices(-1)), 0);
  };
  if (g.wants(op.getDefaultValue()))
    g.add(op.getDefaultValue(), total(g.of(op)) - total(picked));
}

/// The gradient of the softmax of each row: y * (dy - sum(y * dy)). As in
/// TensorFlow, the elements must be in row-major order.
static void differentiate(SparseSoftmaxOp op, Gradients &g) {
  int64_t rank = cast<TensorType>(op.getIndices().getType()).hasRank()
                     ? cast<ShapedType>(op.getIndices().getType()).getDimSize(1)
                     : ShapedType::kDynamic;
  if (ShapedType::isDynamic(rank))
    return g.refuse("the rank of the sparse tensor must be known at compile "
                    "time");
  SmallVector<int32_t> leading(rank - 1);
  std::iota(leading.begin(), leading.end(), 0);
  GradientExpression ofOutput = g.of(op), output = g.term(op.getOutput());
  SmallVector<Value> sums = g.makeAll<SparseReduceOp>(
      {op.getIndices(), output * ofOutput, op.getShape(), g.index(-1)},
      g.text("reduction", "sum"));
  GradientExpression dense = g.make<SparseToDenseOp>(
      {sums[0], sums[2], sums[1], g.number(op.getValues(), 0)},
      g.flag("validate_indices", false));
  GradientExpression rows =
      g.make<GatherOp>({op.getIndices(), g.indices(leading), g.index(1)});
  g.add(op.getValues(),
        output * (ofOutput - g.make<GatherNdOp>({dense, rows})));
}

static void differentiate(SparseAddOp op, Gradients &g) {
  SmallVector<Value> gradients =
      g.makeAll<SparseAddGradOp>({g.of(op.getSumValues()), op.getAIndices(),
                                  op.getBIndices(), op.getSumIndices()});
  g.add(op.getAValues(), gradients[0]);
  g.add(op.getBValues(), gradients[1]);
}

/// Multiplies the gradient of the loss with the derivative that the op has
/// already computed (its second result).
static void differentiate(CTCLossOp op, Gradients &g) {
  if (g.reaches(op.getGradient()))
    return g.refuse("the second derivative is not supported");
  GradientExpression ofLosses = g.expand(g.of(op.getLoss()), -1);
  g.add(op.getInputs(), ofLosses * op.getGradient());
}

void attachSparseGradients(MLIRContext &context) {
  attachGradientsOf<SparseReorderOp, SparseFillEmptyRowsOp, SparseToDenseOp,
                    SparseSoftmaxOp, SparseAddOp, CTCLossOp>(context);
  attachNoGradients<CTCGreedyDecoderOp, SparseAddGradOp, EditDistanceOp>(
      context);
}

} // namespace mlir::ingot
