//===- BatchSliceReductionTree.cpp - Slices and their tree ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/BatchSliceReductionTree.h"

#include <bit>

using namespace ingot;

/// Returns i * n / parts without overflow, for i <= parts.
static uint64_t boundary(uint64_t i, uint64_t n, uint64_t parts) {
  return n / parts * i + n % parts * i / parts;
}

BatchSliceRange BatchSliceReductionTree::runOf(unsigned rank) const {
  return {boundary(rank, theSlices, theRanks),
          boundary(rank + 1, theSlices, theRanks)};
}

unsigned BatchSliceReductionTree::rankOf(uint64_t slice) const {
  // Returns the largest rank r whose slices begin at or before `slice`. If n
  // ranks share S slices, the slices of rank r begin at r S / n, rounded down
  // (runOf()). So the result is the largest r with r S / n < slice + 1.
  return static_cast<unsigned>(((slice + 1) * theRanks - 1) / theSlices);
}

BatchSliceRange BatchSliceReductionTree::rowsOf(uint64_t slice,
                                                uint64_t rows) const {
  return {boundary(slice, rows, theSlices),
          boundary(slice + 1, rows, theSlices)};
}

uint64_t BatchSliceReductionTree::split(BatchSliceRange range) {
  return range.first + std::bit_floor(range.size() - 1);
}

static void addNodes(BatchSliceRange range, BatchSliceRange run,
                     std::vector<BatchSliceRange> &nodes) {
  if (range.last <= run.first || run.last <= range.first)
    return;
  if (run.first <= range.first && range.last <= run.last) {
    nodes.push_back(range);
    return;
  }
  uint64_t middle = BatchSliceReductionTree::split(range);
  addNodes({range.first, middle}, run, nodes);
  addNodes({middle, range.last}, run, nodes);
}

std::vector<BatchSliceRange>
BatchSliceReductionTree::nodesOf(unsigned rank) const {
  std::vector<BatchSliceRange> nodes;
  addNodes({0, theSlices}, runOf(rank), nodes);
  return nodes;
}
