//===- BatchSliceAllReduce.h - Sums values over slices ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Sums a bucket, which is a list of values such as gradients, over all slices
// of a batch, in the tree of BatchSliceReductionTree:
//
//   1. Each rank sums the values of its own slices, node by node, as they are
//      added (BatchSliceSubtreeSums).
//   2. The elements of the bucket are divided into parts. Each rank owns one.
//      exchange() sends each part of a node's sum to the part's owner.
//   3. An owner adds up its part of all nodes' sums along the rest of the tree.
//   4. The sums of all parts are gathered on all ranks, unless the sums are
//      scattered: then a rank has only its own part, a reduce-scatter.
//
// For a small bucket, all ranks gather the values of all nodes, and each rank
// computes the sum itself. Both ways, any number of ranks, and any division of
// values into buckets give the same bits.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COLLECTIVE_BATCHSLICEALLREDUCE_H
#define INGOT_RUNTIME_COLLECTIVE_BATCHSLICEALLREDUCE_H

#include "runtime/Collective/BatchSliceSubtreeSums.h"
#include "runtime/Collective/BucketLayout.h"
#include "runtime/Collective/Collective.h"

namespace ingot {

/// Sums the values of a bucket (or takes their maximum or minimum) over the
/// slices of a batch, for one batch after the other. Memory is reused from
/// batch to batch. Calls must come from one thread at a time, which must flush
/// denormals if the threads that compute the values do.
class BatchSliceAllReduce {
public:
  /// Creates an object that sums values of type `dtype`, which reduceFunction()
  /// must support. `elements` has the number of elements of each value. All
  /// ranks gather buckets of up to `smallBytes` bytes as a whole; this limit
  /// must be the same on all ranks. With `shards`, the sums are scattered
  /// (BucketLayout). The slices' values are in `memory`, where this rank's
  /// nodes are summed. The collective moves bytes of `messages`, which is the
  /// host's memory or `memory`, and sums over all ranks are computed there.
  BatchSliceAllReduce(const BatchSliceReductionTree &tree, unsigned rank,
                      int32_t dtype, const std::vector<size_t> &elements,
                      Reduction reduction,
                      size_t smallBytes = BucketLayout::defaultSmallBytes,
                      uint32_t shards = 0,
                      ValueMemory &memory = hostValueMemory(),
                      ValueMemory &messages = hostValueMemory());

  /// add() and addInPlace() add a slice of this rank to value `index`, as the
  /// functions of BatchSliceSubtreeSums do. A slice that has rows must be added
  /// to all values.
  void add(size_t index, uint64_t slice, const void *data);
  void addInPlace(size_t index, uint64_t slice, std::byte *array) {
    values[index].addInPlace(slice, array);
  }

  /// Drops the slices of the current batch that have been added so far.
  void clear();

  /// Completes the sums over this rank's nodes, after all its slices have been
  /// added, and copies them to the messages. exchange() does so if this
  /// function has not been called; only this function uses the memory of
  /// slices' values, if messages are in another memory.
  void complete();

  /// Exchanges the sums over the nodes (subtrees of slices) of all ranks, after
  /// all slices of this rank have been added. All ranks must call exchange(),
  /// also ranks without slices in this batch. `inPlace` is the messages' memory
  /// for the result if the bucket is a single value that is summed in place and
  /// is too large to be gathered whole; it may be null.
  Status exchange(Collective &collective, std::byte *inPlace);

  /// The memory in which store() stores results: that of slices' values if this
  /// process trains alone, otherwise that of messages.
  ValueMemory &resultMemory() const { return isAlone() ? memory : messages; }

  /// Stores the sum of value `index` over all slices in `result`, which is in
  /// resultMemory(), after exchange(). If sums are scattered, elements of other
  /// ranks' parts are undefined. If all slices are empty, the sum is the
  /// neutral element of the reduction. Nothing is copied if `result` has the
  /// sum already, because `result` was passed to exchange(), or because this
  /// process trains alone and added the slices in `result` in place.
  void store(size_t index, void *result);

  /// Returns the number of bytes that exchange() sends from this rank.
  size_t bytesSent() const { return layout.bytesSent(rank); }

private:
  struct Addends;

  bool isAlone() const { return layout.ranks() == 1; }
  bool isStaged() const { return &memory != &messages; }
  void allocateBlocks();
  void allocateReceived();
  void storeNodesInBlocks();
  void allocateAlone(size_t index);
  Status exchangeSmall(Collective &collective, std::byte *result);
  Status exchangeLarge(Collective &collective, std::byte *result);
  std::byte *ownResult();
  void fillNeutralIn(ValueMemory &there, std::byte *to, size_t count) const;
  void sumPart(const std::vector<std::byte *> &ofRanks, size_t part,
               std::byte *result) const;
  std::byte *sumRange(Addends &addends, BatchSliceRange range) const;

  unsigned rank;
  ElementReduction how;
  ValueMemory &memory, &messages;
  std::vector<BatchSliceSubtreeSums> values;
  std::vector<size_t> begins; // each value's first element; last: the end
  BucketLayout layout;
  /// Sums are computed directly in the blocks, which are the messages that
  /// ranks send (BucketLayout), so that no sum has to be copied before it is
  /// sent. `blocks` has this rank's block of each part or, for a small bucket,
  /// each rank's block. If slices' values are not in the messages' memory, sums
  /// are computed in `sums` instead, which has this rank's blocks, and are
  /// copied to the messages when they are complete. A process that trains alone
  /// stores in `sums` only the sums of those values that are not summed in
  /// place.
  std::shared_ptr<std::byte> blocks, received, sums;
  std::byte *blockMemory = nullptr, *receivedBlocks = nullptr; // in these
  std::vector<std::byte *> ownBlocks;
  std::byte *ownSums = nullptr; // the first own block: in `blocks` or `sums`
  size_t ownBytes = 0; // from the first own block to the last one's end
  bool isComplete = false;
  /// The sums over all slices, unless they are in the caller's memory.
  std::shared_ptr<std::byte> results;
  std::shared_ptr<std::byte> ownPart; // if other ranks copy it from here
  /// The caller's buffer that exchange() has written the sums to; null if they
  /// are in `results`.
  std::byte *resultInPlace = nullptr;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_BATCHSLICEALLREDUCE_H
