//===- StridedSlices.h - The meaning of x[begin:end:stride, ...] *- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Entries and masks of strided slices, as a list of the dimensions that they
// make: shape functions, folders and lowerings read the same one.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_STRIDEDSLICES_H
#define INGOT_DIALECTS_INGOT_STRIDEDSLICES_H

#include "dialects/Ingot/ShapeInference.h"

namespace mlir::ingot {

/// TensorFlow's masks: bit i speaks of entry i.
struct SliceMasks {
  int64_t begin, end, ellipsis, newAxis, shrink;

  /// The masks of an op, or of its adaptor.
  template <typename OpT>
  explicit SliceMasks(OpT op)
      : begin(op.getBeginMask()), end(op.getEndMask()),
        ellipsis(op.getEllipsisMask()), newAxis(op.getNewAxisMask()),
        shrink(op.getShrinkAxisMask()) {}
};

/// Positions begin, begin + stride, ..., `count` of them.
struct StaticRange {
  int64_t begin, stride, count;
};

/// One dimension that a slice cuts or makes.
struct SlicedDim {
  enum Kind { Range, Index, New };
  Kind kind;
  int64_t dim = -1;   // of the input; -1 for a new one
  int64_t entry = -1; // of begin, end and strides; -1 takes the whole dimension
  bool beginMasked = true, endMasked = true;
  /// The entry's numbers; kDynamic where they are not known.
  int64_t begin = 0, end = 0, stride = 1;

  /// Which positions of a dimension of `size` are taken: of ranges as Python
  /// cuts them off, of an index the one; nothing where that is not known or
  /// the index lies outside.
  std::optional<StaticRange> rangeOf(int64_t size) const;
};

/// Dimensions of the input, with new ones between, in order.
using SlicePlan = SmallVector<SlicedDim>;

/// The dimensions that the entries select from an input of `rank`.
FailureOr<SlicePlan> planStridedSlice(std::optional<Location> loc, int64_t rank,
                                      Value begin, Value end, Value strides,
                                      const SliceMasks &masks);

/// The slice's shape.
FailureOr<Shape> inferStridedSlice(std::optional<Location> loc,
                                   const Shape &input, Value begin, Value end,
                                   Value strides, const SliceMasks &masks);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_STRIDEDSLICES_H
