//===- SpectralDecompositions.cpp - Eigenvalues and singular values -------===//
// SPDX-License-Identifier: Apache-2.0
//
// Decompositions that Eigen computes, with the same algorithms as in
// TensorFlow.
//===----------------------------------------------------------------------===//

#include "runtime/Device/FlushDenormals.h"
#include "runtime/Ops/OpKernelContext.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <limits>

using namespace ingot;
using namespace ingot::ops;

namespace {

template <typename T>
using Matrix =
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The sizes of a batch of matrices.
struct MatrixBatchSizes {
  explicit MatrixBatchSizes(Dims dims)
      : rows(dims[dims.size() - 2]), columns(dims.back()) {
    for (int64_t dim : dims.first(dims.size() - 2))
      count *= dim;
  }
  int64_t count = 1, rows, columns;
};

} // namespace

/// Returns `dims` with `last` in place of the last two dimensions.
static std::vector<int64_t> withLast(Dims dims,
                                     std::initializer_list<int64_t> last) {
  std::vector<int64_t> result(dims.begin(), dims.end() - 2);
  result.insert(result.end(), last);
  return result;
}

static Status checkMatrix(OpKernelContext &op) {
  OpInput input = op.input(0);
  if (input.rank() >= 2)
    return Status::ok();
  return op.invalid("Input tensor 0 must have rank >= 2, got " +
                    std::to_string(input.rank()));
}

template <typename T> static Status selfAdjointEig(OpKernelContext &op) {
  INGOT_RETURN_IF_ERROR(checkMatrix(op));
  OpInput input = op.input(0);
  MatrixBatchSizes sizes(input.dims());
  int64_t n = sizes.rows;
  if (n != sizes.columns)
    return op.invalid("Input matrix must be square. Its shape is " +
                      dimsText(input.dims()));
  bool withVectors = op.flag("compute_v");
  INGOT_ASSIGN_OR_RETURN(auto values,
                         op.output<T>(0, withLast(input.dims(), {n})));
  INGOT_ASSIGN_OR_RETURN(
      auto vectors, op.output<T>(1, withVectors ? withLast(input.dims(), {n, n})
                                                : std::vector<int64_t>{0}));
  if (values.empty())
    return Status::ok();
  // Do not flush denormals to zero here: Eigen's algorithm relies on them.
  ScopedKeepDenormals denormals;
  for (int64_t i = 0; i < sizes.count; ++i) {
    Matrix<T> matrix =
        Eigen::Map<const Matrix<T>>(input.as<T>().data() + i * n * n, n, n);
    Eigen::SelfAdjointEigenSolver<Matrix<T>> solver(
        matrix,
        withVectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
    if (solver.info() != Eigen::Success)
      return op.invalid("Self-adjoint eigen decomposition was not successful. "
                        "The input might not be valid.");
    std::copy_n(solver.eigenvalues().data(), n, values.data() + i * n);
    if (withVectors)
      Eigen::Map<Matrix<T>>(vectors.data() + i * n * n, n, n) =
          solver.eigenvectors();
  }
  return Status::ok();
}

template <typename T> static Status svd(OpKernelContext &op) {
  INGOT_RETURN_IF_ERROR(checkMatrix(op));
  OpInput input = op.input(0);
  MatrixBatchSizes sizes(input.dims());
  int64_t m = sizes.rows, n = sizes.columns, rank = std::min(m, n);
  bool withVectors = op.flag("compute_uv"), isFull = op.flag("full_matrices");
  int64_t ofU = isFull ? m : rank, ofV = isFull ? n : rank;
  std::vector<int64_t> none{0};
  INGOT_ASSIGN_OR_RETURN(auto values,
                         op.output<T>(0, withLast(input.dims(), {rank})));
  INGOT_ASSIGN_OR_RETURN(
      auto us,
      op.output<T>(1, withVectors ? withLast(input.dims(), {m, ofU}) : none));
  INGOT_ASSIGN_OR_RETURN(
      auto vs,
      op.output<T>(2, withVectors ? withLast(input.dims(), {n, ofV}) : none));
  if (values.empty()) {
    // The matrices have no elements, so any orthonormal basis is right. Take
    // the columns of the identity matrix.
    for (auto [all, size] : {std::pair(us, m), std::pair(vs, n)})
      for (size_t i = 0; i < all.size(); ++i)
        all[i] = i % static_cast<size_t>(size * size) %
                             static_cast<size_t>(size + 1) ==
                         0
                     ? T(1)
                     : T(0);
    return Status::ok();
  }
  unsigned options = !withVectors ? 0
                     : isFull     ? Eigen::ComputeFullU | Eigen::ComputeFullV
                                  : Eigen::ComputeThinU | Eigen::ComputeThinV;
  for (int64_t i = 0; i < sizes.count; ++i) {
    Matrix<T> matrix =
        Eigen::Map<const Matrix<T>>(input.as<T>().data() + i * m * n, m, n);
    Eigen::BDCSVD<Matrix<T>> solver(matrix, options);
    if (solver.info() != Eigen::Success) {
      // Eigen computes nothing for a matrix with a NaN or an infinity, so fill
      // its results with NaN.
      constexpr T nan = std::numeric_limits<T>::quiet_NaN();
      std::fill_n(values.data() + i * rank, rank, nan);
      if (withVectors) {
        std::fill_n(us.data() + i * m * ofU, m * ofU, nan);
        std::fill_n(vs.data() + i * n * ofV, n * ofV, nan);
      }
      continue;
    }
    std::copy_n(solver.singularValues().data(), rank, values.data() + i * rank);
    if (!withVectors)
      continue;
    Eigen::Map<Matrix<T>>(us.data() + i * m * ofU, m, ofU) = solver.matrixU();
    Eigen::Map<Matrix<T>>(vs.data() + i * n * ofV, n, ofV) = solver.matrixV();
  }
  return Status::ok();
}

INGOT_RUNTIME_OP(self_adjoint_eig) {
  return op.input(0).dtype() == INGOT_DOUBLE ? selfAdjointEig<double>(op)
                                             : selfAdjointEig<float>(op);
}

INGOT_RUNTIME_OP(svd) {
  return op.input(0).dtype() == INGOT_DOUBLE ? svd<double>(op) : svd<float>(op);
}
