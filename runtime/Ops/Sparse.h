//===- Sparse.h - Reorders, reshapes, slices sparse tensors -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_OPS_SPARSE_H
#define INGOT_RUNTIME_OPS_SPARSE_H

#include "runtime/Ops/OpKernelContext.h"

namespace ingot::ops {

/// A sparse tensor: the inputs of an op with its indices, values and shape.
struct SparseInput {
  SparseInput(const OpInput &indices, const OpInput &values,
              const OpInput &shape)
      : indices(indices), values(values), shape(shape) {}

  int64_t size() const { return indices.dim(0); }
  size_t rank() const { return static_cast<size_t>(indices.dim(1)); }
  /// Returns the coordinates of an element.
  Dims at(int64_t element) const {
    return indices.as<int64_t>().subspan(static_cast<size_t>(element) * rank(),
                                         rank());
  }
  Dims dims() const { return shape.as<int64_t>(); }

  /// Checks that the sizes of the three inputs match.
  Status checkSizes() const;
  /// Checks what checkSizes() checks, and that `shape` is a valid shape of a
  /// tensor.
  Status checkShape() const;
  /// Checks what checkSizes() checks, and that all coordinates are inside
  /// `shape`.
  Status check() const;

  OpInput indices, values, shape;
};

/// Returns the error that an element's index is outside the tensor's shape:
/// "index [1, 5] is outside shape [3, 4]".
Status outsideOfShape(Dims index, Dims shape);

/// Returns the indices of the elements, sorted stably by coordinates.
std::vector<int64_t> rowMajorOrder(const SparseInput &sparse);

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_SPARSE_H
