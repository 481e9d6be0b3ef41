//===- BatchSliceReductionTree.h - The tree over slices ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A program that is compiled for several ranks divides its batch into S slices,
// S being a constant of the program. Rank r of n computes the slices
// [r S / n, (r + 1) S / n). A sum over the batch is computed for each slice
// first, and then along one binary tree over all S slices, so its bits do not
// depend on n.
//
// The tree divides a range of slices into a left and a right part. The length
// of the left part is the largest power of two below the range's length. A
// rank's *nodes* are the largest subtrees all of whose slices are the rank's:
// one if S and n are powers of two, otherwise at most 2 log2 S.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COLLECTIVE_BATCHSLICEREDUCTIONTREE_H
#define INGOT_RUNTIME_COLLECTIVE_BATCHSLICEREDUCTIONTREE_H

#include <cstdint>
#include <vector>

namespace ingot {

/// A range [first, last) of slices or of rows.
struct BatchSliceRange {
  uint64_t first = 0, last = 0;

  uint64_t size() const { return last - first; }
  bool operator==(const BatchSliceRange &) const = default;
};

/// A tree over S slices, which are divided among 1 to S ranks.
class BatchSliceReductionTree {
public:
  BatchSliceReductionTree(uint32_t slices, unsigned ranks)
      : theSlices(slices), theRanks(ranks) {}

  uint32_t slices() const { return theSlices; }
  unsigned ranks() const { return theRanks; }

  /// Returns the slices that a rank computes.
  BatchSliceRange runOf(unsigned rank) const;
  /// Returns the rank that computes `slice`.
  unsigned rankOf(uint64_t slice) const;
  /// Returns the nodes of a rank, in order of slices. They are the largest
  /// subtrees all of whose slices the rank computes.
  std::vector<BatchSliceRange> nodesOf(unsigned rank) const;

  /// Returns the first slice of the right part of a range of several slices.
  static uint64_t split(BatchSliceRange range);

  /// Returns the rows of `slice` in a batch of `rows` rows. Slices of a batch
  /// with fewer rows than slices may be empty.
  BatchSliceRange rowsOf(uint64_t slice, uint64_t rows) const;

private:
  uint32_t theSlices;
  unsigned theRanks;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_BATCHSLICEREDUCTIONTREE_H
