//===- Shapes.cpp - Checks of shapes at run time --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/OpKernelContext.h"

using namespace ingot;
using namespace ingot::ops;

INGOT_RUNTIME_OP(ensure_shape) {
  OpInput input = op.input(0);
  std::span<const int64_t> shape = op.integers("shape");
  bool fits = input.rank() == shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i)
    fits = shape[i] < 0 || shape[i] == input.dim(i);
  if (!fits)
    return op.invalid("expected an input of shape " + dimsText(shape) +
                      ", but got " + dimsText(input.dims()));
  return op.forward(0, input);
}

/// Returns the size of axis `i` of `shape` after padding it with leading ones
/// to `rank` dimensions.
static int64_t sizeAt(const std::vector<int64_t> &shape, size_t i,
                      size_t rank) {
  size_t missing = rank - shape.size();
  return i < missing ? 1 : shape[i - missing];
}

template <typename T>
static Status writeAxes(OpKernelContext &op, size_t i,
                        const std::vector<int64_t> &axes) {
  INGOT_ASSIGN_OR_RETURN(auto written,
                         op.output<T>(i, {static_cast<int64_t>(axes.size())}));
  for (size_t k = 0; k < axes.size(); ++k)
    written[k] = static_cast<T>(axes[k]);
  return Status::ok();
}

INGOT_RUNTIME_OP(broadcast_gradient_args) {
  std::vector<int64_t> shapes[] = {op.input(0).integers(),
                                   op.input(1).integers()};
  size_t rank = std::max(shapes[0].size(), shapes[1].size());
  std::vector<int64_t> axes[2];
  for (size_t i = 0; shapes[0] != shapes[1] && i < rank; ++i) {
    int64_t a = sizeAt(shapes[0], i, rank), b = sizeAt(shapes[1], i, rank);
    if (a != b && a != 1 && b != 1)
      return op.invalid("shapes " + dimsText(shapes[0]) + " and " +
                        dimsText(shapes[1]) +
                        " cannot be broadcast against each other");
    // The gradient of an operand is summed over the axes along which the
    // operand was broadcast (size 1). As in TensorFlow, an axis of size 1 in
    // both shapes is among the axes of both operands.
    if (a == 1)
      axes[0].push_back(static_cast<int64_t>(i));
    if (b == 1)
      axes[1].push_back(static_cast<int64_t>(i));
  }
  for (size_t i : {0, 1}) {
    Status status = op.outputType(i) == INGOT_INT64
                        ? writeAxes<int64_t>(op, i, axes[i])
                        : writeAxes<int32_t>(op, i, axes[i]);
    if (!status.isOk())
      return status;
  }
  return Status::ok();
}
