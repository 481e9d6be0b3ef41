//===- TensorSlice.h - Part of a tensor, as text and as a key ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A slice is a box inside a tensor. This file parses and prints TensorFlow's
// text form ("10 4 0,4:-"), makes the key under which a bundle stores a slice,
// and copies elements between boxes.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_TENSORSLICE_H
#define INGOT_RUNTIME_CHECKPOINT_TENSORSLICE_H

#include "runtime/Support/Expected.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ingot {

/// The sizes of a tensor's dimensions, outermost first; empty for a scalar.
using Shape = std::vector<int64_t>;

/// Prints a shape as "[3,5]".
std::string shapeText(const Shape &shape);

/// Returns the number of elements of `shape`, or std::nullopt if a dimension is
/// negative or the product overflows.
std::optional<int64_t> elementCount(const Shape &shape);

/// A box in a tensor: one interval per dimension. An empty list of intervals
/// stands for the whole tensor.
struct TensorSlice {
  /// The interval [start, start + length), or the whole dimension if `length`
  /// is `full`.
  struct Extent {
    static constexpr int64_t full = -1;
    int64_t start = 0;
    int64_t length = full;

    bool isFull() const { return length == full; }
    bool operator==(const Extent &) const = default;
  };
  std::vector<Extent> extents;

  /// Returns true if every extent is "-", so the slice is the whole tensor.
  bool isFull() const;
  bool operator==(const TensorSlice &) const = default;

  /// Returns the same box with all lengths explicit. Returns InvalidArgument if
  /// the number of extents differs from the rank of `shape` (and is not 0), or
  /// if the box is not inside `shape`.
  Expected<TensorSlice> within(const Shape &shape) const;

  /// Returns the lengths of the box's intervals. The box must be a result of
  /// within(), in which all lengths are explicit.
  Shape shape() const;

  /// Prints the slice as "0,4:-": start and length of each dimension, or "-"
  /// for a whole dimension.
  std::string text() const;
};

/// The parsed form of the Saver's slice text: the full tensor's shape and a
/// slice of it.
struct ShapeAndSlice {
  Shape fullShape;
  TensorSlice slice;
};

/// Parses "10 4 0,4:-": the dimensions of the full tensor, then an extent for
/// each. Returns InvalidArgument, quoting `text`, if it is malformed or the
/// slice is not inside the shape.
Expected<ShapeAndSlice> parseShapeAndSlice(std::string_view text);

/// Returns the key under which a bundle's index stores slice `slice` of tensor
/// `name`. The key consists of a 0, the name, the rank and each extent, in
/// TensorFlow's OrderedCode, whose bytes sort like the values.
std::string encodeSliceKey(std::string_view name, const TensorSlice &slice);

/// Returns true for keys that encodeSliceKey() makes. They begin with a zero
/// byte.
inline bool isSliceKey(std::string_view key) {
  return !key.empty() && key.front() == '\0';
}

/// Returns the intersection of two boxes with explicit lengths (results of
/// TensorSlice::within()), or std::nullopt if they share no element.
std::optional<TensorSlice> intersect(const TensorSlice &a,
                                     const TensorSlice &b);

/// Returns the indices of two of `boxes` that share elements, or std::nullopt
/// if no two do. All boxes must be of one tensor, with explicit lengths
/// (results of TensorSlice::within()).
std::optional<std::pair<size_t, size_t>>
findOverlap(const std::vector<TensorSlice> &boxes);

/// Finds the runs of contiguous elements that two boxes share. Of box `from`
/// only elements [begin, begin + count) are considered, in row-major order.
/// Calls `copy(toIndex, fromIndex, elements)` for each run, with the indices of
/// its first element in both boxes.
template <typename Copy>
void forEachSharedRun(const TensorSlice &from, int64_t begin, int64_t count,
                      const TensorSlice &to, Copy copy) {
  size_t rank = from.extents.size();
  if (rank == 0) {
    if (count > 0)
      copy(int64_t(0), int64_t(0), int64_t(1));
    return;
  }
  int64_t row = from.extents[rank - 1].length;
  const TensorSlice::Extent &fromInner = from.extents[rank - 1];
  const TensorSlice::Extent &toInner = to.extents[rank - 1];
  for (int64_t at = begin, end = begin + count; at < end;) {
    int64_t column = at % row;
    int64_t run = row - column < end - at ? row - column : end - at;
    // A row is a line of `from` along the innermost dimension. Computes the
    // index in `to` of this row's first element. The row is not in `to` if one
    // of its outer coordinates is outside of `to`.
    int64_t rest = at / row, index = 0, stride = toInner.length;
    bool inside = true;
    for (size_t d = rank - 1; d-- > 0;) {
      int64_t coordinate =
          from.extents[d].start + rest % from.extents[d].length;
      rest /= from.extents[d].length;
      int64_t local = coordinate - to.extents[d].start;
      inside &= local >= 0 && local < to.extents[d].length;
      index += local * stride;
      stride *= to.extents[d].length;
    }
    if (inside) {
      int64_t first = fromInner.start + column, last = first + run;
      int64_t low = first > toInner.start ? first : toInner.start;
      int64_t toEnd = toInner.start + toInner.length;
      int64_t high = last < toEnd ? last : toEnd;
      if (low < high)
        copy(index + (low - toInner.start), at + (low - first), high - low);
    }
    at += run;
  }
}

/// Copies elements [begin, begin + count) of box `from`, stored at `bytes`, to
/// their positions in box `to`, stored at `destination`. Elements outside of
/// `to` are skipped. Elements have `elementSize` bytes.
void copySharedElements(const TensorSlice &from, int64_t begin, int64_t count,
                        const TensorSlice &to, size_t elementSize,
                        const char *bytes, char *destination);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_TENSORSLICE_H
