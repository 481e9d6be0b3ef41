//===- MatrixOps.cpp - Shapes of ops on matrices --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/MatrixOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/PartialConstants.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotMatrixOps.cpp.inc"

void mlir::ingot::addMatrixOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotMatrixOps.cpp.inc"
      >();
}

static constexpr int64_t unknown = ShapedType::kDynamic;

namespace {
/// The range of diagonals that an op reads or writes. 0 is the main diagonal;
/// positive numbers are diagonals above it.
struct DiagonalBand {
  int64_t lowest = unknown, highest = unknown;
  /// Whether the diagonals are stored as the rows of a matrix, or else as a
  /// single vector. std::nullopt if not even the rank of `k` is known.
  std::optional<bool> isBand;

  int64_t count() const {
    return lowest == unknown ? unknown : highest - lowest + 1;
  }
};
} // namespace

/// Returns what is known of the range of diagonals that the operand `k`
/// selects. `k` holds the number of a single diagonal, or those of the lowest
/// and of the highest diagonal.
static FailureOr<DiagonalBand> inferBand(std::optional<Location> loc, Value k) {
  Shape shape = getTensorShape(k.getType());
  DiagonalBand band;
  if (!shape)
    return band;
  std::optional<int64_t> count = getNumElements(shape);
  if (shape->size() > 1 || (count && (*count < 1 || *count > 2)))
    return emitOptionalError(
        loc,
        "'k' must be a scalar or a vector of one or two elements, the lowest "
        "and the highest diagonal, but has shape ",
        toString(shape));
  std::optional<SmallVector<int64_t>> numbers = getPartialInts(k);
  if (!numbers || llvm::is_contained(*numbers, unknown)) {
    if (count == 1)
      band.isBand = false;
    return band;
  }
  band.lowest = numbers->front();
  band.highest = numbers->back();
  if (band.lowest > band.highest)
    return emitOptionalError(loc, "the lowest diagonal, ", band.lowest,
                             ", is above the highest, ", band.highest);
  // As in TensorFlow, a single diagonal is stored as a vector, even if `k` has
  // two equal elements.
  band.isBand = band.lowest != band.highest;
  return band;
}

static bool isAlignment(StringRef align) {
  return llvm::is_contained(
      {"LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"}, align);
}

/// Returns the number of elements of the longest diagonal. Emits an error and
/// fails if a matrix of `rows` x `columns` lacks one of the diagonals.
static FailureOr<int64_t> longestDiagonal(std::optional<Location> loc,
                                          const DiagonalBand &band,
                                          int64_t rows, int64_t columns) {
  if (band.lowest == unknown || rows == unknown || columns == unknown)
    return unknown;
  auto has = [&](int64_t k) { return (k > -rows && k < columns) || k == 0; };
  if (!has(band.lowest) || !has(band.highest))
    return emitOptionalError(loc, "diagonals ", band.lowest, " to ",
                             band.highest, " are out of range for a matrix of ",
                             rows, " rows and ", columns, " columns");
  return std::min(rows + std::min<int64_t>(band.highest, 0),
                  columns - std::max<int64_t>(band.lowest, 0));
}

/// Returns the shape of the result of `matrix_diag_part`.
static FailureOr<Shape> inferDiagonals(std::optional<Location> loc,
                                       const Shape &input,
                                       const DiagonalBand &band) {
  if (!input || !band.isBand)
    return Shape();
  size_t rank = input->size();
  FailureOr<int64_t> length =
      longestDiagonal(loc, band, (*input)[rank - 2], (*input)[rank - 1]);
  if (failed(length))
    return failure();
  SmallVector<int64_t> dims(input->begin(), input->end() - 2);
  if (*band.isBand)
    dims.push_back(band.count());
  dims.push_back(*length);
  return Shape(dims);
}

/// Reports an error if a tensor has less than 2 dimensions.
static LogicalResult verifyMatrix(std::optional<Location> loc,
                                  const Shape &input) {
  if (!input || input->size() >= 2)
    return success();
  return emitOptionalError(loc, "the input has shape ", toString(input),
                           ", but must have at least 2 dimensions");
}

/// Returns the number of rows, or columns, of a matrix: the constant `given`.
/// If `given` is -1, returns `needed`, the number that the diagonals need.
/// `what` is "rows" or "columns", for messages.
static FailureOr<int64_t> inferSize(std::optional<Location> loc, Value given,
                                    int64_t needed, StringRef what) {
  auto numbers = getPartialInts(given);
  int64_t size = numbers && numbers->size() == 1 ? numbers->front() : unknown;
  if (size == unknown || size >= 0) {
    if (size != unknown && needed != unknown && size < needed)
      return emitOptionalError(loc, "the matrix must have at least ", needed,
                               " ", what, " to hold the diagonals, but has ",
                               size);
    return size;
  }
  return needed;
}

LogicalResult MatrixDiagOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  // `align` must be LEFT_RIGHT, RIGHT_LEFT, LEFT_LEFT or RIGHT_RIGHT
  // (matrix_diag_c4).
  if (!isAlignment(adaptor.getAlign()))
    return emitOptionalError(loc, "'", adaptor.getAlign(),
                             "' is not a valid alignment: expected LEFT_RIGHT, "
                             "RIGHT_LEFT, LEFT_LEFT or RIGHT_RIGHT");
  Shape diagonal = getTensorShape(adaptor.getDiagonal().getType());
  Type element = getElementTypeOrSelf(adaptor.getDiagonal());
  // `k` must be a scalar or a vector of one or two numbers, the first of which
  // is not larger than the second (matrix_diag_c1).
  FailureOr<DiagonalBand> band = inferBand(loc, adaptor.getK());
  if (failed(band) ||
      failed(verifyScalar(loc, adaptor.getPadding(), "the padding")))
    return failure();
  if (!diagonal || !band->isBand) {
    types.push_back(UnrankedTensorType::get(element));
    return success();
  }
  size_t inner = *band->isBand ? 2 : 1;
  // `diagonal` must have at least rank 1. If `k` selects several diagonals (a
  // band), `diagonal` must have at least rank 2, and the size of its second to
  // last dimension must be the number of diagonals (matrix_diag_c2).
  if (diagonal->size() < inner)
    return emitOptionalError(loc, "'diagonal' must have at least rank ", inner,
                             " for this 'k', but has shape ",
                             toString(diagonal));
  if (inner == 2 &&
      !areCompatibleDims((*diagonal)[diagonal->size() - 2], band->count()))
    return emitOptionalError(loc, "'k' selects ", band->count(),
                             " diagonals, but 'diagonal', of shape ",
                             toString(diagonal), ", holds ",
                             (*diagonal)[diagonal->size() - 2]);
  int64_t length = diagonal->back(), needRows = unknown, needColumns = unknown;
  bool isKnown = length != unknown && band->lowest != unknown;
  if (isKnown) {
    needRows = length - std::min<int64_t>(band->highest, 0);
    needColumns = length + std::max<int64_t>(band->lowest, 0);
  }
  // Constant numbers of rows and columns must be large enough for the diagonals
  // (matrix_diag_c3).
  FailureOr<int64_t> rows = inferSize(loc, adaptor.getRows(), needRows, "rows");
  if (failed(rows))
    return failure();
  FailureOr<int64_t> columns =
      inferSize(loc, adaptor.getColumns(), needColumns, "columns");
  if (failed(columns))
    return failure();
  // If neither rows nor columns are given, the matrix is square.
  auto isOpen = [](Value given) { return getConstantInt(given) == -1; };
  if (isOpen(adaptor.getRows()) && isOpen(adaptor.getColumns()) && isKnown)
    *rows = *columns = std::max(needRows, needColumns);
  SmallVector<int64_t> dims(diagonal->begin(), diagonal->end() - inner);
  dims.append({*rows, *columns});
  types.push_back(RankedTensorType::get(dims, element));
  return success();
}

LogicalResult MatrixDiagPartOp::inferReturnTypes(MLIRContext *,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  // `align` must be LEFT_RIGHT, RIGHT_LEFT, LEFT_LEFT or RIGHT_RIGHT
  // (matrix_diag_part_c3).
  if (!isAlignment(adaptor.getAlign()))
    return emitOptionalError(loc, "'", adaptor.getAlign(),
                             "' is not a valid alignment: expected LEFT_RIGHT, "
                             "RIGHT_LEFT, LEFT_LEFT or RIGHT_RIGHT");
  Shape input = getTensorShape(adaptor.getInput().getType());
  // The input must be at least a matrix (matrix_diag_part_c2).
  if (failed(verifyMatrix(loc, input)) ||
      failed(verifyScalar(loc, adaptor.getPadding(), "the padding")))
    return failure();
  // `k` must be a scalar or a vector of one or two numbers, the first of which
  // is not larger than the second; the matrices must have these diagonals
  // (matrix_diag_part_c1).
  FailureOr<DiagonalBand> band = inferBand(loc, adaptor.getK());
  if (failed(band))
    return failure();
  FailureOr<Shape> shape = inferDiagonals(loc, input, *band);
  if (failed(shape))
    return failure();
  types.push_back(
      getTensorType(*shape, getElementTypeOrSelf(adaptor.getInput())));
  return success();
}

LogicalResult MatrixSetDiagOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  // `align` must be LEFT_RIGHT, RIGHT_LEFT, LEFT_LEFT or RIGHT_RIGHT
  // (matrix_set_diag_c3).
  if (!isAlignment(adaptor.getAlign()))
    return emitOptionalError(loc, "'", adaptor.getAlign(),
                             "' is not a valid alignment: expected LEFT_RIGHT, "
                             "RIGHT_LEFT, LEFT_LEFT or RIGHT_RIGHT");
  Shape input = getTensorShape(adaptor.getInput().getType());
  Shape diagonal = getTensorShape(adaptor.getDiagonal().getType());
  Type element = getElementTypeOrSelf(adaptor.getInput());
  // The input must be at least a matrix (matrix_set_diag_c2).
  if (failed(verifyMatrix(loc, input)))
    return failure();
  // `k` must be a scalar or a vector of one or two numbers, the first of which
  // is not larger than the second; the matrices must have these diagonals
  // (matrix_set_diag_c1).
  FailureOr<DiagonalBand> band = inferBand(loc, adaptor.getK());
  if (failed(band))
    return failure();
  FailureOr<Shape> wanted = inferDiagonals(loc, input, *band);
  if (failed(wanted))
    return failure();
  // `diagonal` must have the element type of the matrices (matrix_set_diag_c2).
  if (getElementTypeOrSelf(adaptor.getDiagonal()) != element)
    return emitOptionalError(loc, "diagonals of ",
                             getElementTypeOrSelf(adaptor.getDiagonal()),
                             " cannot be stored in matrices of ", element);
  // `diagonal` must have the shape of the result of matrix_diag_part
  // (matrix_set_diag_c2).
  if (!areCompatibleShapes(*wanted, diagonal))
    return emitOptionalError(
        loc, "'diagonal' must have shape ", toString(*wanted),
        ", that of the matrices' diagonals, but has shape ",
        toString(diagonal));
  types.push_back(adaptor.getInput().getType());
  return success();
}

LogicalResult MatrixBandPartOp::inferReturnTypes(MLIRContext *,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  // The input must have at least two dimensions (matrix_band_part_c1); `lower`
  // and `upper` must be scalars (matrix_band_part_c2).
  if (failed(verifyMatrix(loc, getTensorShape(adaptor.getInput().getType()))) ||
      failed(verifyScalar(loc, adaptor.getLower(), "num_lower")) ||
      failed(verifyScalar(loc, adaptor.getUpper(), "num_upper")))
    return failure();
  types.push_back(adaptor.getInput().getType());
  return success();
}

/// Reports an error if a tensor's matrices cannot be square.
static LogicalResult verifySquare(std::optional<Location> loc,
                                  const Shape &shape) {
  if (!shape || (shape->size() >= 2 &&
                 areCompatibleDims(shape->back(), (*shape)[shape->size() - 2])))
    return success();
  return emitOptionalError(loc, "Input matrix must be square, but has shape ",
                           toString(shape));
}

LogicalResult CholeskyOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> loc,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  Type input = adaptor.getInput().getType();
  // The input's matrices (its last two dimensions) must be square
  // (cholesky_c1).
  if (failed(verifySquare(loc, getTensorShape(input))))
    return failure();
  types.push_back(input);
  return success();
}

/// Infers the type of the solution of linear systems, which is the type of the
/// right-hand sides.
static LogicalResult inferSolve(std::optional<Location> loc, Type matrixType,
                                Type rhsType, SmallVectorImpl<Type> &types) {
  Shape matrix = getTensorShape(matrixType), rhs = getTensorShape(rhsType);
  // The matrices must be square, and the right-hand sides must be matrices, too
  // (triangular_solve_c1), (matrix_solve_c1).
  if (failed(verifySquare(loc, matrix)) || failed(verifyMatrix(loc, rhs)))
    return failure();
  if (matrix && rhs) {
    // `expected` is the shape that the right-hand sides must have: that of the
    // matrices, but with any number of columns.
    Shape expected = matrix;
    if (expected->size() == rhs->size())
      expected->back() = rhs->back();
    // The right-hand sides must have as many rows as the matrices
    // (triangular_solve_c1), (matrix_solve_c1), and the same batch dimensions
    // (triangular_solve_c2), (matrix_solve_c2).
    if (!areCompatibleShapes(expected, rhs))
      return emitOptionalError(
          loc,
          "matrices and right-hand sides must have the same batch dimensions "
          "and number of rows, but have shapes ",
          toString(matrix), " and ", toString(rhs));
  }
  types.push_back(rhsType);
  return success();
}

LogicalResult
TriangularSolveOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                    Adaptor adaptor,
                                    SmallVectorImpl<Type> &types) {
  return inferSolve(loc, adaptor.getMatrix().getType(),
                    adaptor.getRhs().getType(), types);
}

LogicalResult MatrixSolveOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> loc,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  return inferSolve(loc, adaptor.getMatrix().getType(),
                    adaptor.getRhs().getType(), types);
}

LogicalResult MatrixInverseOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  Type input = adaptor.getInput().getType();
  // The input's matrices (its last two dimensions) must be square
  // (matrix_inverse_c1).
  if (failed(verifySquare(loc, getTensorShape(input))))
    return failure();
  types.push_back(input);
  return success();
}

/// Returns the type of a tensor with one number for each of the innermost
/// matrices.
static FailureOr<Type> inferDeterminants(std::optional<Location> loc,
                                         Type input) {
  Shape shape = getTensorShape(input);
  // The input's matrices (its last two dimensions) must be square
  // (matrix_determinant_c1).
  if (failed(verifySquare(loc, shape)))
    return failure();
  if (shape)
    shape->truncate(shape->size() - 2);
  return Type(getTensorType(shape, getElementTypeOrSelf(input)));
}

LogicalResult MatrixDeterminantOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  FailureOr<Type> type = inferDeterminants(loc, adaptor.getInput().getType());
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

LogicalResult LogMatrixDeterminantOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  FailureOr<Type> type = inferDeterminants(loc, adaptor.getInput().getType());
  if (failed(type))
    return failure();
  types.append({*type, *type});
  return success();
}

LogicalResult QROp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                     Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  Shape shape = getTensorShape(adaptor.getInput().getType());
  // The input must be at least a matrix (qr_c1).
  if (failed(verifyMatrix(loc, shape)))
    return failure();
  Type element = getElementTypeOrSelf(adaptor.getInput());
  if (!shape) {
    types.append(2, getTensorType(shape, element));
    return success();
  }
  int64_t rows = (*shape)[shape->size() - 2], columns = shape->back();
  int64_t rank = adaptor.getFullMatrices() ? rows
                 : ShapedType::isStatic(rows) && ShapedType::isStatic(columns)
                     ? std::min(rows, columns)
                     : ShapedType::kDynamic;
  SmallVector<int64_t> q = *shape, r = *shape;
  q.back() = r[r.size() - 2] = rank;
  types.push_back(RankedTensorType::get(q, element));
  types.push_back(RankedTensorType::get(r, element));
  return success();
}
