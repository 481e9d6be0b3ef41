//===- IndexingGradients.cpp - Gradients of gathers and slices ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/Gradients/Gradients.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/RearrangeOps.h"
#include "dialects/Ingot/IR/ReductionOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

namespace mlir::ingot {

/// Converts the indices of a gather with batch dimensions to indices into the
/// concatenation of the rows of all batches: adds `size`, the number of rows of
/// a batch, times the index of the batch.
static GradientExpression numberRows(Value indices, int32_t batchDims,
                                     int32_t rank, Value batches, Value size,
                                     Gradients &g) {
  if (batchDims == 0)
    return g.term(indices);
  Type type = g.term(indices).getElementType();
  GradientExpression count = g.product(batches);
  GradientExpression batch =
      g.make<RangeOp>({g.index(0), count, g.index(1)}) * size;
  SmallVector<int32_t> ones(rank - batchDims, 1);
  return g.term(indices) +
         g.cast(g.reshape(batch, g.join({batches, g.indices(ones)})), type);
}

/// Adds each row of the result's gradient to the input's gradient, at the index
/// of the row that the gather has read. The gathered axis is transposed to the
/// front first, and back afterwards.
static void differentiate(GatherOp op, Gradients &g) {
  Value x = op.getInput(), indices = op.getIndices();
  if (!g.wants(x))
    return;
  std::optional<int32_t> rank = g.rankOf(x), picks = g.rankOf(indices);
  std::optional<SmallVector<int32_t>> axes =
      rank ? g.axesOf(op.getAxis(), *rank) : std::nullopt;
  if (!axes || !picks)
    return;
  int32_t axis = axes->front();
  auto batchDims = static_cast<int32_t>(op.getBatchDims());
  if (batchDims < 0)
    batchDims += *picks;

  int32_t picked = *picks - batchDims;
  SmallVector<int32_t> toFront, back;
  auto append = [](SmallVector<int32_t> &list, int32_t from, int32_t to) {
    for (int32_t dim = from; dim < to; ++dim)
      list.push_back(dim);
  };
  append(toFront, 0, batchDims);
  append(toFront, axis, axis + picked);
  append(toFront, batchDims, axis);
  append(toFront, axis + picked, *rank - 1 + picked);
  append(back, 0, batchDims);
  append(back, batchDims + 1, axis + 1);
  append(back, batchDims, batchDims + 1);
  append(back, axis + 1, *rank);

  GradientExpression batches = g.dims(x, 0, batchDims);
  GradientExpression size = g.dims(x, axis, axis + 1);
  GradientExpression rest =
      g.join({g.dims(x, batchDims, axis), g.dims(x, axis + 1, *rank)});
  GradientExpression rows =
      g.reshape(numberRows(indices, batchDims, *picks, batches,
                           g.reshape(size, g.indices({})), g),
                g.indices(-1));
  GradientExpression count = g.product(g.join({batches, size}));
  GradientExpression values =
      g.reshape(g.transpose(g.of(op), toFront), g.join({g.shape(rows), rest}));
  GradientExpression sums = g.make<SegmentReduceOp>({values, rows, count},
                                                    g.text("reduction", "sum"));
  g.add(x, g.transpose(g.reshape(sums, g.join({batches, size, rest})), back));
}

/// Scatters the gradient of the result to the gathered positions, in a tensor
/// of zeros with the input's shape.
static void differentiate(GatherNdOp op, Gradients &g) {
  Value x = op.getInput();
  g.add(x, g.make<TensorScatterOp>({g.zeros(x), op.getIndices(), g.of(op)},
                                   g.text("combine", "add")));
}

static void differentiate(SliceOp op, Gradients &g) {
  Value x = op.getInput();
  std::optional<int32_t> rank = g.rankOf(x);
  if (!rank || !g.wants(x))
    return;
  GradientExpression before =
      g.cast(op.getBegin(), g.getBuilder().getI32Type());
  GradientExpression after = g.shape(x) - g.shape(op.getOutput()) - before;
  GradientExpression column = g.indices({*rank, 1});
  GradientExpression paddings = g.make<ConcatOp>(
      {g.index(1), g.reshape(before, column), g.reshape(after, column)});
  g.add(x, g.make<PadOp>({g.of(op), paddings, g.number(x, 0.0)}));
}

static void differentiate(StridedSliceOp op, Gradients &g) {
  Value x = op.getInput();
  g.add(x, g.make<StridedSliceUpdateOp>({g.zeros(x), op.getBegin(), op.getEnd(),
                                         op.getStrides(), g.of(op)},
                                        op.getOperation()->getAttrs()));
}

static void differentiate(StridedSliceUpdateOp op, Gradients &g) {
  ArrayRef<NamedAttribute> masks = op.getOperation()->getAttrs();
  Value begin = op.getBegin(), end = op.getEnd(), strides = op.getStrides();
  if (g.wants(op.getValue()))
    g.addBroadcast(op.getValue(), g.make<StridedSliceOp>(
                                      {g.of(op), begin, end, strides}, masks));
  if (g.wants(op.getInput()))
    g.add(op.getInput(),
          g.make<StridedSliceUpdateOp>(
              {g.of(op), begin, end, strides, g.zeros(op.getValue())}, masks));
}

/// Distributes the gradient of a scatter's maximum or minimum equally among all
/// values that equal the result: the input's element and the updates at its
/// index.
static void differentiateExtremum(TensorScatterOp op, Gradients &g) {
  Value x = op.getInput(), y = op.getUpdates(), indices = op.getIndices();
  GradientExpression dy = g.of(op);
  auto isChosen = [&](Value value, Value result) {
    return g.cast(g.make<EqualOp>({value, result}), dy.getElementType());
  };
  GradientExpression ours = isChosen(x, op);
  GradientExpression theirs = isChosen(y, g.make<GatherNdOp>({op, indices}));
  GradientExpression count = g.make<TensorScatterOp>({ours, indices, theirs},
                                                     g.text("combine", "add"));
  g.add(x, dy * ours / count);
  g.add(y, g.make<GatherNdOp>({dy / count, indices}) * theirs);
}

static void differentiate(TensorScatterOp op, Gradients &g) {
  Value x = op.getInput(), y = op.getUpdates(), indices = op.getIndices();
  StringRef combine = op.getCombine();
  if (combine == "min" || combine == "max")
    return differentiateExtremum(op, g);
  GradientExpression came = g.make<GatherNdOp>({g.of(op), indices});
  g.add(y, combine == "sub" ? -came : came);
  g.add(x, combine == "update"
               ? g.make<TensorScatterOp>({g.of(op), indices, g.zeros(y)},
                                         g.text("combine", "update"))
               : g.of(op));
}

void attachIndexingGradients(MLIRContext &context) {
  attachGradientsOf<GatherOp, GatherNdOp, SliceOp, StridedSliceOp,
                    StridedSliceUpdateOp, TensorScatterOp>(context);
}

} // namespace mlir::ingot
