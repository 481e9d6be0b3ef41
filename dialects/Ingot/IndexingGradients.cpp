//===- IndexingGradients.cpp - Gradients of what is picked ----------------===//

#include "dialects/Ingot/CastOps.h"
#include "dialects/Ingot/Gradients.h"
#include "dialects/Ingot/IndexingOps.h"
#include "dialects/Ingot/ReductionOps.h"
#include "dialects/Ingot/TensorOps.h"

namespace mlir::ingot {

/// Indices into all batches one behind the other, whose rows are `size` each.
static Term numberRows(Value indices, int32_t batchDims, int32_t rank,
                       Value batches, Value size, Gradients &g) {
  if (batchDims == 0)
    return g.term(indices);
  Type type = g.term(indices).getElementType();
  Term count = g.product(batches);
  Term batch = g.make<RangeOp>({g.index(0), count, g.index(1)}) * size;
  SmallVector<int32_t> ones(rank - batchDims, 1);
  return g.term(indices) +
         g.cast(g.reshape(batch, g.join({batches, g.indices(ones)})), type);
}

/// The rows that are picked are summed where they came from: the indices'
/// dimensions first, then the others in their order.
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

  Term batches = g.dims(x, 0, batchDims);
  Term size = g.dims(x, axis, axis + 1);
  Term rest = g.join({g.dims(x, batchDims, axis), g.dims(x, axis + 1, *rank)});
  Term rows = g.reshape(numberRows(indices, batchDims, *picks, batches,
                                   g.reshape(size, g.indices({})), g),
                        g.indices(-1));
  Term count = g.product(g.join({batches, size}));
  Term values =
      g.reshape(g.transpose(g.of(op), toFront), g.join({g.shape(rows), rest}));
  Term sums = g.make<SegmentReduceOp>({values, rows, count},
                                      g.text("reduction", "sum"));
  g.add(x, g.transpose(g.reshape(sums, g.join({batches, size, rest})), back));
}

void attachIndexingGradients(MLIRContext &context) {
  attachGradientsOf<GatherOp>(context);
}

} // namespace mlir::ingot
