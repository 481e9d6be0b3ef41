//===- TensorSlice.h - Part of a tensor, as text and as a key ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A box inside a tensor: TensorFlow's text form ("10 4 0,4:-"), the key under
// which a bundle keeps a slice, and copying between boxes.
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

/// Dimensions of a tensor, outermost first; empty for a scalar.
using Shape = std::vector<int64_t>;

/// "[3,5]".
std::string shapeText(const Shape &shape);

/// The number of elements of `shape`, or nothing where a dimension is negative
/// or the product overflows.
std::optional<int64_t> elementCount(const Shape &shape);

/// A box: one interval a dimension. No intervals at all is the whole tensor.
struct TensorSlice {
  /// [start, start + length), or the whole dimension where `length` is `full`.
  struct Extent {
    static constexpr int64_t full = -1;
    int64_t start = 0;
    int64_t length = full;

    bool isFull() const { return length == full; }
    bool operator==(const Extent &) const = default;
  };
  std::vector<Extent> extents;

  /// True where the text has no restriction at all (every extent is "-").
  bool isFull() const;
  bool operator==(const TensorSlice &) const = default;

  /// The same box with every length written out. Fails unless it has an extent
  /// for each dimension of `shape` (or none at all) and lies within `shape`.
  Expected<TensorSlice> within(const Shape &shape) const;

  /// The lengths of a box that within() has returned.
  Shape shape() const;

  /// "0,4:-".
  std::string text() const;
};

/// A saver's slice text: the shape of the full tensor and a part of it.
struct ShapeAndSlice {
  Shape fullShape;
  TensorSlice slice;
};

/// Parses "10 4 0,4:-": dimensions of the full tensor, then an extent for each.
/// The slice lies within the shape. Fails with InvalidArgument, quoting `text`.
Expected<ShapeAndSlice> parseShapeAndSlice(std::string_view text);

/// The key under which a bundle's index keeps slice `slice` of tensor `name`:
/// TensorFlow's order-preserving code of 0, name, rank, and each extent.
std::string encodeSliceKey(std::string_view name, const TensorSlice &slice);

/// True for keys that encodeSliceKey() makes: they begin with a zero byte.
inline bool isSliceKey(std::string_view key) {
  return !key.empty() && key.front() == '\0';
}

/// The elements that two boxes (from within()) share, or nothing.
std::optional<TensorSlice> intersect(const TensorSlice &a,
                                     const TensorSlice &b);

/// Two of `boxes` (from within(), all of one tensor) that share elements, by
/// index, or nothing.
std::optional<std::pair<size_t, size_t>>
findOverlap(const std::vector<TensorSlice> &boxes);

/// The position in box `to` of elements [begin, begin + count) of box `from`
/// (row-major within it): calls `copy(toIndex, fromIndex, elements)` for each
/// run that is in both, indices counted in elements within each box.
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
    // Position of this row in `to`, unless a coordinate lies outside of it.
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
/// their places in box `to`, stored at `destination`, if it has them. Elements
/// have `elementSize` bytes.
void copySharedElements(const TensorSlice &from, int64_t begin, int64_t count,
                        const TensorSlice &to, size_t elementSize,
                        const char *bytes, char *destination);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_TENSORSLICE_H
