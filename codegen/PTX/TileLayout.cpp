//===- TileLayout.cpp - The layout of a tile in shared memory -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Two groups of accesses share a layout: threads write a copy in the operand's
// order, and read it in the order of the result. Unused elements between the
// others (padding) let the lanes of a warp access different banks in both. How
// many elements, and where, is found by counting the accesses of the first
// warps for each of a few layouts, as sizes need not be powers of two.
//
//===----------------------------------------------------------------------===//

#include "codegen/Kernels/KernelAccess.h"
#include "codegen/PTX/CoalescedTile.h"
#include "codegen/PTX/DeviceConstants.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace ingot::ptx {

/// The number of banks of shared memory, and the size of their words in bytes.
static constexpr int64_t numBanks = 32, wordBytes = 4;

int64_t TileLayout::placeOf(ArrayRef<int64_t> indices) const {
  int64_t place = 0;
  for (auto [index, stride] : llvm::zip(indices, strides))
    place += index * stride;
  return run == 0 ? place : place + place / run;
}

/// Returns the number of wavefronts in which lanes access these places: the
/// most words of one bank.
static int64_t wavefrontsOf(ArrayRef<int64_t> places, int64_t bytes) {
  SmallVector<int64_t> words;
  for (int64_t place : places)
    for (int64_t word = place * bytes / wordBytes,
                 last = (place * bytes + bytes - 1) / wordBytes;
         word <= last; ++word)
      words.push_back(word);
  llvm::sort(words);
  words.erase(llvm::unique(words), words.end());
  int64_t counts[numBanks] = {}, most = 0;
  for (int64_t word : words)
    most = std::max(most, ++counts[word % numBanks]);
  return most;
}

/// Returns the number of wavefronts of the first warps, whose lanes run through
/// the loops `order` of a tile, the last of which is the innermost one.
static int64_t wavefrontsOf(const TileLayout &layout, ArrayRef<int64_t> sizes,
                            ArrayRef<unsigned> order, int64_t bytes) {
  constexpr int64_t warps = 16;
  // Elements of 8 bytes are accessed by half a warp at a time.
  int64_t lanes = bytes > wordBytes ? warpSize / 2 : warpSize;
  int64_t wavefronts = 0;
  SmallVector<int64_t> indices(sizes.size()), places;
  for (int64_t linear = 0; linear < warps * warpSize; ++linear) {
    int64_t rest = linear;
    for (unsigned loop : llvm::reverse(order)) {
      indices[loop] = rest % sizes[loop];
      rest /= sizes[loop];
    }
    if (rest != 0)
      break;
    places.push_back(layout.placeOf(indices));
    if (static_cast<int64_t>(places.size()) < lanes)
      continue;
    wavefronts += wavefrontsOf(places, bytes);
    places.clear();
  }
  return wavefronts + wavefrontsOf(places, bytes);
}

/// Returns the layout in which the elements of the loops from position `level`
/// of `loops` on are contiguous, and `padding` unused elements follow them.
static TileLayout paddedLayout(ArrayRef<int64_t> sizes,
                               ArrayRef<unsigned> loops, size_t level,
                               int64_t padding) {
  TileLayout layout;
  layout.strides.assign(sizes.size(), 0);
  int64_t stride = 1;
  for (size_t i = loops.size(); i-- > 0;) {
    layout.strides[loops[i]] = stride;
    stride *= sizes[loops[i]];
    if (i == level)
      stride += padding;
  }
  layout.length = stride;
  return layout;
}

TileLayout TileLayout::of(const TiledRead &read, ArrayRef<int64_t> sizes,
                          ArrayRef<unsigned> order) {
  int64_t bytes = kernels::elementBytes(read.buffer.getType());
  TileLayout best = paddedLayout(sizes, read.loops, 0, 0);
  best.run = numBanks;
  best.length += (best.length - 1) / best.run;
  auto cost = [&](const TileLayout &layout) {
    return wavefrontsOf(layout, sizes, read.loops, bytes) +
           wavefrontsOf(layout, sizes, order, bytes);
  };
  int64_t least = cost(best);
  for (size_t level = 1; level < read.loops.size(); ++level)
    for (int64_t padding = 0; padding < numBanks; ++padding) {
      TileLayout layout = paddedLayout(sizes, read.loops, level, padding);
      if (int64_t wavefronts = cost(layout); wavefronts < least) {
        best = layout;
        least = wavefronts;
      }
    }
  return best;
}

} // namespace ingot::ptx
