//===- ScanGradients.cpp - Gradients of scans, segments and top_k ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/ReductionOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include <limits>

namespace mlir::ingot {

/// Returns `values` accumulated along the axis of `op`, but in the opposite
/// direction. `kind` is the kind of accumulation, such as "sum".
static GradientExpression scanBack(CumulativeOp op, Value values,
                                   StringRef kind, Gradients &g) {
  return g.make<CumulativeOp>({values, op.getAxis()},
                              {g.text("kind", kind),
                               g.flag("exclusive", op.getExclusive()),
                               g.flag("reverse", !op.getReverse())});
}

/// Differentiates a cumulative log-sum-exp. The formula needs the logarithm of
/// the gradient, so the positive and the negative part of the gradient are
/// treated separately.
static void differentiateLogSumExp(CumulativeOp op, Gradients &g) {
  GradientExpression x = g.term(op.getInput()), dy = g.of(op);
  Type type = x.getElementType();
  double lowest =
      -APFloat::getLargest(cast<FloatType>(type).getFloatSemantics())
           .convertToDouble();
  auto part = [&](Value positive) {
    GradientExpression isPositive =
        g.make<GreaterOp>({positive, g.number(type, 0.0)});
    GradientExpression log =
        g.select(isPositive, g.make<LogOp>({positive}), g.number(type, lowest));
    return g.make<ExpOp>(
        {scanBack(op, log - op.getOutput(), "logsumexp", g) + x});
  };
  g.add(x, part(dy) - part(-dy));
}

static void differentiate(CumulativeOp op, Gradients &g) {
  Value x = op.getInput();
  if (op.getKind() == "sum")
    return g.add(x, scanBack(op, g.of(op), "sum", g));
  if (op.getKind() == "prod")
    return g.add(
        x, g.make<DivNoNanOp>({scanBack(op, g.of(op) * op, "sum", g), x}));
  differentiateLogSumExp(op, g);
}

namespace {

/// Differentiates a segment reduction. Its helper functions copy a value per
/// segment to the rows of the segment, and reduce rows to a value per segment.
class SegmentReductionGradient {
public:
  SegmentReductionGradient(SegmentReduceOp op, Gradients &g) : op(op), g(g) {}

  /// Returns the value of each row's segment; zeros for rows without a segment.
  GradientExpression rowsOf(Value segments) {
    return g.make<GatherOp>(
        {segments, op.getSegmentIds(), g.index(0)},
        g.getBuilder().getNamedAttr("batch_dims",
                                    g.getBuilder().getI64IntegerAttr(0)));
  }
  GradientExpression reduce(Value rows, StringRef reduction) {
    return g.make<SegmentReduceOp>(
        {rows, op.getSegmentIds(), op.getNumSegments()},
        g.text("reduction", reduction));
  }
  /// Returns the rows that are reduced: all rows of the operand `data`, or the
  /// rows that `indices` selects from it.
  GradientExpression data() {
    if (!op.getIndices())
      return g.term(op.getData());
    return g.make<GatherOp>(
        {op.getData(), op.getIndices(), g.index(0)},
        g.getBuilder().getNamedAttr("batch_dims",
                                    g.getBuilder().getI64IntegerAttr(0)));
  }
  /// Adds `gradient`, the gradient of the reduced rows, to that of the operand
  /// `data`; scatters it if `indices` selects the rows.
  void add(GradientExpression gradient) {
    Value data = op.getData();
    if (!op.getIndices())
      return g.add(data, gradient);
    GradientExpression count = g.reshape(g.dims(data, 0, 1), g.indices({}));
    g.add(data, g.make<SegmentReduceOp>({gradient, op.getIndices(), count},
                                        g.text("reduction", "sum")));
  }

  /// Adds the gradient of a mean ("mean"), or of a sum divided by the square
  /// root of the number of rows ("sqrtn").
  void differentiateMean() {
    GradientExpression dy = g.of(op);
    GradientExpression counts =
        reduce(g.ones(op.getSegmentIds()), dy.getElementType());
    GradientExpression divisor =
        op.getReduction() == "sqrtn" ? g.make<SqrtOp>({counts}) : counts;
    std::optional<int32_t> rank = g.rankOf(op.getOutput());
    if (!rank)
      return;
    Value column = divisor;
    for (int32_t dim = 1; dim < *rank; ++dim)
      column = g.expand(column, -1);
    add(rowsOf(dy / column));
  }

  /// Adds the gradient of a maximum or minimum: all elements that equal their
  /// segment's result share its gradient equally.
  void differentiateExtremum() {
    GradientExpression dy = g.of(op);
    GradientExpression isChosen =
        g.make<EqualOp>({data(), rowsOf(op.getOutput())});
    GradientExpression count =
        reduce(g.cast(isChosen, dy.getElementType()), "sum");
    add(g.select(isChosen, rowsOf(dy / count), g.number(dy, 0.0)));
  }

  /// Adds the gradient of a product: the derivative with respect to an element
  /// is the product of the other elements in its segment. This is the segment's
  /// product divided by the element, unless the element is zero: then it is the
  /// product of the segment's nonzero elements, or 0 if the segment has another
  /// zero.
  void differentiateProduct() {
    GradientExpression x = data(), dy = g.of(op);
    Type type = x.getElementType(), i32 = g.getBuilder().getI32Type();
    GradientExpression isZero = g.make<EqualOp>({x, g.number(type, 0.0)});
    GradientExpression zeros = reduce(g.cast(isZero, i32), "sum");
    GradientExpression hasTwo = g.make<GreaterOp>({zeros, g.number(i32, 1)});
    GradientExpression others = g.select(isZero, g.number(type, 1.0), x);
    GradientExpression product = rowsOf(reduce(others, "prod"));
    GradientExpression slope =
        g.select(isZero, product, rowsOf(op.getOutput()) / others);
    add(rowsOf(g.select(hasTwo, g.number(type, 0.0), dy)) * slope);
  }

private:
  /// Returns, for each segment, how many of its rows are 1 in `ones` (the other
  /// rows are 0), as a number of type `elementType`.
  GradientExpression reduce(GradientExpression ones, Type elementType) {
    return reduce(Value(g.cast(ones, elementType)), "sum");
  }

  SegmentReduceOp op;
  Gradients &g;
};

} // namespace

static void differentiate(SegmentReduceOp op, Gradients &g) {
  if (!g.wants(op.getData()))
    return;
  SegmentReductionGradient segments(op, g);
  StringRef reduction = op.getReduction();
  if (reduction == "sum")
    segments.add(segments.rowsOf(g.of(op)));
  else if (reduction == "prod")
    segments.differentiateProduct();
  else if (reduction == "mean" || reduction == "sqrtn")
    segments.differentiateMean();
  else
    segments.differentiateExtremum();
}

/// Adds the gradient of each value to the element of the input that the value
/// was taken from. The op's second result has the indices of these elements.
static void differentiate(TopKOp op, Gradients &g) {
  Value x = op.getInput();
  std::optional<int32_t> rank = g.rankOf(x);
  if (!rank || !g.reaches(op.getValues()))
    return;
  GradientExpression length =
      g.reshape(g.dims(x, *rank - 1, *rank), g.indices({}));
  GradientExpression total = g.product(g.shape(x));
  Type type = g.term(op.getIndices()).getElementType();
  GradientExpression starts =
      g.cast(g.make<RangeOp>({g.index(0), total, length}), type);
  GradientExpression rows = g.join({g.dims(x, 0, *rank - 1), g.indices(1)});
  GradientExpression places = g.reshape(starts, rows) + op.getIndices();
  GradientExpression sums =
      g.make<SegmentReduceOp>({g.reshape(g.of(op.getValues()), g.indices(-1)),
                               g.reshape(places, g.indices(-1)), total},
                              g.text("reduction", "sum"));
  g.add(x, g.reshapeLike(sums, x));
}

void attachScanGradients(MLIRContext &context) {
  attachGradientsOf<CumulativeOp, SegmentReduceOp, TopKOp>(context);
}

} // namespace mlir::ingot
