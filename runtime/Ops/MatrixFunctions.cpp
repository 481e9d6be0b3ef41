//===- MatrixFunctions.cpp - Eigenvectors and functions of matrices -------===//
// SPDX-License-Identifier: Apache-2.0
//
// Eigenvalues, square roots, exponentials and logarithms of square matrices.
// Eigen computes them with the same algorithms as in TensorFlow.
//
//===----------------------------------------------------------------------===//

#include "runtime/Device/FlushDenormals.h"
#include "runtime/Ops/OpKernelContext.h"
#include "runtime/Ops/SquareMatrices.h"

#include <Eigen/Eigenvalues>
#include <complex>
#include <unsupported/Eigen/MatrixFunctions>

using namespace ingot;
using namespace ingot::ops;

template <typename T>
using Matrix =
    Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Calls `visit(i, matrix)` for each matrix i of the batch.
template <typename T, typename VisitT>
static Status forEachMatrix(OpKernelContext &op, int64_t n, VisitT visit) {
  auto elements = op.input(0).as<T>();
  // Do not flush denormals to zero here: Eigen's algorithms rely on them.
  ScopedKeepDenormals denormals;
  for (size_t i = 0, size = n * n; i * size < elements.size(); ++i) {
    Matrix<T> matrix =
        Eigen::Map<const Matrix<T>>(elements.data() + i * size, n, n);
    INGOT_RETURN_IF_ERROR(visit(i, matrix));
  }
  return Status::ok();
}

template <typename T, typename FunctionT>
static Status computeFunction(OpKernelContext &op, FunctionT function) {
  INGOT_ASSIGN_OR_RETURN(int64_t n, squareSize(op));
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<T>(0, op.input(0).dims()));
  return forEachMatrix<T>(op, n, [&](size_t i, const Matrix<T> &matrix) {
    Eigen::Map<Matrix<T>>(output.data() + i * n * n, n, n) = function(matrix);
    return Status::ok();
  });
}

/// Eigen's solver for matrices of type T. As in TensorFlow 2.15, eigenvalues of
/// complex matrices ascend by magnitude, but eigenvalues of real matrices do
/// not.
template <typename T> struct EigenSolver {
  using Type = Eigen::EigenSolver<Matrix<T>>;
};
template <typename T> struct EigenSolver<std::complex<T>> {
  using Type = Eigen::ComplexEigenSolver<Matrix<std::complex<T>>>;
};

template <typename T> static Status eig(OpKernelContext &op) {
  using ComplexT = std::complex<typename Eigen::NumTraits<T>::Real>;
  INGOT_ASSIGN_OR_RETURN(int64_t n, squareSize(op));
  Dims dims = op.input(0).dims();
  bool withVectors = op.flag("compute_v");
  INGOT_ASSIGN_OR_RETURN(auto values,
                         op.output<ComplexT>(0, dims.first(dims.size() - 1)));
  std::vector<int64_t> none{0};
  INGOT_ASSIGN_OR_RETURN(
      auto vectors, op.output<ComplexT>(1, withVectors ? dims : Dims(none)));
  return forEachMatrix<T>(op, n, [&](size_t i, const Matrix<T> &matrix) {
    typename EigenSolver<T>::Type solver(matrix, withVectors);
    if (solver.info() != Eigen::Success)
      return op.invalid("Eigen decomposition was not successful. The input "
                        "might not be valid.");
    std::copy_n(solver.eigenvalues().data(), n, values.data() + i * n);
    if (withVectors)
      Eigen::Map<Matrix<ComplexT>>(vectors.data() + i * n * n, n, n) =
          solver.eigenvectors();
    return Status::ok();
  });
}

/// Calls `compute` with a zero whose C++ type is the matrices' element type, so
/// that the right instantiation of `compute` runs.
template <typename ComputeT>
static Status withComplexType(OpKernelContext &op, ComputeT compute) {
  return op.input(0).dtype() == INGOT_COMPLEX128
             ? compute(std::complex<double>())
             : compute(std::complex<float>());
}
template <typename ComputeT>
static Status withMatrixType(OpKernelContext &op, ComputeT compute) {
  switch (op.input(0).dtype()) {
  case INGOT_FLOAT:
    return compute(float());
  case INGOT_DOUBLE:
    return compute(double());
  default:
    return withComplexType(op, compute);
  }
}

INGOT_RUNTIME_OP(eig) {
  return withMatrixType(op, [&]<typename T>(T) { return eig<T>(op); });
}

INGOT_RUNTIME_OP(matrix_square_root) {
  return withMatrixType(op, [&]<typename T>(T) {
    return computeFunction<T>(op, [](auto &x) { return x.sqrt().eval(); });
  });
}

INGOT_RUNTIME_OP(matrix_exponential) {
  return withMatrixType(op, [&]<typename T>(T) {
    return computeFunction<T>(op, [](auto &x) { return x.exp().eval(); });
  });
}

INGOT_RUNTIME_OP(matrix_logarithm) {
  return withComplexType(op, [&]<typename T>(T) {
    return computeFunction<T>(op, [](auto &x) { return x.log().eval(); });
  });
}
