//===- BucketLayout.h - The messages by which ranks sum values --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COLLECTIVE_BUCKETLAYOUT_H
#define INGOT_RUNTIME_COLLECTIVE_BUCKETLAYOUT_H

#include "runtime/Collective/BatchSliceReductionTree.h"

#include <cstddef>

namespace ingot {

/// Divides the elements of a bucket, which is a list of values that ranks sum
/// together, into parts. There is one part for each rank, which is the part's
/// owner. The last parts may be shorter than the others, or empty. A bucket of
/// up to `smallBytes` bytes has one part, which all ranks own.
///
/// If the sums are scattered, so that each rank keeps its own part only, the
/// elements form `shards` equal parts, and a rank's part of the bucket are
/// those of its run of as many slices.
///
/// A *block* is the message that one rank sends for one part. It begins with a
/// word in which bit i is set if node i (a subtree of the rank's slices) is not
/// empty. Then, for each of the rank's nodes, follow the elements of the node's
/// sum that belong to the part.
class BucketLayout {
public:
  /// The first word of a block, with a bit for each node (subtree of slices) of
  /// a rank. 64 bits suffice, as a rank has at most 2 log2 S nodes, if the
  /// batch has S slices.
  using Header = uint64_t;

  static constexpr size_t defaultSmallBytes = 32 << 10;

  /// Lays out a bucket of `elements` elements, each of which has `width` bytes.
  /// `shards` is 0 if all ranks need the sums of all elements.
  BucketLayout(const BatchSliceReductionTree &tree, size_t elements,
               size_t width, size_t smallBytes = defaultSmallBytes,
               uint32_t shards = 0);

  const BatchSliceReductionTree &tree() const { return theTree; }
  unsigned ranks() const { return theTree.ranks(); }
  size_t parts() const { return numParts; }
  /// Whether all ranks gather all blocks, and each computes the sum itself.
  bool isSmall() const { return numParts == 1; }
  /// Whether each rank needs only its own part of the sums.
  bool isScattered() const { return shards != 0 && !isSmall(); }
  size_t elements() const { return numElements; }
  size_t width() const { return elementBytes; }

  /// Returns the index of the first element of part `part`; if `part` is
  /// parts(), the number of elements.
  size_t partBegin(size_t part) const;
  size_t partElements(size_t part) const {
    return partBegin(part + 1) - partBegin(part);
  }
  size_t nodesOf(unsigned rank) const { return numNodes[rank]; }
  /// Returns the size in bytes of the block (message) that `rank` sends for
  /// part `part`.
  size_t blockBytes(unsigned rank, size_t part) const;

  /// Returns the number of bytes that `rank` sends to others for one sum.
  size_t bytesSent(unsigned rank) const;

private:
  BatchSliceReductionTree theTree;
  size_t numElements, elementBytes, numParts;
  uint32_t shards;
  std::vector<size_t> numNodes; // of each rank
};

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_BUCKETLAYOUT_H
