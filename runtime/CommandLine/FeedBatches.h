//===- FeedBatches.h - Fed arrays, cut into batches -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_FEEDBATCHES_H
#define INGOT_RUNTIME_COMMANDLINE_FEEDBATCHES_H

#include "runtime/ABI/Program.h"
#include "runtime/Session/AlignedBuffer.h"
#include "runtime/Support/Expected.h"

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ingot {

/// How feeds are cut.
struct FeedBatchOptions {
  int64_t size = 0; // examples of a batch; 0: all of them
  /// Examples come in another order in each epoch, which follows from the seed
  /// and the epoch's number; absent: as they are.
  std::optional<int64_t> shuffle;
  int64_t epochs = 1; // 0: without end
};

/// Cuts feeds along their first dimension. A feed without one, or with as many
/// elements in it as the entry states, is the same in every batch.
class FeedBatches {
public:
  /// `tensors` are the values of `feeds`, whose names outlive this object, and
  /// do not change. The last batch of an epoch has the remaining examples;
  /// where a feed takes batches of one size only, these are dropped.
  /// InvalidArgument where feeds have different numbers of examples, none can
  /// be cut, or batches of this size are not taken.
  static Expected<FeedBatches> create(std::span<const ingot_tensor_spec> feeds,
                                      std::vector<ingot_tensor> tensors,
                                      const FeedBatchOptions &options);

  /// The current batch; nothing after the last one. Valid until the next call.
  Expected<std::span<const ingot_tensor>> batch();
  /// Moves to the next batch.
  void advance();

  int64_t numExamples() const { return examples; }
  /// The position, for restore().
  std::string state() const;
  /// Goes to where state() was taken; false, at the first example, where that
  /// was of another number of examples or in another order.
  bool restore(std::string_view state);

private:
  int64_t countAt() const;
  Status gather(int64_t count);
  void startEpoch();

  FeedBatchOptions options;
  std::vector<ingot_tensor> whole, cut;
  std::deque<std::vector<int64_t>> dims; // of the batch
  std::vector<bool> isCut;
  std::vector<uint64_t> stride;       // bytes of an example
  std::vector<AlignedBuffer> buffers; // of a shuffled batch
  std::vector<int64_t> order;         // of a shuffled epoch; empty: not made
  bool isFixed = false;               // every batch has options.size examples
  int64_t examples = 0, epoch = 0, at = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_FEEDBATCHES_H
