//===- TensorGradients.cpp - Gradients of ops that reshape ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

namespace mlir::ingot {

static void differentiate(ReshapeOp op, Gradients &g) {
  g.add(op.getInput(), g.reshapeLike(g.of(op), op.getInput()));
}
static void differentiate(ExpandDimsOp op, Gradients &g) {
  g.add(op.getInput(), g.reshapeLike(g.of(op), op.getInput()));
}
static void differentiate(SqueezeOp op, Gradients &g) {
  g.add(op.getInput(), g.reshapeLike(g.of(op), op.getInput()));
}

static void differentiate(TransposeOp op, Gradients &g) {
  std::optional<SmallVector<int64_t>> permutation =
      getConstantInts(op.getPermutation());
  if (!permutation)
    return g.refuse("the permutation must be known at compile time");
  auto rank = static_cast<int64_t>(permutation->size());
  SmallVector<int32_t> inverse(permutation->size());
  for (auto [i, from] : llvm::enumerate(*permutation))
    inverse[from < 0 ? from + rank : from] = static_cast<int32_t>(i);
  g.add(op.getInput(), g.transpose(g.of(op), inverse));
}

/// Adds up the gradients of all copies of an element of a tile: reshapes each
/// dimension of the gradient into two, the repetitions and the original
/// dimension, and sums over the repetitions.
static void differentiate(TileOp op, Gradients &g) {
  std::optional<int32_t> rank = g.rankOf(op.getInput());
  if (!rank || !g.wants(op.getInput()))
    return;
  GradientExpression multiples =
      g.cast(op.getMultiples(), g.getBuilder().getI32Type());
  SmallVector<Value> sizes;
  SmallVector<int32_t> repetitions;
  for (int32_t dim = 0; dim < *rank; ++dim) {
    sizes.push_back(g.slice(multiples, dim, dim + 1));
    sizes.push_back(g.dims(op.getInput(), dim, dim + 1));
    repetitions.push_back(2 * dim);
  }
  if (*rank == 0)
    return g.add(op.getInput(), g.of(op));
  g.add(op.getInput(), g.sum(g.reshape(g.of(op), g.join(sizes)), repetitions));
}

static void differentiate(FillOp op, Gradients &g) {
  if (!g.wants(op.getValue()))
    return;
  g.add(op.getValue(), g.sum(g.reshape(g.of(op), g.indices(-1)), 0));
}

void attachTensorGradients(MLIRContext &context) {
  attachGradientsOf<ReshapeOp, ExpandDimsOp, SqueezeOp, TransposeOp, TileOp,
                    FillOp>(context);
  attachNoGradients<RangeOp, ZerosLikeOp, OnesLikeOp>(context);
}

} // namespace mlir::ingot
