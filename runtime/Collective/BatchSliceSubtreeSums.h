//===- BatchSliceSubtreeSums.h - Sums of the slices of one rank -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Sums the values of the batch's slices that one rank computes, while the rank
// computes them. The sum follows the tree of BatchSliceReductionTree, one node
// (a subtree of the rank's slices) after the other. BatchSliceAllReduce then
// combines the node sums of all ranks.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COLLECTIVE_BATCHSLICESUBTREESUMS_H
#define INGOT_RUNTIME_COLLECTIVE_BATCHSLICESUBTREESUMS_H

#include "runtime/Collective/BatchSliceReductionTree.h"
#include "runtime/Collective/ValueMemory.h"

#include <cstddef>
#include <vector>

namespace ingot {

/// The sums of one value, such as a gradient, over each of this rank's nodes
/// (subtrees of slices). Memory is reused from batch to batch.
class BatchSliceSubtreeSums {
public:
  /// Memory for a part of a node's sum: elements [begin, begin + count) of the
  /// summed value.
  struct PartialSumRange {
    size_t begin, count;
    std::byte *sum;
  };

  /// Creates an object that sums a value of `elements` elements over each of
  /// `nodes`, which are subtrees of slices in the order of their slices.
  /// reduceFunction() must support the type of `how`. All values and sums are
  /// in `memory`, which must outlive this object.
  BatchSliceSubtreeSums(std::vector<BatchSliceRange> nodes,
                        ElementReduction how, size_t elements,
                        ValueMemory &memory);

  /// Sets where the sum over each node (subtree of slices) is stored. The
  /// pieces of a node cover all elements of its sum. The memory must outlive
  /// this object.
  void storeIn(std::vector<std::vector<PartialSumRange>> piecesOfNodes) {
    pieces = std::move(piecesOfNodes);
  }
  bool hasMemory() const { return !pieces.empty(); }

  /// Adds the value of a slice. Slices must come in ascending order. Empty
  /// slices must be left out, and not added as zeros, because -0 + 0 is 0.
  /// `data` is not used after the call.
  void add(uint64_t slice, const void *data);

  /// Like add(), but computes the sums in `array`, the caller's array of
  /// numPlacesOfSlices() values. The caller has stored the slice's value there
  /// at index placeOfSlice(slice). All slices of a batch must be added with the
  /// same `array`, and nothing else may be stored there before the batch ends.
  /// If storeIn() was not called, the node's sum is stored at index 0. A rank
  /// with a single node (subtree of slices) does not need storeIn().
  void addInPlace(uint64_t slice, std::byte *array);

  /// Completes the sums over all nodes (subtrees of slices), after the last
  /// slice of a batch.
  void finish();
  /// Forgets the slices of a batch that have been added.
  void clear();

  /// Bit i is set if node i (a subtree of slices) has a sum, because at least
  /// one of its slices has been added.
  uint64_t present() const { return thePresent; }
  /// The array of addInPlace(), or null if slices are not added in place.
  std::byte *inPlace() const { return places; }
  size_t bytes() const { return elements * width; }

private:
  /// A subtree of a node. Its sum is separate until all slices of the subtree
  /// have been added, and is then added to the subtree on its left.
  struct PendingSubtreeSum {
    uint64_t first = 0; // its first slice, counted from the node's first
    bool isPresent = false;
    std::byte *sum = nullptr;
    std::shared_ptr<std::byte> memory; // null if the caller provides memory
  };

  std::byte *placeOf(uint64_t first);
  void put(uint64_t first, const std::byte *data);
  void putIntoNode(const std::byte *data);
  void joinUntil(uint64_t slice);

  std::vector<BatchSliceRange> nodes;
  ElementReduction how;
  size_t elements, width;
  ValueMemory *memory;
  std::vector<std::vector<PartialSumRange>> pieces; // of each node
  std::byte *places = nullptr;
  size_t node = 0; // the node of the last slice that was added
  uint64_t thePresent = 0;
  /// Element k is the incomplete subtree of at most 2^k slices: its `first` is
  /// a multiple of 2^k but not of 2^(k + 1). Element 0 is never used, as a
  /// single slice is added to its left neighbour at once.
  std::vector<PendingSubtreeSum> subtrees;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_BATCHSLICESUBTREESUMS_H
