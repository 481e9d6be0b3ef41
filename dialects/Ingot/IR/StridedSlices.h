//===- StridedSlices.h - Interpret x[begin:end:stride] --------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Interprets the entries and masks of a strided slice as a list: what the slice
// selects from each dimension of the input, and the dimensions that it adds.
// Shape functions, folders and lowerings all use this list.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_IR_STRIDEDSLICES_H
#define INGOT_DIALECTS_INGOT_IR_STRIDEDSLICES_H

#include "dialects/Ingot/IR/ShapeInference.h"

namespace mlir::ingot {

/// TensorFlow's masks of a strided slice: bit i applies to entry i of begin,
/// end and strides.
struct SliceMasks {
  int64_t begin, end, ellipsis, newAxis, shrink;

  /// Reads the masks of an op, or of its adaptor.
  template <typename OpT>
  explicit SliceMasks(OpT op)
      : begin(op.getBeginMask()), end(op.getEndMask()),
        ellipsis(op.getEllipsisMask()), newAxis(op.getNewAxisMask()),
        shrink(op.getShrinkAxisMask()) {}
};

/// The `count` positions begin, begin + stride, begin + 2 * stride, ...
struct StridedRange {
  int64_t begin, stride, count;
};

/// A dimension of the input from which a slice selects, or a new dimension that
/// it adds.
struct SlicedDim {
  enum Kind { Range, Index, New };
  Kind kind;
  /// The dimension of the input; -1 for a new dimension.
  int64_t dim = -1;
  /// The index of the entry in begin, end and strides; -1 if the slice takes
  /// the whole dimension, as `...` does.
  int64_t entry = -1;
  bool beginMasked = true, endMasked = true;
  /// The entry's begin, end and stride; kDynamic if unknown.
  int64_t begin = 0, end = 0, stride = 1;

  /// Returns the positions that the entry selects from a dimension of size
  /// `size`: for a range, clamped as in Python; for an index, the one position.
  /// std::nullopt if the positions are unknown or the index is out of range.
  std::optional<StridedRange> rangeOf(int64_t size) const;
};

/// The dimensions of a slice, in order: those of the input and the new ones
/// between them.
using SlicePlan = SmallVector<SlicedDim>;

/// Returns what a strided slice selects from each dimension of an input of rank
/// `rank`, and the dimensions that it adds. Emits an error and fails if the
/// entries are not valid for such an input.
FailureOr<SlicePlan> planStridedSlice(std::optional<Location> loc, int64_t rank,
                                      Value begin, Value end, Value strides,
                                      const SliceMasks &masks);

/// Returns the shape of a strided slice of an input of shape `input`. Emits an
/// error and fails if the entries are not valid for such an input.
FailureOr<Shape> inferStridedSlice(std::optional<Location> loc,
                                   const Shape &input, Value begin, Value end,
                                   Value strides, const SliceMasks &masks);

} // namespace mlir::ingot

#endif // INGOT_DIALECTS_INGOT_IR_STRIDEDSLICES_H
