//===- LinearSystems.cpp - LU factors, solves, determinants ---------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Gaussian elimination with partial pivoting. The products that are subtracted
// from an element are subtracted in the order of the columns, so that results
// are the same on every machine.
//===----------------------------------------------------------------------===//

#include "runtime/Ops/OpKernelContext.h"
#include "runtime/Ops/SquareMatrices.h"

#include <cmath>
#include <complex>
#include <limits>

using namespace ingot;
using namespace ingot::ops;

namespace {
/// The LU factorization of a matrix with permuted rows: a lower triangle, whose
/// diagonal of ones is not stored, and an upper triangle.
template <typename T> class LUFactorization {
public:
  explicit LUFactorization(size_t n) : n(n), elements(n * n), order(n) {}

  /// Factorizes the matrix, or its conjugated transpose if `isAdjoint`. Returns
  /// false if a pivot is zero or NaN; the factors are computed nevertheless.
  bool factorize(std::span<const T> matrix, bool isAdjoint);
  /// Solves A x = `rhs`, where A is the factorized matrix. `x` and `rhs` are
  /// row-major, with `columns` elements per row.
  void solve(std::span<const T> rhs, std::span<T> x, size_t columns) const;
  T pivot(size_t i) const { return elements[i * n + i]; }
  bool hasOddOrder() const { return isOdd; }
  /// Both triangles, and the rows of the matrix in the order of the factors.
  std::span<const T> triangles() const { return elements; }
  std::span<const size_t> rows() const { return order; }

private:
  void swapRows(size_t a, size_t b);

  size_t n;
  std::vector<T> elements;
  std::vector<size_t> order;
  bool isOdd = false;
};
} // namespace

template <typename T> static T conjugate(T x) { return x; }
template <typename T> static std::complex<T> conjugate(std::complex<T> x) {
  return std::conj(x);
}

/// Computes y -= a * x.
template <typename T> static void subtract(T *y, T a, const T *x, size_t n) {
  for (size_t i = 0; i < n; ++i)
    y[i] -= a * x[i];
}

template <typename T> void LUFactorization<T>::swapRows(size_t a, size_t b) {
  if (a == b)
    return;
  std::swap_ranges(&elements[a * n], &elements[a * n] + n, &elements[b * n]);
  std::swap(order[a], order[b]);
  isOdd = !isOdd;
}

template <typename T>
bool LUFactorization<T>::factorize(std::span<const T> matrix, bool isAdjoint) {
  isOdd = false;
  for (size_t i = 0; i < n; ++i) {
    order[i] = i;
    for (size_t j = 0; j < n; ++j)
      elements[i * n + j] =
          isAdjoint ? conjugate(matrix[j * n + i]) : matrix[i * n + j];
  }
  bool isInvertible = true;
  for (size_t k = 0; k < n; ++k) {
    size_t largest = k;
    for (size_t i = k + 1; i < n; ++i)
      if (std::abs(elements[i * n + k]) > std::abs(elements[largest * n + k]))
        largest = i;
    swapRows(k, largest);
    T pivot = elements[k * n + k];
    isInvertible &= std::abs(pivot) > 0;
    for (size_t i = k + 1; i < n && pivot != T(0); ++i) {
      T factor = elements[i * n + k] /= pivot;
      subtract(&elements[i * n + k] + 1, factor, &elements[k * n + k] + 1,
               n - k - 1);
    }
  }
  return isInvertible;
}

template <typename T>
void LUFactorization<T>::solve(std::span<const T> rhs, std::span<T> x,
                               size_t columns) const {
  for (size_t i = 0; i < n; ++i) {
    std::copy_n(&rhs[order[i] * columns], columns, &x[i * columns]);
    for (size_t k = 0; k < i; ++k)
      subtract(&x[i * columns], elements[i * n + k], &x[k * columns], columns);
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = n - 1; k > i; --k)
      subtract(&x[i * columns], elements[i * n + k], &x[k * columns], columns);
    for (size_t j = 0; j < columns; ++j)
      x[i * columns + j] /= pivot(i);
  }
}

template <typename T> static Status matrixSolve(OpKernelContext &op) {
  INGOT_RETURN_IF_ERROR(squareSize(op).takeStatus());
  OpInput matrix = op.input(0), rhs = op.input(1);
  size_t rank = matrix.rank();
  if (rhs.rank() != rank ||
      !std::equal(matrix.dims().begin(), matrix.dims().end() - 2,
                  rhs.dims().begin()))
    return op.invalid("All input tensors must have the same outer dimensions. "
                      "matrix has shape " +
                      dimsText(matrix.dims()) + ", rhs " +
                      dimsText(rhs.dims()));
  if (rhs.dim(rank - 2) != matrix.dim(rank - 1))
    return op.invalid(
        "Input matrix and rhs are incompatible. matrix has shape " +
        dimsText(matrix.dims()) + ", rhs " + dimsText(rhs.dims()));
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<T>(0, rhs.dims()));
  // Return before allocating memory for a matrix: in an empty batch, the size
  // of the matrices is not limited by the input's memory and may be huge.
  if (output.empty())
    return Status::ok();
  auto n = static_cast<size_t>(matrix.dim(rank - 1));
  auto columns = static_cast<size_t>(rhs.dim(rank - 1));
  size_t size = n * columns;
  LUFactorization<T> factors(n);
  for (size_t i = 0; i * size < output.size(); ++i) {
    if (!factors.factorize(matrix.as<T>().subspan(i * n * n, n * n),
                           op.flag("adjoint")))
      return op.invalid("Input matrix is not invertible.");
    factors.solve(rhs.as<T>().subspan(i * size, size),
                  output.subspan(i * size, size), columns);
  }
  return Status::ok();
}

template <typename T> static Status matrixInverse(OpKernelContext &op) {
  INGOT_RETURN_IF_ERROR(squareSize(op).takeStatus());
  OpInput input = op.input(0);
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<T>(0, input.dims()));
  if (output.empty())
    return Status::ok();
  auto n = static_cast<size_t>(input.dim(input.rank() - 1));
  std::vector<T> identity(n * n);
  for (size_t i = 0; i < n; ++i)
    identity[i * n + i] = 1;
  LUFactorization<T> factors(n);
  for (size_t at = 0; at < output.size(); at += n * n) {
    if (!factors.factorize(input.as<T>().subspan(at, n * n),
                           op.flag("adjoint")))
      return op.invalid("Input is not invertible.");
    factors.solve(identity, output.subspan(at, n * n), n);
  }
  return Status::ok();
}

template <typename T> static Status lu(OpKernelContext &op) {
  INGOT_RETURN_IF_ERROR(squareSize(op).takeStatus());
  OpInput input = op.input(0);
  Dims dims = input.dims();
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<T>(0, dims));
  INGOT_ASSIGN_OR_RETURN(void *rows,
                         op.allocate(1, dims.first(dims.size() - 1)));
  if (output.empty())
    return Status::ok();
  auto n = static_cast<size_t>(dims.back());
  LUFactorization<T> factors(n);
  for (size_t at = 0, row = 0; at < output.size(); at += n * n) {
    if (!factors.factorize(input.as<T>().subspan(at, n * n),
                           /*isAdjoint=*/false))
      return op.invalid("Input is not invertible.");
    std::ranges::copy(factors.triangles(), output.begin() + at);
    for (size_t source : factors.rows()) {
      if (op.outputType(1) == INGOT_INT64)
        static_cast<int64_t *>(rows)[row++] = static_cast<int64_t>(source);
      else
        static_cast<int32_t *>(rows)[row++] = static_cast<int32_t>(source);
    }
  }
  return Status::ok();
}

/// Returns the sign of the determinant, and the logarithm of its magnitude,
/// which may be infinite.
template <typename T>
static std::pair<T, T> logDeterminant(const LUFactorization<T> &factors,
                                      size_t n) {
  T sign = factors.hasOddOrder() ? -1 : 1, log = 0;
  for (size_t i = 0; i < n; ++i) {
    T pivot = factors.pivot(i);
    log += std::log(std::abs(pivot));
    sign = pivot < 0 ? -sign : sign;
  }
  if (std::isfinite(log))
    return {sign, log};
  constexpr T infinity = std::numeric_limits<T>::infinity();
  return {T(0), log > 0 ? infinity : -infinity};
}

/// Calls `visit(i, sign, log)` for each matrix i of the batch, with the sign of
/// its determinant and the logarithm of the determinant's magnitude.
template <typename T, typename Visit>
static void visitDeterminants(OpKernelContext &op, size_t count, Visit visit) {
  if (count == 0)
    return;
  OpInput input = op.input(0);
  auto n = static_cast<size_t>(input.dim(input.rank() - 1));
  LUFactorization<T> factors(n);
  for (size_t i = 0; i < count; ++i) {
    factors.factorize(input.as<T>().subspan(i * n * n, n * n),
                      /*isAdjoint=*/false);
    auto [sign, log] = logDeterminant(factors, n);
    visit(i, sign, log);
  }
}

template <typename T> static Status matrixDeterminant(OpKernelContext &op) {
  INGOT_RETURN_IF_ERROR(squareSize(op).takeStatus());
  Dims dims = op.input(0).dims();
  INGOT_ASSIGN_OR_RETURN(auto output,
                         op.output<T>(0, dims.first(dims.size() - 2)));
  visitDeterminants<T>(op, output.size(), [&](size_t i, T sign, T log) {
    output[i] = sign * std::exp(log);
  });
  return Status::ok();
}

template <typename T> static Status logMatrixDeterminant(OpKernelContext &op) {
  INGOT_RETURN_IF_ERROR(squareSize(op).takeStatus());
  Dims dims = op.input(0).dims();
  dims = dims.first(dims.size() - 2);
  INGOT_ASSIGN_OR_RETURN(auto signs, op.output<T>(0, dims));
  INGOT_ASSIGN_OR_RETURN(auto logs, op.output<T>(1, dims));
  visitDeterminants<T>(op, signs.size(), [&](size_t i, T sign, T log) {
    signs[i] = sign;
    logs[i] = log;
  });
  return Status::ok();
}

static bool hasDoubles(const OpKernelContext &op) {
  return op.input(0).dtype() == INGOT_DOUBLE;
}

/// Calls `compute` with a zero whose C++ type is the matrices' element type, so
/// that the right instantiation of `compute` runs.
template <typename ComputeT>
static Status withMatrixType(OpKernelContext &op, ComputeT compute) {
  switch (op.input(0).dtype()) {
  case INGOT_DOUBLE:
    return compute(double());
  case INGOT_COMPLEX64:
    return compute(std::complex<float>());
  case INGOT_COMPLEX128:
    return compute(std::complex<double>());
  default:
    return compute(float());
  }
}

INGOT_RUNTIME_OP(matrix_solve) {
  return withMatrixType(op, [&]<typename T>(T) { return matrixSolve<T>(op); });
}

INGOT_RUNTIME_OP(lu) {
  return withMatrixType(op, [&]<typename T>(T) { return lu<T>(op); });
}

INGOT_RUNTIME_OP(matrix_inverse) {
  return hasDoubles(op) ? matrixInverse<double>(op) : matrixInverse<float>(op);
}

INGOT_RUNTIME_OP(matrix_determinant) {
  return hasDoubles(op) ? matrixDeterminant<double>(op)
                        : matrixDeterminant<float>(op);
}

INGOT_RUNTIME_OP(log_matrix_determinant) {
  return hasDoubles(op) ? logMatrixDeterminant<double>(op)
                        : logMatrixDeterminant<float>(op);
}
