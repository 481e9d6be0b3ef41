//===- OrthogonalFactors.cpp - QR factorization ---------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// QR factorization by Householder reflections: each column is reflected so that
// all its elements below the matrix's diagonal become zero. Sums are computed
// row by row, so that results are the same on every machine.
//===----------------------------------------------------------------------===//

#include "runtime/Ops/OpKernelContext.h"

#include <cmath>
#include <limits>

using namespace ingot;
using namespace ingot::ops;

namespace {
/// A row-major matrix.
template <typename T> struct Matrix {
  std::span<T> elements;
  size_t rows, columns;

  T &at(size_t i, size_t j) const { return elements[i * columns + j]; }
};

/// A Householder reflection: x becomes x - factor v (v^T x). v has zeros before
/// row `first`, a 1 in that row, and `rest` after it.
template <typename T> struct Reflection {
  size_t first;
  T factor;
  T diagonal; // the diagonal element of column `first` after the reflection
  std::vector<T> rest;

  /// Applies the reflection to the columns of `x` from `begin` on.
  void apply(const Matrix<T> &x, size_t begin, std::vector<T> &sums) const {
    if (factor == 0)
      return;
    auto weight = [&](size_t i) {
      return i == first ? 1 : rest[i - first - 1];
    };
    sums.assign(x.columns, 0);
    for (size_t i = first; i < x.rows; ++i)
      for (size_t j = begin; j < x.columns; ++j)
        sums[j] += weight(i) * x.at(i, j);
    for (size_t i = first; i < x.rows; ++i)
      for (size_t j = begin; j < x.columns; ++j)
        x.at(i, j) -= factor * weight(i) * sums[j];
  }
};
} // namespace

/// Returns the reflection that makes the elements of column `k` below the
/// diagonal zero. If they are zero already, the reflection's factor is 0.
template <typename T>
static Reflection<T> reflectionOf(const Matrix<T> &x, size_t k) {
  T square = 0, top = x.at(k, k);
  for (size_t i = k + 1; i < x.rows; ++i)
    square += x.at(i, k) * x.at(i, k);
  std::vector<T> rest(x.rows - k - 1);
  if (square <= std::numeric_limits<T>::min())
    return {k, 0, top, std::move(rest)};
  T diagonal = std::sqrt(top * top + square);
  if (top >= 0) // `diagonal` and `top` differ in sign: no cancellation
    diagonal = -diagonal;
  for (size_t i = k + 1; i < x.rows; ++i)
    rest[i - k - 1] = x.at(i, k) / (top - diagonal);
  return {k, (diagonal - top) / diagonal, diagonal, std::move(rest)};
}

/// Factorizes `x`, which is overwritten, into the orthogonal matrix `q` and the
/// upper triangle `r`.
template <typename T>
static void factorize(const Matrix<T> &x, const Matrix<T> &q,
                      const Matrix<T> &r) {
  std::vector<Reflection<T>> reflections;
  std::vector<T> sums;
  for (size_t k = 0; k < std::min(x.rows, x.columns); ++k) {
    reflections.push_back(reflectionOf(x, k));
    reflections.back().apply(x, k + 1, sums);
    x.at(k, k) = reflections.back().diagonal;
  }
  for (size_t i = 0; i < r.rows; ++i)
    for (size_t j = 0; j < r.columns; ++j)
      r.at(i, j) = j < i ? T(0) : x.at(i, j);
  for (size_t i = 0; i < q.rows; ++i)
    for (size_t j = 0; j < q.columns; ++j)
      q.at(i, j) = i == j ? T(1) : T(0);
  for (size_t k = reflections.size(); k-- > 0;)
    reflections[k].apply(q, 0, sums);
}

template <typename T> static Status qr(OpKernelContext &op) {
  OpInput input = op.input(0);
  size_t rank = input.rank();
  if (rank < 2)
    return op.invalid("Input tensor 0 must have rank >= 2, got " +
                      std::to_string(rank));
  int64_t rows = input.dim(rank - 2), columns = input.dim(rank - 1);
  int64_t inner = op.flag("full_matrices") ? rows : std::min(rows, columns);
  std::vector<int64_t> qDims(input.dims().begin(), input.dims().end());
  std::vector<int64_t> rDims = qDims;
  qDims[rank - 1] = rDims[rank - 2] = inner;
  INGOT_ASSIGN_OR_RETURN(auto q, op.output<T>(0, qDims));
  INGOT_ASSIGN_OR_RETURN(auto r, op.output<T>(1, rDims));
  if (q.empty() && r.empty())
    return Status::ok();
  auto m = static_cast<size_t>(rows), n = static_cast<size_t>(columns),
       k = static_cast<size_t>(inner);
  size_t count = 1;
  for (int64_t dim : input.dims().first(rank - 2))
    count *= static_cast<size_t>(dim);
  std::vector<T> matrix(m * n);
  for (size_t i = 0; i < count; ++i) {
    std::ranges::copy(input.as<T>().subspan(i * m * n, m * n), matrix.begin());
    factorize<T>({matrix, m, n}, {q.subspan(i * m * k, m * k), m, k},
                 {r.subspan(i * k * n, k * n), k, n});
  }
  return Status::ok();
}

INGOT_RUNTIME_OP(qr) {
  return op.input(0).dtype() == INGOT_DOUBLE ? qr<double>(op) : qr<float>(op);
}
