//===- SparseGradients.cpp - Gradients of sparse tensors' elements --------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/ReductionOps.h"
#include "dialects/Ingot/IR/SparseOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

namespace mlir::ingot {

/// Restores the order of the elements in the gradient: reorders their indices
/// like the elements themselves, then adds each gradient at its element's
/// index.
static void differentiate(SparseReorderOp op, Gradients &g) {
  Value values = op.getValues();
  GradientTerm count = g.reshape(g.dims(values, 0, 1), g.indices({}));
  GradientTerm numbers = g.make<RangeOp>({g.index(0), count, g.index(1)});
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
  // If `indices` is a scalar or a vector, the result is a vector and each index
  // is a position in it; gather_nd needs them as a matrix with one column.
  Value indices = op.getIndices();
  if (*rank < 2)
    indices = g.reshape(indices, g.indices({-1, 1}));
  GradientTerm picked = g.make<GatherNdOp>({g.of(op), indices});
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

/// Multiplies the gradient of the loss with the derivative that the op has
/// already computed (its second result).
static void differentiate(CTCLossOp op, Gradients &g) {
  if (g.reaches(op.getGradient()))
    return g.refuse("its second derivative is not supported");
  GradientTerm ofLosses = g.expand(g.of(op.getLoss()), -1);
  g.add(op.getInputs(), ofLosses * op.getGradient());
}

void attachSparseGradients(MLIRContext &context) {
  attachGradientsOf<SparseReorderOp, SparseFillEmptyRowsOp, SparseToDenseOp,
                    CTCLossOp>(context);
  attachNoGradients<CTCGreedyDecoderOp>(context);
}

} // namespace mlir::ingot
