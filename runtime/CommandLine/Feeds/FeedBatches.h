//===- FeedBatches.h - Cuts fed arrays into batches -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_FEEDS_FEEDBATCHES_H
#define INGOT_RUNTIME_COMMANDLINE_FEEDS_FEEDBATCHES_H

#include "runtime/ABI/Program.h"
#include "runtime/Session/AlignedBuffer.h"
#include "runtime/Support/Expected.h"

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ingot {

/// How FeedBatches splits feeds into batches.
struct FeedBatchOptions {
  int64_t size = 0; // examples per batch; 0: all examples
  /// The seed for shuffling: each epoch has an order of its own, which depends
  /// only on the seed and the epoch's index. If it is std::nullopt, examples
  /// keep their order.
  std::optional<int64_t> shuffle;
  int64_t epochs = 1; // 0: endless
};

/// Splits feeds into batches along their first dimension. Two kinds of feeds
/// are not split, but are part of every batch as a whole: scalars, and feeds
/// whose first dimension has exactly the static size that the graph declares.
class FeedBatches {
public:
  /// `tensors` are the values of `feeds` and must not change; the names in
  /// `feeds` must outlive this object. The last batch of an epoch has the
  /// remaining examples, but if a feed has a static batch size, these are
  /// dropped. Returns InvalidArgument if feeds have different numbers of
  /// examples, if no feed can be split, or if a feed's static batch size is not
  /// options.size.
  static Expected<FeedBatches> create(std::span<const ingot_tensor_spec> feeds,
                                      std::vector<ingot_tensor> tensors,
                                      const FeedBatchOptions &options);

  /// Returns the current batch, empty after the last one. Valid until the next
  /// call.
  Expected<std::span<const ingot_tensor>> batch();
  /// Moves to the next batch.
  void advance();

  int64_t numExamples() const { return examples; }
  /// Returns the current position as text, for restore().
  std::string state() const;
  /// Moves to the position `state`. Returns false, and does not move, if
  /// `state` was written for another number of examples or another order.
  bool restore(std::string_view state);

private:
  int64_t countAt() const;
  Status gather(int64_t count);
  void startEpoch();

  FeedBatchOptions options;
  std::vector<ingot_tensor> whole, cut;
  std::deque<std::vector<int64_t>> dims; // dims of the current batch's tensors
  std::vector<bool> isCut;
  std::vector<uint64_t> stride;       // bytes per example
  std::vector<AlignedBuffer> buffers; // for each feed: a shuffled batch
  std::vector<int64_t> order; // this epoch's order; empty: not yet drawn
  bool isFixed = false;       // every batch has `options.size` examples
  int64_t examples = 0, epoch = 0, at = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_FEEDS_FEEDBATCHES_H
