//===- MatrixRequirements.cpp - Sizes of diagonals ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/MatrixOps.h"
#include "dialects/Ingot/Requirements/ShapeRequirementBuilder.h"

namespace mlir::ingot {

namespace {
/// The range of diagonals that an op reads or writes. 0 is the main diagonal;
/// positive numbers are diagonals above it.
struct Diagonals {
  Number lowest, highest;
  /// True if the diagonals are stored as the rows of a matrix, false if there
  /// is only one, stored as a vector.
  bool isBand;
};
} // namespace

/// Returns the range of diagonals that `k` describes, or std::nullopt if `k`
/// has a dynamic shape.
static std::optional<Diagonals> diagonalsOf(Value k,
                                            ShapeRequirementBuilder &r) {
  if (!hasElements(k))
    return std::nullopt;
  SmallVector<Number> numbers = r.elements(k);
  if (numbers.empty() || numbers.size() > 2)
    return std::nullopt;
  return Diagonals{numbers.front(), numbers.back(),
                   numbers.front() != numbers.back()};
}

/// Returns the number of elements of the longest diagonal.
static Number longest(const Diagonals &k, Number rows, Number columns,
                      ShapeRequirementBuilder &r) {
  Number zero = r.number(0);
  Number down = r.add(rows, r.smaller(k.highest, zero));
  Number right = r.subtract(columns, r.larger(k.lowest, zero));
  return r.smaller(down, right);
}

/// Requires that the matrices have the diagonals `k`. If `k` is not constant,
/// ingot.require_indices checks its values instead.
static void requireDiagonals(const Diagonals &k, Value matrices,
                             ShapeRequirementBuilder &r) {
  Number rows = r.size(matrices, rankOf(matrices) - 2);
  Number columns = r.size(matrices, rankOf(matrices) - 1);
  for (Number number : {k.lowest, k.highest}) {
    int64_t each = ShapeRequirementBuilder::known(number).value_or(0);
    Number exists = each == 0  ? r.number(1)
                    : each < 0 ? r.less(r.number(-each), rows)
                               : r.less(number, columns);
    r.require(exists, r.says()
                          << "diag_index is out of bound: there is no "
                             "diagonal "
                          << number << " in matrices of shape " << matrices);
  }
}

/// Requires that `given`, the number of rows or columns that the user states,
/// is -1 (to be inferred) or at least `needed`, the number that the diagonals
/// need.
static void requireSide(StringRef what, Number given, Number needed,
                        ShapeRequirementBuilder &r) {
  r.require(r.either(r.equal(given, r.number(-1)), r.atMost(needed, given)),
            r.says() << "The number of " << what << " is too small: " << given
                     << " where diagonals need " << needed);
}

static void require(MatrixDiagOp op, ShapeRequirementBuilder &r) {
  Value diagonal = op.getDiagonal();
  std::optional<Diagonals> k = diagonalsOf(op.getK(), r);
  if (!k || !isRanked(diagonal) || rankOf(diagonal) == 0 ||
      !hasElements(op.getRows()) || !hasElements(op.getColumns()))
    return;
  Number length = r.size(diagonal, rankOf(diagonal) - 1), zero = r.number(0);
  Number rows = r.element(op.getRows()), columns = r.element(op.getColumns());
  Number needRows = r.subtract(length, r.smaller(k->highest, zero));
  Number needColumns = r.add(length, r.larger(k->lowest, zero));
  // Diagonals must lie within 2^30 of the main one, so that the number of
  // elements of a matrix does not overflow.
  Number most = r.number(int64_t(1) << 30);
  for (Number diagonal : {k->lowest, k->highest})
    r.require(r.within(r.subtract(zero, most), diagonal, most),
              r.says() << "diagonal " << diagonal
                       << " is more than 2^30 away from the main diagonal, so "
                          "the matrices would be too large");
  requireSide("rows", rows, needRows, r);
  requireSide("columns", columns, needColumns, r);
  Number inferred = r.number(-1);
  r.require(
      r.either(
          r.either(r.equal(rows, inferred), r.equal(columns, inferred)),
          r.either(r.equal(rows, needRows), r.equal(columns, needColumns))),
      r.says() << "matrices of " << rows << " rows and " << columns
               << " columns do not fit diagonals that need " << needRows
               << " and " << needColumns);
}

static void require(MatrixDiagPartOp op, ShapeRequirementBuilder &r) {
  std::optional<Diagonals> k = diagonalsOf(op.getK(), r);
  if (k && isRanked(op.getInput()) && rankOf(op.getInput()) >= 2)
    requireDiagonals(*k, op.getInput(), r);
}

static void require(MatrixSetDiagOp op, ShapeRequirementBuilder &r) {
  Value input = op.getInput(), diagonal = op.getDiagonal();
  std::optional<Diagonals> k = diagonalsOf(op.getK(), r);
  if (!k || !areRanked({input, diagonal}) || rankOf(input) < 2)
    return;
  requireDiagonals(*k, input, r);
  SmallVector<Number> expected = r.sizes(input);
  Number columns = expected.pop_back_val(), rows = expected.pop_back_val();
  if (k->isBand && rankOf(diagonal) == rankOf(input))
    expected.push_back(r.add(r.subtract(k->highest, k->lowest), r.number(1)));
  expected.push_back(longest(*k, rows, columns, r));
  if (rankOf(diagonal) == static_cast<int64_t>(expected.size()))
    r.require(r.sameSizes(expected, r.sizes(diagonal)),
              (r.says() << "diagonals of shape " << diagonal
                        << " do not go into matrices of shape " << input
                        << ": expected ")
                  .shape(expected));
}

void attachMatrixRequirements(MLIRContext &context) {
  attachModels<MatrixDiagOp, MatrixDiagPartOp, MatrixSetDiagOp>(context);
}

} // namespace mlir::ingot
