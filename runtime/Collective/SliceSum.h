//===- SliceSum.h - Sums a value over the slices of a batch -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Sums one value over all slices of a batch, in the tree of SliceTree:
//
//   1. Each rank sums the values of its own slices, node by node, as they are
//      added.
//   2. The elements of the value are divided into parts, one for each rank, its
//      owner. finish() sends each part of a node's sum to the part's owner.
//   3. An owner adds up its part of all nodes' sums along the rest of the tree.
//   4. The sums of all parts are gathered on all ranks.
//
// For a small value, all ranks gather the values of all nodes, and each rank
// computes the sum itself. Both ways, and any number of ranks, give the same
// bits.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COLLECTIVE_SLICESUM_H
#define INGOT_RUNTIME_COLLECTIVE_SLICESUM_H

#include "runtime/Collective/Collective.h"
#include "runtime/Collective/Reduce.h"
#include "runtime/Collective/SliceTree.h"

namespace ingot {

/// Sums one value (or takes its maximum or minimum) over the slices of a batch,
/// for one batch after the other. Memory is reused from batch to batch. Calls
/// must come from one thread at a time, which must flush denormals if the
/// threads that compute the values do.
class SliceSum {
public:
  /// Sums values of `elements` elements of type `dtype`, for which
  /// reduceFunction() must have a function. Values of up to `smallBytes` bytes
  /// are gathered whole; this limit must be the same on all ranks.
  SliceSum(const SliceTree &tree, unsigned rank, int32_t dtype, size_t elements,
           Reduction reduction, size_t smallBytes = defaultSmallBytes);

  /// Adds the value of a slice of this rank. Slices must come in ascending
  /// order. Empty slices must be left out, and not added as zeros, because -0 +
  /// 0 is 0. `data` is not used after the call.
  void add(uint64_t slice, const void *data);

  /// Like add(), but sums in `memory`, the caller's array of
  /// numPlacesOfSlices() values, in which the caller has stored the slice's
  /// value at index placeOfSlice(slice). All slices of a batch must be added,
  /// with the same `memory`, and nothing else may be stored there before
  /// finish(). In a process that trains alone, the sum of the whole batch ends
  /// up at index 0. finish() copies it to `result`, unless that is `memory`.
  void addInPlace(uint64_t slice, std::byte *memory);

  /// Drops the slices of a batch that have been added.
  void clear();

  /// Stores the sum over all slices in `result`, or the neutral element of the
  /// reduction if all slices are empty. All ranks must call it, also those
  /// without slices in this batch. Slices that are added afterwards belong to
  /// the next batch.
  Status finish(Collective &collective, void *result);

  /// Returns the number of bytes that finish() sends from this rank.
  size_t bytesSent() const;

  static constexpr size_t defaultSmallBytes = 32 << 10;

private:
  /// A subtree of a node. Its sum is separate until all slices of the subtree
  /// have been added, and is then added to the subtree on its left.
  struct SubtreeSum {
    uint64_t first = 0; // its first slice, counted from the node's first
    bool isPresent = false;
    std::byte *sum = nullptr;
    std::vector<std::byte> memory; // unused if the caller provides memory
  };
  struct Addends;

  unsigned numRanks() const { return tree.ranks(); }
  bool isSmall() const { return numParts == 1; }
  size_t partBegin(size_t part) const;
  size_t partElements(size_t part) const;
  size_t blockBytes(unsigned ofRank, size_t part) const;
  std::byte *placeOf(uint64_t first);
  void put(uint64_t first, const std::byte *data);
  void putIntoNode(const std::byte *data);
  void joinUntil(uint64_t slice);
  bool isAlone() const { return numRanks() == 1; }
  void allocateAlone();
  Status finishSmall(Collective &collective, std::byte *result);
  Status finishLarge(Collective &collective, std::byte *result);
  void sumPart(const std::vector<std::byte *> &blocks, size_t part,
               std::byte *result) const;
  std::byte *sumRange(Addends &addends, SliceRange range) const;

  SliceTree tree;
  unsigned rank;
  int32_t dtype;
  size_t elements, width;
  Reduction reduction;
  ReduceFunction reduce;
  size_t numParts;

  std::vector<SliceRange> nodes; // the nodes of this rank
  std::vector<size_t> numNodes;  // number of nodes of each rank
  /// A *block* is the message of one rank about one part of the value: a word
  /// in which bit i is set if node i of the rank is not empty, then the part's
  /// elements of each node's sum. Sums are computed in the blocks, so that
  /// nothing is copied before it is sent. `memory` has this rank's block of
  /// each part or, for a small value, each rank's block.
  std::vector<std::byte> memory, received;
  std::byte *blockMemory = nullptr, *receivedBlocks = nullptr; // in these
  std::vector<std::byte *> ownBlocks;

  /// The caller's memory for the slices that are added in place, or null.
  std::byte *places = nullptr;
  size_t node = 0; // the node of the last slice that was added
  uint64_t present = 0;
  /// Element k is the incomplete subtree of at most 2^k slices: its `first` is
  /// a multiple of 2^k but not of 2^(k + 1). Element 0 is never used, as a
  /// single slice is added to its left neighbour at once.
  std::vector<SubtreeSum> subtrees;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_SLICESUM_H
