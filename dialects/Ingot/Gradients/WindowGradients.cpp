//===- WindowGradients.cpp - Gradients of convolutions and pooling --------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/ConvolutionOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/PoolingOps.h"
#include "dialects/Ingot/IR/ReductionOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

namespace mlir::ingot {

static void differentiate(Conv2DOp op, Gradients &g) {
  Value x = op.getInput(), w = op.getFilter();
  ArrayRef<NamedAttribute> window = op.getOperation()->getAttrs();
  if (g.wants(x))
    g.add(x, g.make<Conv2DBackpropInputOp>({g.shape(x), w, g.of(op)}, window));
  if (g.wants(w))
    g.add(w, g.make<Conv2DBackpropFilterOp>({x, g.shape(w), g.of(op)}, window));
}

static void differentiate(Conv2DBackpropInputOp op, Gradients &g) {
  Value w = op.getFilter(), dy = op.getGradient();
  ArrayRef<NamedAttribute> window = op.getOperation()->getAttrs();
  if (g.wants(w))
    g.add(w,
          g.make<Conv2DBackpropFilterOp>({g.of(op), g.shape(w), dy}, window));
  if (g.wants(dy))
    g.add(dy, g.make<Conv2DOp>({g.of(op), w}, window));
}

static void differentiate(Conv2DBackpropFilterOp op, Gradients &g) {
  Value x = op.getInput(), dy = op.getGradient();
  ArrayRef<NamedAttribute> window = op.getOperation()->getAttrs();
  if (g.wants(x))
    g.add(x, g.make<Conv2DBackpropInputOp>({g.shape(x), g.of(op), dy}, window));
  if (g.wants(dy))
    g.add(dy, g.make<Conv2DOp>({x, g.of(op)}, window));
}

static void differentiate(ExtractPatchesOp op, Gradients &g) {
  Value x = op.getInput();
  if (!g.rankOf(x))
    return;
  SmallVector<NamedAttribute> window(op.getOperation()->getAttrs());
  ArrayRef<int64_t> size =
      cast<RankedTensorType>(x.getType()).getShape().slice(1, 2);
  SmallVector<int64_t> known;
  for (int64_t dim : size)
    known.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
  window.push_back(g.getBuilder().getNamedAttr(
      "size", g.getBuilder().getDenseI64ArrayAttr(known)));
  SmallVector<Value> operands = {g.of(op)};
  if (llvm::is_contained(known, -1))
    operands.push_back(g.shape(x));
  g.add(x, g.make<SumPatchesOp>(operands, window));
}

static void differentiate(SumPatchesOp op, Gradients &g) {
  SmallVector<NamedAttribute> window;
  for (NamedAttribute attribute : op.getOperation()->getAttrs())
    if (attribute.getName() != "size")
      window.push_back(attribute);
  g.add(op.getPatches(), g.make<ExtractPatchesOp>({g.of(op)}, window));
}

static void differentiate(MaxPoolOp op, Gradients &g) {
  g.add(op.getInput(), g.make<MaxPoolGradOp>({op.getInput(), g.of(op)},
                                             op.getOperation()->getAttrs()));
}

static void differentiate(AvgPoolOp op, Gradients &g) {
  g.add(op.getInput(), g.make<AvgPoolGradOp>({g.shape(op.getInput()), g.of(op)},
                                             op.getOperation()->getAttrs()));
}

static void differentiate(AvgPoolGradOp op, Gradients &g) {
  g.add(op.getGradient(),
        g.make<AvgPoolOp>({g.of(op)}, op.getOperation()->getAttrs()));
}

/// Adds the gradient of each window's maximum to the input element that was the
/// maximum; `argmax` has the positions of these elements.
static void differentiate(MaxPoolWithArgmaxOp op, Gradients &g) {
  Value x = op.getInput();
  GradientExpression places = g.term(op.getArgmax());
  if (!op.getIncludeBatchInIndex()) {
    GradientExpression count = g.product(g.dims(x, 0, 1));
    GradientExpression images =
        g.make<RangeOp>({g.index(0), count, g.index(1)});
    GradientExpression first = images * g.product(g.dims(x, 1, 4));
    first = g.reshape(first, g.indices({-1, 1, 1, 1}));
    places = places + g.cast(first, places.getElementType());
  }
  auto flat = [&](Value value) { return g.reshape(value, g.indices({-1})); };
  GradientExpression sums = g.make<SegmentReduceOp>(
      {flat(g.of(op.getOutput())), flat(places), g.product(g.shape(x))},
      g.text("reduction", "sum"));
  g.add(x, g.reshapeLike(sums, x));
}

/// Differentiates max_pool_grad with respect to its gradient operand. The op
/// adds a window's gradient to the window's first maximum, so the derivative
/// reads the result's gradient at that element.
static void differentiate(MaxPoolGradOp op, Gradients &g) {
  Value x = op.getInput();
  ArrayRef<NamedAttribute> window = op.getOperation()->getAttrs();
  auto patches = [&](Value image) {
    return g.make<ExtractPatchesOp>({image}, window);
  };
  if (!g.wants(op.getGradient()))
    return;
  GradientExpression seen = patches(x);
  Type type = seen.getElementType();
  GradientExpression largest = g.expand(g.make<MaxPoolOp>({x}, window), 3);
  GradientExpression isLargest = g.cast(g.make<EqualOp>({seen, largest}), type);
  // In patches, padding has the value 0. Multiplying with patches of a tensor
  // of ones excludes padding from the elements that count as the maximum.
  GradientExpression chosen = isLargest * patches(g.ones(x));
  GradientExpression before = g.make<CumulativeOp>(
      {chosen, g.index(3)}, {g.text("kind", "sum"), g.flag("exclusive", true)});
  GradientExpression isFirst = g.make<LessOp>({before, g.number(type, 0.5)});
  GradientExpression first = chosen * g.cast(isFirst, type);
  g.add(op.getGradient(), g.sum(first * patches(g.of(op)), 3));
}

void attachWindowGradients(MLIRContext &context) {
  attachGradientsOf<Conv2DOp, Conv2DBackpropInputOp, Conv2DBackpropFilterOp,
                    ExtractPatchesOp, SumPatchesOp, MaxPoolOp,
                    MaxPoolWithArgmaxOp, AvgPoolOp, AvgPoolGradOp,
                    MaxPoolGradOp>(context);
}

} // namespace mlir::ingot
