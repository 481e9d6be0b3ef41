//===- BucketLayout.cpp - The messages by which ranks sum values ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/BucketLayout.h"

#include <algorithm>

using namespace ingot;

/// Parts begin at multiples of this many elements: whole cache lines.
static constexpr size_t partAlignment = 64;

BucketLayout::BucketLayout(const BatchSliceReductionTree &tree, size_t elements,
                           size_t width, size_t smallBytes, uint32_t shards)
    : theTree(tree), numElements(elements), elementBytes(width),
      numParts(tree.ranks() == 1 || elements * width <= smallBytes
                   ? 1
                   : tree.ranks()),
      shards(shards) {
  for (unsigned rank = 0; rank < ranks(); ++rank)
    numNodes.push_back(tree.nodesOf(rank).size());
}

size_t BucketLayout::partBegin(size_t part) const {
  if (part == numParts)
    return numElements;
  if (isScattered())
    return BatchSliceReductionTree(shards, ranks())
               .runOf(static_cast<unsigned>(part))
               .first *
           (numElements / shards);
  size_t each = (numElements + numParts - 1) / numParts;
  each = (each + partAlignment - 1) / partAlignment * partAlignment;
  return std::min(part * each, numElements);
}

size_t BucketLayout::blockBytes(unsigned rank, size_t part) const {
  return sizeof(Header) + numNodes[rank] * partElements(part) * elementBytes;
}

size_t BucketLayout::bytesSent(unsigned rank) const {
  size_t others = ranks() - 1;
  if (isSmall())
    return others * blockBytes(rank, 0);
  // `rank` sends the sum of its own part to all other ranks. For each other
  // part, it sends a block to the part's owner.
  size_t bytes = isScattered() ? 0 : others * partElements(rank) * elementBytes;
  for (unsigned part = 0; part < ranks(); ++part)
    bytes += part == rank ? 0 : blockBytes(rank, part);
  return bytes;
}
