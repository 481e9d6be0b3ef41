//===- TranslateMatrices.cpp - Cholesky factors, triangular systems -------===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops of StableHLO, and the calls of LAPACK that JAX makes of them on CPUs.
//
//===----------------------------------------------------------------------===//

#include "compiler/StableHLO/Translation.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::stablehlo {

namespace {
/// A system of a triangular matrix.
struct TriangularSolve {
  bool isLeft = true, isLower = true, isUnit = false, isTransposed = false;
};
} // namespace

static bool isSupported(const Tensor &a) {
  size_t rank = a->rank();
  return rank >= 2 && a->shape[rank - 1] == a->shape[rank - 2] &&
         (a->type == proto::DT_FLOAT || a->type == proto::DT_DOUBLE);
}

static Sizes lastAxesSwapped(size_t rank) {
  Sizes order;
  for (size_t axis = 0; axis < rank; ++axis)
    order.push_back(static_cast<int64_t>(axis));
  std::swap(order[rank - 1], order[rank - 2]);
  return order;
}

// Of a matrix that is not positive definite, a trainer says so and ends, where
// XLA has NaNs.
static Tensor factor(GraphBuilder &b, const Tensor &a, bool isLower) {
  Tensor made = b.node("Cholesky", {a}, a->type, a->shape);
  return isLower ? made : b.transpose(made, lastAxesSwapped(a->rank()));
}

static Tensors cholesky(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  if (!isSupported(x[0]))
    return t.refuse("square matrices of f32 and f64 are supported");
  bool isLower = t.integer(op, "lower").value_or(0) != 0;
  return {factor(t.builder(), x[0], isLower)};
}

// `a` with ones on the diagonal.
static Tensor withUnitDiagonal(GraphBuilder &b, const Tensor &a) {
  int64_t size = a->shape.back();
  Sizes rows(a->rank(), 1), columns(a->rank(), 1);
  rows[a->rank() - 2] = columns.back() = size;
  Tensor line = b.iota({size}, 0, proto::DT_INT32);
  Tensor diagonal = b.broadcast(
      b.compare("Equal", b.reshape(line, rows), b.reshape(line, columns)),
      a->shape);
  return b.select(diagonal, b.broadcast(b.like(1, a), a->shape), a);
}

// Solves a x = y, or x a = y, which is solved transposed.
static Tensors solve(Translation &t, const Tensor &matrix, const Tensor &right,
                     TriangularSolve s) {
  GraphBuilder &b = t.builder();
  size_t rank = matrix->rank();
  if (!isSupported(matrix) || right->type != matrix->type ||
      right->rank() != rank ||
      ArrayRef<int64_t>(right->shape).drop_back(2) !=
          ArrayRef<int64_t>(matrix->shape).drop_back(2) ||
      right->shape[rank - (s.isLeft ? 2 : 1)] != matrix->shape.back())
    return t.refuse("square matrices of f32 and f64, and right-hand sides that "
                    "fit them, are supported");
  Tensor a = s.isUnit ? withUnitDiagonal(b, matrix) : matrix;
  Sizes swap = lastAxesSwapped(rank);
  Tensor y = s.isLeft ? right : b.transpose(right, swap);
  Tensor made =
      b.node("MatrixTriangularSolve", {a, y}, y->type, y->shape,
             {{"lower", exporter::boolean(s.isLower)},
              {"adjoint", exporter::boolean(s.isTransposed == s.isLeft)}});
  return {s.isLeft ? made : b.transpose(made, swap)};
}

static Tensors triangularSolve(Translation &t, const Op &op,
                               ArrayRef<Tensor> x) {
  StringRef transpose = t.text(op, "transpose_a");
  auto flag = [&](StringRef name, bool otherwise) {
    return t.integer(op, name).value_or(otherwise) != 0;
  };
  return solve(t, x[0], x[1],
               {flag("left_side", true), flag("lower", true),
                flag("unit_diagonal", false),
                transpose == "TRANSPOSE" || transpose == "ADJOINT"});
}

Tensors callOfLapack(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  StringRef name = t.text(op, "call_target_name");
  const Attribute *config = op.find("mhlo.backend_config");
  // Options are letters: 'L' or 'U', 'N' or 'T', and so on.
  auto option = [&](StringRef key) {
    const Attribute *value = config ? config->find(key) : nullptr;
    return value ? static_cast<char>(value->integer) : ' ';
  };
  bool isFactor = name == "lapack_spotrf_ffi" || name == "lapack_dpotrf_ffi";
  bool isSolve = name == "lapack_strsm_ffi" || name == "lapack_dtrsm_ffi";
  if (isFactor && x.size() == 1 && op.results.size() == 2 &&
      isSupported(x[0]) && option("uplo") == 'L')
    return {factor(b, x[0], true), b.zeros(t.resultOf(op, 1))};
  if (isSolve && x.size() == 2 && op.results.size() == 1)
    return solve(t, x[0], x[1],
                 {option("side") != 'R', option("uplo") != 'U',
                  option("diag") == 'U', option("trans_x") != 'N'});
  return {};
}

void addMatrixOps(OpTable &table) {
  table["stablehlo.cholesky"] = {cholesky, 1, 1};
  table["stablehlo.triangular_solve"] = {triangularSolve, 2, 1};
}

} // namespace ingot::stablehlo
