//===- ReductionGradients.cpp - Gradients of reductions over axes ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/ReductionOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

namespace mlir::ingot {

namespace {

/// The rank of a reduction's input, and the axes over which it reduces.
struct ReductionAxes {
  int32_t rank;
  SmallVector<int32_t> axes;
  bool keepsDims;

  /// Reshapes `result`, a tensor with the shape of the reduction's result, so
  /// that reduced dimensions are kept with size 1. It can then be broadcast to
  /// the input's shape.
  GradientExpression keep(Value result, Gradients &g) const {
    if (!keepsDims)
      for (int32_t axis : axes)
        result = g.expand(result, axis);
    return g.term(result);
  }
};

} // namespace

template <typename OpTy>
static std::optional<ReductionAxes> reducedBy(OpTy op, Gradients &g) {
  std::optional<int32_t> rank = g.rankOf(op.getInput());
  std::optional<SmallVector<int32_t>> axes =
      rank ? g.axesOf(op.getAxes(), *rank) : std::nullopt;
  if (!axes || !g.wants(op.getInput()))
    return std::nullopt;
  return ReductionAxes{*rank, *axes, op.getKeepDims()};
}

static void differentiate(SumOp op, Gradients &g) {
  if (std::optional<ReductionAxes> reduced = reducedBy(op, g))
    g.add(op.getInput(),
          g.broadcastLike(reduced->keep(g.of(op), g), op.getInput()));
}

/// Returns how many input elements are reduced to one element of the result: a
/// constant if the input's shape is static.
static GradientExpression countOf(Value input, const ReductionAxes &reduced,
                                  Type elementType, Gradients &g) {
  auto type = cast<RankedTensorType>(input.getType());
  int64_t count = 1;
  for (int32_t axis : reduced.axes)
    count = type.isDynamicDim(axis) || count < 0
                ? -1
                : count * type.getDimSize(axis);
  if (count >= 0)
    return g.number(elementType, static_cast<double>(count));
  SmallVector<Value> sizes;
  for (int32_t axis : reduced.axes)
    sizes.push_back(g.dims(input, axis, axis + 1));
  return g.cast(g.product(g.join(sizes)), elementType);
}

static void differentiate(MeanOp op, Gradients &g) {
  std::optional<ReductionAxes> reduced = reducedBy(op, g);
  if (!reduced)
    return;
  GradientExpression dy = g.of(op);
  GradientExpression share =
      dy / countOf(op.getInput(), *reduced, dy.getElementType(), g);
  g.add(op.getInput(), g.broadcastLike(reduced->keep(share, g), op.getInput()));
}

/// Differentiates a product: the derivative with respect to an element is the
/// product of all other elements. Dividing the whole product by the element
/// fails if the element is 0, so this multiplies the product of the elements
/// before it by the product of the elements after it.
static void differentiate(ProdOp op, Gradients &g) {
  std::optional<ReductionAxes> reduced = reducedBy(op, g);
  if (!reduced)
    return;
  Value x = op.getInput();
  SmallVector<int32_t> permutation = reduced->axes;
  for (int32_t dim = 0; dim < reduced->rank; ++dim)
    if (!llvm::is_contained(reduced->axes, dim))
      permutation.push_back(dim);
  SmallVector<int32_t> inverse(permutation.size());
  for (auto [i, from] : llvm::enumerate(permutation))
    inverse[from] = static_cast<int32_t>(i);
  auto count = static_cast<int32_t>(reduced->axes.size());
  GradientExpression permuted = g.transpose(x, permutation);
  GradientExpression length =
      g.make<ExpandDimsOp>({g.product(g.dims(permuted, 0, count)), g.index(0)});
  GradientExpression rows = g.reshape(
      permuted, g.join({length, g.dims(permuted, count, reduced->rank)}));
  auto others = [&](bool reverse) {
    return g.make<CumulativeOp>(
        {rows, g.index(0)}, {g.text("kind", "prod"), g.flag("exclusive", true),
                             g.flag("reverse", reverse)});
  };
  GradientExpression product =
      g.reshapeLike(others(false) * others(true), permuted);
  g.add(x, g.broadcastLike(reduced->keep(g.of(op), g), x) *
               g.transpose(product, inverse));
}

/// Differentiates a maximum or minimum: all elements that equal the result
/// share the gradient equally.
template <typename OpTy>
static void differentiateExtremum(OpTy op, Gradients &g) {
  std::optional<ReductionAxes> reduced = reducedBy(op, g);
  if (!reduced)
    return;
  GradientExpression dy = reduced->keep(g.of(op), g);
  GradientExpression isChosen =
      g.make<EqualOp>({reduced->keep(op.getOutput(), g), op.getInput()});
  GradientExpression chosen = g.cast(isChosen, dy.getElementType());
  GradientExpression count = g.sum(chosen, reduced->axes, /*keepsDims=*/true);
  g.add(op.getInput(), chosen / count * dy);
}
static void differentiate(MaxOp op, Gradients &g) {
  differentiateExtremum(op, g);
}
static void differentiate(MinOp op, Gradients &g) {
  differentiateExtremum(op, g);
}

void attachReductionGradients(MLIRContext &context) {
  attachGradientsOf<SumOp, MeanOp, ProdOp, MaxOp, MinOp>(context);
}

} // namespace mlir::ingot
