//===- LowerMatrix.cpp - Diagonals and bands of matrices ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/GatherLowering.h"
#include "dialects/Ingot/IR/MatrixOps.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::lower;

namespace {

using Builder = ImplicitLocOpBuilder;
using Predicate = arith::CmpIPredicate;

/// The diagonals `lowest` to `highest` of matrices, as stored by TensorFlow's
/// matrix_diag ops: each diagonal is a row, padded to the length `longest`.
struct Diagonals {
  Index lowest, highest, rows, columns, longest;
  bool isBand;
  StringRef align;

  static Diagonals of(IndexMath &math, Value k, StringRef align) {
    Diagonals diagonals;
    auto type = cast<RankedTensorType>(k.getType());
    int64_t last = type.getRank() == 1 ? type.getDimSize(0) - 1 : 0;
    diagonals.lowest = math.element(k, 0);
    diagonals.highest = math.element(k, last);
    diagonals.isBand = last > 0;
    if (auto low = IndexMath::known(diagonals.lowest))
      diagonals.isBand &= low != IndexMath::known(diagonals.highest);
    diagonals.align = align;
    return diagonals;
  }

  /// Returns the length of the longest diagonal.
  static Index longestOf(IndexMath &math, const Diagonals &band, Index rows,
                         Index columns) {
    Index zero = math.constant(0);
    return math.max(math.min(math.add(rows, math.min(band.highest, zero)),
                             math.sub(columns, math.max(band.lowest, zero))),
                    zero);
  }

  /// Returns the index at which the elements of diagonal `d` begin in the row
  /// that stores it. It is larger than 0 if the row is padded on the left.
  Value offset(Builder &b, Value d) const {
    IndexMath math(b);
    Index zero = math.constant(0);
    Index length = math.min(math.add(rows, math.min(d, zero)),
                            math.sub(columns, math.max(d, zero)));
    Value right = math.value(math.sub(longest, length));
    Value left = math.value(zero);
    bool leftAbove = align.starts_with("LEFT"),
         leftBelow = align.ends_with("LEFT");
    Value isAbove = arith::CmpIOp::create(b, Predicate::sge, d, left);
    Value isBelow = arith::CmpIOp::create(b, Predicate::sle, d, left);
    // TensorFlow aligns the diagonals above and below the main diagonal
    // separately. Here the main diagonal (d = 0) counts as both above and
    // below. That does not matter: it is as long as the longest diagonal, so
    // its offset is 0 in any case.
    Value result = right;
    if (leftAbove)
      result = arith::SelectOp::create(b, isAbove, left, result);
    if (leftBelow)
      result = arith::SelectOp::create(b, isBelow, left, result);
    return result;
  }

  /// Returns the indices of matrix element (i, j) in the stored diagonals, and
  /// an i1 value that tells whether the element is on one of these diagonals.
  std::pair<SmallVector<Value>, Value> place(Builder &b, Value i,
                                             Value j) const {
    IndexMath math(b);
    Value d = arith::SubIOp::create(b, j, i);
    Value low = arith::CmpIOp::create(b, Predicate::sge, d, math.value(lowest));
    Value high =
        arith::CmpIOp::create(b, Predicate::sle, d, math.value(highest));
    SmallVector<Value> at;
    if (isBand)
      at.push_back(math.value(math.sub(highest, d)));
    at.push_back(math.value(math.add(math.min(i, j), offset(b, d))));
    return {at, arith::AndIOp::create(b, low, high)};
  }
};

/// Returns the matrix element at indices `at` as read from the stored
/// diagonals; `otherwise` if no stored diagonal contains it.
Value readDiagonal(Builder &b, Value diagonal, const Sizes &sizes,
                   const Diagonals &band, ArrayRef<Value> at, Value otherwise) {
  auto [place, isInside] = band.place(b, at[at.size() - 2], at.back());
  SmallVector<MaybeOutOfBoundsIndex> coordinates;
  for (Value position : at.drop_back(2))
    coordinates.push_back({position, false});
  for (Value position : place)
    coordinates.push_back({position, true});
  return readElement(b, diagonal, sizes, coordinates, otherwise, isInside);
}

struct LowerMatrixDiag : GatherLowering<MatrixDiagOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, MatrixDiagOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Diagonals band = Diagonals::of(math, op.getK(), op.getAlign());
    Sizes from = math.sizes(op.getDiagonal());
    Sizes sizes(from.begin(), from.end() - (band.isBand ? 2 : 1));
    std::tie(band.rows, band.columns) =
        matrixSizes(math, op, band, from.back());
    sizes.append({band.rows, band.columns});
    band.longest = from.back();
    return fromPositions(b, type, sizes, op.getPadding(),
                         [&](Builder &inner, ArrayRef<Value> at, ValueRange x) {
                           return readDiagonal(inner, op.getDiagonal(), from,
                                               band, at, x[0]);
                         });
  }

  static std::pair<Index, Index> matrixSizes(IndexMath &math, MatrixDiagOp op,
                                             const Diagonals &band,
                                             Index length) {
    auto type = cast<RankedTensorType>(op.getType());
    int64_t rank = type.getRank();
    Index zero = math.constant(0);
    Index most = math.constant(std::numeric_limits<int32_t>::max());
    Index needRows = math.sub(length, math.min(band.highest, zero));
    Index needColumns = math.add(length, math.max(band.lowest, zero));
    Index rows = math.element(op.getRows());
    Index columns = math.element(op.getColumns());
    if (IndexMath::known(rows) == -1 && IndexMath::known(columns) == -1) {
      rows = columns = math.max(needRows, needColumns);
    } else {
      rows = math.clampedOr(rows, most, needRows);
      columns = math.clampedOr(columns, most, needColumns);
    }
    if (!type.isDynamicDim(rank - 2))
      rows = math.constant(type.getDimSize(rank - 2));
    if (!type.isDynamicDim(rank - 1))
      columns = math.constant(type.getDimSize(rank - 1));
    return {rows, columns};
  }
};

struct LowerMatrixDiagPart : GatherLowering<MatrixDiagPartOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, MatrixDiagPartOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Diagonals band = Diagonals::of(math, op.getK(), op.getAlign());
    Sizes from = math.sizes(op.getInput());
    band.columns = from.back();
    band.rows = from[from.size() - 2];
    band.longest = Diagonals::longestOf(math, band, band.rows, band.columns);
    Sizes sizes(from.begin(), from.end() - 2);
    Index one = math.constant(1);
    if (band.isBand)
      sizes.push_back(math.add(math.sub(band.highest, band.lowest), one));
    sizes.push_back(band.longest);
    return fromPositions(b, type, sizes, op.getPadding(),
                         [&](Builder &inner, ArrayRef<Value> at, ValueRange x) {
                           return read(inner, op.getInput(), from, band, at,
                                       x[0]);
                         });
  }

  static Value read(Builder &b, Value input, const Sizes &sizes,
                    const Diagonals &band, ArrayRef<Value> at,
                    Value otherwise) {
    IndexMath math(b);
    Index zero = math.constant(0);
    Index d = band.highest;
    size_t outer = at.size() - 1;
    if (band.isBand)
      d = math.sub(d, at[--outer]);
    Value along =
        arith::SubIOp::create(b, at.back(), band.offset(b, math.value(d)));
    SmallVector<MaybeOutOfBoundsIndex> coordinates;
    for (Value position : at.take_front(outer))
      coordinates.push_back({position, false});
    coordinates.push_back(
        {math.value(math.add(along, math.max(math.sub(zero, d), zero))), true});
    coordinates.push_back(
        {math.value(math.add(along, math.max(d, zero))), true});
    return readElement(b, input, sizes, coordinates, otherwise);
  }
};

struct LowerMatrixSetDiag : GatherLowering<MatrixSetDiagOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, MatrixSetDiagOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Diagonals band = Diagonals::of(math, op.getK(), op.getAlign());
    Sizes sizes = math.sizes(op.getInput());
    Sizes from = math.sizes(op.getDiagonal());
    band.columns = sizes.back();
    band.rows = sizes[sizes.size() - 2];
    band.longest = from.back();
    return fromPositions(b, type, sizes, op.getInput(),
                         [&](Builder &inner, ArrayRef<Value> at, ValueRange x) {
                           return readDiagonal(inner, op.getDiagonal(), from,
                                               band, at, x[0]);
                         });
  }
};

struct LowerMatrixBandPart : GatherLowering<MatrixBandPartOp> {
  using GatherLowering::GatherLowering;

  FailureOr<Value> lower(Builder &b, MatrixBandPartOp op) const override {
    IndexMath math(b);
    auto type = cast<RankedTensorType>(op.getType());
    Index lower = math.element(op.getLower()),
          upper = math.element(op.getUpper());
    return fromPositions(
        b, type, math.sizes(op.getInput()), op.getInput(),
        [&](Builder &inner, ArrayRef<Value> at, ValueRange x) -> Value {
          Value i = at[at.size() - 2], j = at.back();
          Value keeps =
              arith::AndIOp::create(inner, isWithin(inner, i, j, lower),
                                    isWithin(inner, j, i, upper));
          return arith::SelectOp::create(inner, keeps, x[0],
                                         zeroOf(inner, x[0].getType()));
        });
  }

  /// Returns an i1 value: whether x - y <= `limit`, or `limit` is negative,
  /// which means no limit.
  static Value isWithin(Builder &b, Value x, Value y, Index limit) {
    IndexMath math(b);
    Value most = math.value(limit);
    Value distance = arith::SubIOp::create(b, x, y);
    Value isNear = arith::CmpIOp::create(b, Predicate::sle, distance, most);
    Value isOpen = arith::CmpIOp::create(b, Predicate::slt, most,
                                         math.value(math.constant(0)));
    return arith::OrIOp::create(b, isNear, isOpen);
  }
};

} // namespace

void ::ingot::lower::populateMatrixPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerMatrixDiag, LowerMatrixDiagPart, LowerMatrixSetDiag,
               LowerMatrixBandPart>(patterns.getContext());
}
