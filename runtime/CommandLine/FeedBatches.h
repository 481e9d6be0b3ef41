//===- FeedBatches.h - Fed arrays, cut into batches -------------*- C++ -*-===//
#ifndef INGOT_RUNTIME_COMMANDLINE_FEEDBATCHES_H
#define INGOT_RUNTIME_COMMANDLINE_FEEDBATCHES_H

#include "runtime/ABI/Program.h"
#include "runtime/Support/Expected.h"

#include <deque>
#include <span>
#include <vector>

namespace ingot {

/// Cuts what is fed along its first dimension. What has none, or one that the
/// entry states, is the same in every batch.
class FeedBatches {
public:
  /// `tensors` are the entry's feeds in its order, and stay as they are;
  /// batches have `size` examples, the last one what is left. 0: all of them.
  /// InvalidArgument where feeds have different numbers of examples, or none
  /// could be cut.
  static Expected<FeedBatches> create(const ingot_entry &entry,
                                      std::vector<ingot_tensor> tensors,
                                      int64_t size);

  /// The next batch; nothing after the last one. Lasts until the next call.
  std::span<const ingot_tensor> next();

private:
  std::vector<ingot_tensor> whole, batch;
  std::deque<std::vector<int64_t>> dims; // of the batch
  std::vector<bool> isCut;
  std::vector<uint64_t> stride; // bytes of an example
  int64_t size = 0, examples = 0, at = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_FEEDBATCHES_H
