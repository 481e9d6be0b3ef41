//===- MatrixRequirements.cpp - Sizes of diagonals ------------------------===//

#include "dialects/Ingot/MatrixOps.h"
#include "dialects/Ingot/Requirements.h"

namespace mlir::ingot {

namespace {
/// The diagonals that an op speaks of, where they are known.
struct Diagonals {
  int64_t lowest, highest;
  bool isBand; // a matrix with a row for each
};
} // namespace

static std::optional<Diagonals> diagonalsOf(Value k) {
  std::optional<SmallVector<int64_t>> known = getConstantInts(k);
  if (!known || known->empty() || known->size() > 2)
    return std::nullopt;
  return Diagonals{known->front(), known->back(),
                   known->front() != known->back()};
}

/// How many elements the longest of the diagonals has.
static Number longest(const Diagonals &k, Number rows, Number columns,
                      Requirements &r) {
  Number down = r.add(rows, r.number(std::min<int64_t>(k.highest, 0)));
  Number right = r.subtract(columns, r.number(std::max<int64_t>(k.lowest, 0)));
  return r.smaller(down, right);
}

/// The matrices have the diagonals.
static void requireDiagonals(const Diagonals &k, Value matrices,
                             Requirements &r) {
  Number rows = r.size(matrices, rankOf(matrices) - 2);
  Number columns = r.size(matrices, rankOf(matrices) - 1);
  for (int64_t each : {k.lowest, k.highest}) {
    Number exists = each == 0  ? r.number(1)
                    : each < 0 ? r.less(r.number(-each), rows)
                               : r.less(r.number(each), columns);
    r.require(exists, r.says() << "diag_index is out of bound: there is no "
                                  "diagonal "
                               << Twine(each) << " in matrices of shape "
                               << matrices);
  }
}

static void require(MatrixDiagPartOp op, Requirements &r) {
  std::optional<Diagonals> k = diagonalsOf(op.getK());
  if (k && isRanked(op.getInput()) && rankOf(op.getInput()) >= 2)
    requireDiagonals(*k, op.getInput(), r);
}

static void require(MatrixSetDiagOp op, Requirements &r) {
  Value input = op.getInput(), diagonal = op.getDiagonal();
  std::optional<Diagonals> k = diagonalsOf(op.getK());
  if (!k || !areRanked({input, diagonal}) || rankOf(input) < 2)
    return;
  requireDiagonals(*k, input, r);
  SmallVector<Number> expected = r.sizes(input);
  Number columns = expected.pop_back_val(), rows = expected.pop_back_val();
  if (k->isBand)
    expected.push_back(r.number(k->highest - k->lowest + 1));
  expected.push_back(longest(*k, rows, columns, r));
  if (rankOf(diagonal) == static_cast<int64_t>(expected.size()))
    r.require(r.sameSizes(expected, r.sizes(diagonal)),
              (r.says() << "diagonals of shape " << diagonal
                        << " do not go into matrices of shape " << input
                        << ": expected ")
                  .shape(expected));
}

void attachMatrixRequirements(MLIRContext &context) {
  attachModels<MatrixDiagPartOp, MatrixSetDiagOp>(context);
}

} // namespace mlir::ingot
