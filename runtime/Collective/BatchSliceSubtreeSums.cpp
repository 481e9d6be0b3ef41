//===- BatchSliceSubtreeSums.cpp - Sums of the slices of one rank ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/BatchSliceSubtreeSums.h"

#include "runtime/ABI/ExchangeKinds.h"
#include "runtime/ABI/Mutants.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

using namespace ingot;

/// An index greater than that of any slice. It is passed to joinUntil() to
/// complete the sum over a node (a subtree of the rank's slices).
static constexpr uint64_t afterAll = std::numeric_limits<uint64_t>::max();

BatchSliceSubtreeSums::BatchSliceSubtreeSums(
    std::vector<BatchSliceRange> ofRank, ElementReduction how, size_t elements,
    ValueMemory &memory)
    : nodes(std::move(ofRank)), how(how), elements(elements),
      width(dtypeSize(how.dtype)), memory(&memory) {
  assert(reduceFunction(how.dtype, how.reduction) &&
         "no function for this type");
  uint64_t longest = 1;
  for (BatchSliceRange range : nodes)
    longest = std::max(longest, range.size());
  subtrees.resize(static_cast<size_t>(std::bit_width(longest - 1)));
}

void BatchSliceSubtreeSums::addInPlace(uint64_t slice, std::byte *array) {
  places = array;
  add(slice, array + placeOfSlice(slice) * bytes());
  // If this slice completes subtrees, add each one to its left neighbour at
  // once: the caller may store the next slice's value where the subtree's sum
  // is now.
  joinUntil(slice + 1 - nodes[node].first);
}

void BatchSliceSubtreeSums::add(uint64_t slice, const void *data) {
  while (slice >= nodes[node].last) {
    joinUntil(afterAll);
    ++node;
  }
  uint64_t first = slice - nodes[node].first;
  joinUntil(first);
  // Slices 2k and 2k + 1 are a pair in the tree, so a slice with an odd index
  // is added to the slice before it.
  put(first & ~uint64_t(1), static_cast<const std::byte *>(data));
}

/// Returns the memory for the sum of the subtree that begins at slice `first`
/// of the current node (a subtree of the rank's slices). `first` must not be 0:
/// the subtree that begins at slice 0 grows to the whole node, so its sum is
/// that of the node, which putIntoNode() updates.
std::byte *BatchSliceSubtreeSums::placeOf(uint64_t first) {
  if (places)
    return places + placeOfSlice(nodes[node].first + first) * bytes();
  PendingSubtreeSum &subtree =
      subtrees[static_cast<size_t>(std::countr_zero(first))];
  if (!subtree.memory)
    subtree.memory = memory->allocate(bytes());
  return subtree.memory.get();
}

/// Adds `data`, the value of a slice or the sum of a subtree, to the subtree
/// that begins at slice `first` of the node. The slices of `data` come after
/// those that the subtree has already.
void BatchSliceSubtreeSums::put(uint64_t first, const std::byte *data) {
  if (first == 0) {
    putIntoNode(data);
    return;
  }
  PendingSubtreeSum &subtree =
      subtrees[static_cast<size_t>(std::countr_zero(first))];
  if (subtree.isPresent) {
    memory->reduce(how, subtree.sum, subtree.sum, data, elements);
    return;
  }
  subtree.sum = placeOf(first);
  if (subtree.sum != data)
    memory->copy(subtree.sum, data, bytes());
  subtree.first = first;
  subtree.isPresent = true;
}

void BatchSliceSubtreeSums::putIntoNode(const std::byte *data) {
  uint64_t bit = uint64_t(1) << node;
  bool isFirst = (thePresent & bit) == 0;
  auto putPiece = [&](std::byte *sum, const std::byte *from, size_t count) {
    if (!isFirst)
      memory->reduce(how, sum, sum, from,
                     count - (count && INGOT_MUTANT("short_sum_of_slices")));
    else if (sum != from)
      memory->copy(sum, from, count * width);
  };
  thePresent |= bit;
  if (!hasMemory()) {
    putPiece(places, data, elements);
    return;
  }
  for (const PartialSumRange &piece : pieces[node])
    putPiece(piece.sum, data + piece.begin * width, piece.count);
}

/// Adds each subtree that ends at or before slice `slice` of the node to its
/// left neighbour. The neighbour's first slice has an index divisible by a
/// larger power of two, so the neighbour is at a higher level, and one pass in
/// ascending order of levels suffices.
void BatchSliceSubtreeSums::joinUntil(uint64_t slice) {
  for (size_t level = 1; level < subtrees.size(); ++level) {
    PendingSubtreeSum &subtree = subtrees[level];
    uint64_t length = uint64_t(1) << level;
    if (!subtree.isPresent || slice - subtree.first < length)
      continue;
    subtree.isPresent = false;
    put(subtree.first - length, subtree.sum);
  }
}

void BatchSliceSubtreeSums::finish() { joinUntil(afterAll); }

void BatchSliceSubtreeSums::clear() {
  for (PendingSubtreeSum &subtree : subtrees)
    subtree.isPresent = false;
  thePresent = 0;
  node = 0;
  places = nullptr;
}
