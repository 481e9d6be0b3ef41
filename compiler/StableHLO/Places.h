//===- Places.h - Where the windows of gathers and scatters lie -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_STABLEHLO_PLACES_H
#define INGOT_COMPILER_STABLEHLO_PLACES_H

#include "compiler/StableHLO/Translation.h"

namespace ingot::stablehlo {

/// The dimension numbers of a gather or scatter. Windows are slices of an array
/// of shape `shape`; the indices say where each begins.
struct Indexing {
  Sizes shape;
  /// The sizes of a window, for each axis of the array.
  Sizes sizes;
  /// The array's axes whose index is in the vectors of indices.
  Sizes indexed;
  /// The array's axes that go along with the axes `batchingOf` of the indices.
  Sizes batching, batchingOf;
  /// The axes of windows in the result, or in the updates, of rank `rank`, and
  /// the array's axes that these are.
  Sizes windowAxes, windowed;
  size_t rank = 0;
  int64_t vectorAxis = 0;

  /// Returns whether the numbers fit the indices and one another.
  bool isValid(const Tensor &indices) const;
};

/// Returns a list of `numbers`, empty if it is absent; std::nullopt if it is no
/// list of integers.
std::optional<Sizes> numbersOf(const Attribute &numbers, llvm::StringRef name);

/// Moves the axis of index vectors to the end; scalars become vectors of one
/// index. Indices become int32, or int64 if they have 64 bits.
Tensor indexVectors(GraphBuilder &b, const Tensor &indices, int64_t vectorAxis);

/// Reshapes `x`, whose axes are the `axes` of a tensor of rank `rank`, with
/// sizes of 1 elsewhere.
Tensor expanded(GraphBuilder &b, const Tensor &x, llvm::ArrayRef<int64_t> axes,
                size_t rank);

/// Places in the flat array, which broadcast to the shape of the windows.
struct Places {
  Tensor flat;
  /// Where the window lies in the array as a whole; null if `clips`.
  Tensor within;
};
Places placesOf(GraphBuilder &b, const Indexing &n, const Tensor &vectors,
                bool clips);

/// Returns whether 0 <= index <= most.
Tensor isWithin(GraphBuilder &b, const Tensor &index, int64_t most);

/// Scatters elements into the flat array; those outside of it, as `within`
/// says if it is given, are dropped. `op` is TensorScatterAdd or its like, or
/// UnsortedSegmentProd to multiply by the elements.
Tensor scatterFlat(GraphBuilder &b, llvm::StringRef op, const Tensor &x,
                   const Tensor &places, Tensor updates, const Tensor &within);

} // namespace ingot::stablehlo

#endif // INGOT_COMPILER_STABLEHLO_PLACES_H
