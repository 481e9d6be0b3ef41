//===- SparseMerge.cpp - Elementwise ops on two sparse tensors ------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Merges the elements of two sparse tensors, which are in row-major order. As
// in TensorFlow, the order is not checked: elements that are not in order may
// be left unmatched.
//===----------------------------------------------------------------------===//
#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/Sparse.h"

#include <cmath>
#include <type_traits>

using namespace ingot;
using namespace ingot::ops;

namespace {

/// An element of the merged tensor. It comes from element `a` of the first
/// tensor, element `b` of the second one, or both, which then have the same
/// indices. `a` or `b` is -1 if that tensor has no such element.
struct MergedSparseElement {
  int64_t a = -1, b = -1;
};

} // namespace

/// Returns a negative number, 0 or a positive one if `x` is before `y`, equal
/// to it or after it.
static int compareIndices(Dims x, Dims y) {
  for (size_t axis = 0; axis < x.size(); ++axis)
    if (x[axis] != y[axis])
      return x[axis] < y[axis] ? -1 : 1;
  return 0;
}

static std::vector<MergedSparseElement> merge(const SparseInput &a,
                                              const SparseInput &b) {
  std::vector<MergedSparseElement> merged;
  int64_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    int order = i == a.size()   ? 1
                : j == b.size() ? -1
                                : compareIndices(a.at(i), b.at(j));
    merged.push_back({order <= 0 ? i++ : -1, order >= 0 ? j++ : -1});
  }
  return merged;
}

static std::string pairText(size_t a, size_t b) {
  return std::to_string(a) + " and " + std::to_string(b);
}

/// Checks that two sparse tensors have the same shape. `isSum` chooses between
/// the error messages of two kernels of TensorFlow.
static Status checkPair(const OpKernelContext &op, const SparseInput &a,
                        const SparseInput &b, bool isSum) {
  for (const SparseInput *sparse : {&a, &b}) {
    if (sparse->values.dim(0) != sparse->size())
      return op.invalid(
          isSum ? "Expected " +
                      pairText(static_cast<size_t>(a.size()),
                               static_cast<size_t>(b.size())) +
                      " non-empty input values, got " +
                      pairText(static_cast<size_t>(a.values.dim(0)),
                               static_cast<size_t>(b.values.dim(0)))
                : "Number of elements in indices (" +
                      std::to_string(sparse->size()) + ") and values (" +
                      std::to_string(sparse->values.dim(0)) + ") do not match");
    if (sparse->dims().size() != sparse->rank())
      return op.invalid(
          isSum ? "Second dimension of indices and length of shape must match, "
                  "got " +
                      pairText(sparse->rank(), sparse->dims().size())
                : "Index rank (" + std::to_string(sparse->rank()) +
                      ") and shape rank (" +
                      std::to_string(sparse->dims().size()) + ") do not match");
  }
  if (a.rank() != b.rank())
    return op.invalid(
        isSum ? "Input indices must have the same dimension, got " +
                    pairText(a.rank(), b.rank())
              : "Operands do not have the same ranks; got shapes: " +
                    dimsText(a.dims()) + " and " + dimsText(b.dims()));
  if (a.rank() == 0)
    return op.invalid("Tensors must not be empty, but have rank 0");
  for (size_t axis = 0; axis < a.rank(); ++axis)
    if (a.dims()[axis] != b.dims()[axis])
      return op.invalid("Operands' shapes do not match: got " +
                        std::to_string(a.dims()[axis]) + " and " +
                        std::to_string(b.dims()[axis]) + " for dimension " +
                        std::to_string(axis));
  return Status::ok();
}

/// Checks that all indices of a sparse tensor are inside its shape.
static Status checkIndices(const OpKernelContext &op,
                           const SparseInput &sparse) {
  for (int64_t element = 0; element < sparse.size(); ++element) {
    Dims at = sparse.at(element);
    for (size_t axis = 0; axis < at.size(); ++axis)
      if (at[axis] < 0 || at[axis] >= sparse.dims()[axis])
        return op.invalid("Sparse index tuple indices[" +
                          std::to_string(element) + ", :] = " + dimsText(at) +
                          " is out of bounds of shape " +
                          dimsText(sparse.dims()));
  }
  return Status::ok();
}

/// Writes the indices of merged elements to output 0.
static Status writeIndices(OpKernelContext &op, const SparseInput &a,
                           const SparseInput &b,
                           const std::vector<MergedSparseElement> &merged) {
  INGOT_ASSIGN_OR_RETURN(
      auto indices, op.output<int64_t>(0, {std::ssize(merged),
                                           static_cast<int64_t>(a.rank())}));
  auto out = indices.begin();
  for (MergedSparseElement element : merged)
    out = std::ranges::copy(element.a >= 0 ? a.at(element.a) : b.at(element.b),
                            out)
              .out;
  return Status::ok();
}

/// Adds two numbers; integers wrap around.
template <typename T> static T add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) +
                          static_cast<std::make_unsigned_t<T>>(b));
  else
    return a + b;
}

/// Returns whether the magnitude of `value` is at least `threshold`; false for
/// a NaN. As in TensorFlow's C++ code, the magnitude of the smallest int32 or
/// int64 overflows and stays negative. The magnitudes of int8 and int16 values
/// are computed as int, and so do not overflow.
template <typename T> static bool isLarge(T value, T threshold) {
  if constexpr (std::is_floating_point_v<T>)
    return threshold <= std::fabs(value);
  else if constexpr (sizeof(T) < sizeof(int))
    return threshold <= (value < 0 ? -int(value) : int(value));
  else
    return threshold <=
           (value < 0
                ? static_cast<T>(-static_cast<std::make_unsigned_t<T>>(value))
                : value);
}

template <typename T>
static Status addTensors(OpKernelContext &op, const SparseInput &a,
                         const SparseInput &b) {
  T threshold = op.input(6).as<T>()[0];
  std::vector<MergedSparseElement> kept;
  std::vector<T> sums;
  for (MergedSparseElement element : merge(a, b)) {
    auto valueOf = [](const SparseInput &sparse, int64_t i) {
      return sparse.values.as<T>()[static_cast<size_t>(i)];
    };
    bool isSum = element.a >= 0 && element.b >= 0;
    T value = isSum ? add(valueOf(a, element.a), valueOf(b, element.b))
              : element.a >= 0 ? valueOf(a, element.a)
                               : valueOf(b, element.b);
    // Only elements that are sums of two values are compared with the
    // threshold.
    if (isSum && !isLarge(value, threshold))
      continue;
    kept.push_back(element);
    sums.push_back(value);
  }
  INGOT_RETURN_IF_ERROR(writeIndices(op, a, b, kept));
  INGOT_ASSIGN_OR_RETURN(auto out, op.output<T>(1, {std::ssize(sums)}));
  std::ranges::copy(sums, out.begin());
  return op.forward(2, a.shape);
}

/// Calls `visitor.operator()<T>()` for the element types whose sparse tensors
/// TensorFlow can add.
template <typename VisitorT>
static Status visitSums(int32_t dtype, VisitorT visitor) {
  switch (dtype) {
  case INGOT_FLOAT:
    return visitor.template operator()<float>();
  case INGOT_DOUBLE:
    return visitor.template operator()<double>();
  case INGOT_INT8:
    return visitor.template operator()<int8_t>();
  case INGOT_INT16:
    return visitor.template operator()<int16_t>();
  case INGOT_INT32:
    return visitor.template operator()<int32_t>();
  case INGOT_INT64:
    return visitor.template operator()<int64_t>();
  default:
    return unsupportedType(dtype);
  }
}

// Implements SparseAdd. Inputs: two sparse tensors and the threshold.
INGOT_RUNTIME_OP(sparse_add) {
  SparseInput a(op.input(0), op.input(1), op.input(2)),
      b(op.input(3), op.input(4), op.input(5));
  INGOT_RETURN_IF_ERROR(checkPair(op, a, b, /*isSum=*/true));
  return visitSums(a.values.dtype(),
                   [&]<typename T>() { return addTensors<T>(op, a, b); });
}

/// Writes the gradient of one summand. Each element of the summand gets the
/// gradient of the sum's element with the same indices, or 0 if the sum has no
/// such element.
template <typename T>
static Status writeGradients(OpKernelContext &op, size_t output,
                             const OpInput &indices, const OpInput &sumIndices,
                             const OpInput &gradient) {
  // merge() reads only the indices. The op has no inputs for the values and
  // shapes, so pass other tensors in their places.
  SparseInput tensor(indices, indices, indices),
      sum(sumIndices, gradient, gradient);
  INGOT_ASSIGN_OR_RETURN(auto out, op.output<T>(output, {tensor.size()}));
  std::ranges::fill(out, T(0));
  for (MergedSparseElement element : merge(tensor, sum))
    if (element.a >= 0 && element.b >= 0)
      out[static_cast<size_t>(element.a)] =
          gradient.as<T>()[static_cast<size_t>(element.b)];
  return Status::ok();
}

// Implements SparseAddGrad. Inputs: the gradient of the sum's elements, then
// the indices of both tensors and of the sum.
INGOT_RUNTIME_OP(sparse_add_grad) {
  OpInput gradient = op.input(0), a = op.input(1), b = op.input(2),
          sum = op.input(3);
  if (a.dim(1) != b.dim(1) || a.dim(1) != sum.dim(1))
    return op.invalid(
        "The densified operands should have the same ndims; for A, B, sum "
        "got: " +
        std::to_string(a.dim(1)) + ", " + std::to_string(b.dim(1)) + ", " +
        std::to_string(sum.dim(1)));
  if (gradient.dim(0) != sum.dim(0))
    return op.invalid("# elements of backprop_val_grad and # rows of "
                      "sum_indices should match (#nnz of sum): got " +
                      std::to_string(gradient.dim(0)) + " and " +
                      std::to_string(sum.dim(0)));
  return visitSums(gradient.dtype(), [&]<typename T>() {
    INGOT_RETURN_IF_ERROR(writeGradients<T>(op, 0, a, sum, gradient));
    return writeGradients<T>(op, 1, b, sum, gradient);
  });
}

// Implements SparseSparseMaximum and SparseSparseMinimum. Inputs: two sparse
// tensors.
INGOT_RUNTIME_OP(sparse_combine) {
  SparseInput a(op.input(0), op.input(1), op.input(2)),
      b(op.input(3), op.input(4), op.input(5));
  INGOT_RETURN_IF_ERROR(checkPair(op, a, b, /*isSum=*/false));
  INGOT_RETURN_IF_ERROR(checkIndices(op, a));
  INGOT_RETURN_IF_ERROR(checkIndices(op, b));
  bool isMax = op.text("combine") == "max";
  std::vector<MergedSparseElement> merged = merge(a, b);
  INGOT_RETURN_IF_ERROR(writeIndices(op, a, b, merged));
  return visitNumbers(a.values.dtype(), [&]<typename T>() {
    INGOT_ASSIGN_OR_RETURN(auto out, op.output<T>(1, {std::ssize(merged)}));
    auto valueOf = [](const SparseInput &sparse, int64_t i) {
      return i < 0 ? T{} : sparse.values.as<T>()[static_cast<size_t>(i)];
    };
    for (size_t i = 0; i < out.size(); ++i) {
      T x = valueOf(a, merged[i].a), y = valueOf(b, merged[i].b);
      // If one number is NaN, so is the result; of equal numbers, such as 0 and
      // -0, the first one is used.
      bool isSecond = y != y || (isMax ? x < y : y < x);
      out[i] = x == x && isSecond ? y : x;
    }
    return Status::ok();
  });
}
