//===- Decompositions.cpp - Cholesky factors, triangular solves -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// Cholesky factors and triangular systems. The products that are subtracted
// from an element are subtracted in the order of the factor's columns, so that
// results are the same on every machine.
//===----------------------------------------------------------------------===//

#include "runtime/Ops/OpKernelContext.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace ingot;
using namespace ingot::ops;

/// Computes y -= a * x.
template <typename T>
static void subtract(std::span<T> y, T a, std::span<const T> x) {
  for (size_t i = 0; i < y.size(); ++i)
    y[i] -= a * x[i];
}

/// Computes the Cholesky factor of an n x n matrix, whose upper triangle is in
/// `rows`, and replaces that triangle by the transposed factor. Returns false
/// if the matrix is not positive definite.
template <typename T> static bool factorize(std::span<T> rows, size_t n) {
  for (size_t j = 0; j < n; ++j) {
    std::span<T> row = rows.subspan(j * n + j, n - j);
    if (!(row[0] > 0))
      return false;
    T root = std::sqrt(row[0]);
    row[0] = root;
    for (size_t k = 1; k < row.size(); ++k)
      row[k] /= root;
    for (size_t k = 1; k < row.size(); ++k)
      subtract<T>(rows.subspan((j + k) * n + j + k, n - j - k), row[k],
                  row.subspan(k));
  }
  return true;
}

template <typename T> static Status cholesky(OpKernelContext &op) {
  OpInput input = op.input(0);
  if (input.rank() < 2 ||
      input.dim(input.rank() - 1) != input.dim(input.rank() - 2))
    return op.invalid("Input matrix must be square, but has shape " +
                      dimsText(input.dims()));
  auto n = static_cast<size_t>(input.dim(input.rank() - 1));
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<T>(0, input.dims()));
  std::vector<T> rows(n * n);
  auto elements = input.as<T>();
  for (size_t at = 0; at < elements.size(); at += n * n) {
    for (size_t i = 0; i < n; ++i)
      for (size_t j = i; j < n; ++j)
        rows[i * n + j] = elements[at + j * n + i];
    // As in TensorFlow, a matrix that is not positive definite gives NaN rather
    // than an error.
    if (!factorize<T>(rows, n))
      std::ranges::fill(rows, std::numeric_limits<T>::quiet_NaN());
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        output[at + i * n + j] = j <= i ? rows[j * n + i] : T(0);
  }
  return Status::ok();
}

/// The triangular matrix of a system of equations, or the adjoint (transpose)
/// of that matrix.
template <typename T> struct TriangularMatrixView {
  std::span<const T> elements;
  size_t n;
  bool isTransposed;

  T at(size_t row, size_t column) const {
    return isTransposed ? elements[column * n + row]
                        : elements[row * n + column];
  }
};

/// Solves a triangular system by substitution, in place: `x` has n rows of
/// `columns` elements. A zero on the diagonal gives infinities and NaNs, as in
/// TensorFlow's kernel.
template <typename T>
static void solve(const TriangularMatrixView<T> &triangle, bool isLower,
                  std::span<T> x, size_t columns) {
  size_t n = triangle.n;
  for (size_t step = 0; step < n; ++step) {
    size_t i = isLower ? step : n - 1 - step;
    std::span<T> row = x.subspan(i * columns, columns);
    for (size_t done = 0; done < step; ++done) {
      size_t k = isLower ? done : n - 1 - done;
      subtract<T>(row, triangle.at(i, k), x.subspan(k * columns, columns));
    }
    T diagonal = triangle.at(i, i);
    for (T &element : row)
      element /= diagonal;
  }
}

template <typename T> static Status triangularSolve(OpKernelContext &op) {
  OpInput matrix = op.input(0), rhs = op.input(1);
  size_t rank = matrix.rank();
  if (rank < 2 || rhs.rank() != rank ||
      matrix.dim(rank - 1) != matrix.dim(rank - 2) ||
      !std::equal(matrix.dims().begin(), matrix.dims().end() - 1,
                  rhs.dims().begin()))
    return op.invalid("matrices of shape " + dimsText(matrix.dims()) +
                      " do not match right-hand sides of shape " +
                      dimsText(rhs.dims()) +
                      ": expected [..., M, M] and [..., M, K]");
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<T>(0, rhs.dims()));
  std::ranges::copy(rhs.as<T>(), output.begin());
  auto n = static_cast<size_t>(matrix.dim(rank - 1));
  auto columns = static_cast<size_t>(rhs.dim(rank - 1));
  bool isAdjoint = op.flag("adjoint"), isLower = op.flag("lower", true);
  if (output.empty())
    return Status::ok();
  for (size_t i = 0; i * n * columns < output.size(); ++i) {
    TriangularMatrixView<T> triangle = {
        matrix.as<T>().subspan(i * n * n, n * n), n, isAdjoint};
    solve<T>(triangle, isLower != isAdjoint,
             output.subspan(i * n * columns, n * columns), columns);
  }
  return Status::ok();
}

INGOT_RUNTIME_OP(cholesky) {
  return op.input(0).dtype() == INGOT_DOUBLE ? cholesky<double>(op)
                                             : cholesky<float>(op);
}

INGOT_RUNTIME_OP(triangular_solve) {
  return op.input(0).dtype() == INGOT_DOUBLE ? triangularSolve<double>(op)
                                             : triangularSolve<float>(op);
}
