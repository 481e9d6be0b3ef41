//===- BatchSliceExchanges.h - What slices of a batch exchange --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_BATCHSLICEEXCHANGES_H
#define INGOT_RUNTIME_SESSION_BATCHSLICEEXCHANGES_H

#include "runtime/ABI/ExchangeKinds.h"
#include "runtime/Collective/BatchSliceAllGather.h"
#include "runtime/Collective/BatchSliceAllReduce.h"
#include "runtime/Collective/Collective.h"
#include "runtime/Session/CollectiveExchangeQueue.h"
#include "runtime/Session/DeviceSession.h"

#include <memory>
#include <vector>

namespace ingot {

/// A value that the slices of a step exchange. Values that are summed are
/// exchanged in groups, the *buckets*, so that messages are fewer and longer.
struct ExchangedValue {
  const char *node;         // the node that computes it, for traces
  uint32_t bucket;          // index of its bucket in the program
  uint32_t index;           // index of the value in the bucket
  ingot_exchange_kind kind; // how the slices' values are combined
  uint32_t slices;
  int32_t dtype;
  /// The number of elements of each of the bucket's values. A value that is
  /// gathered has a bucket of its own; for this bucket, the only number is that
  /// of the elements in one of the value's `rows`.
  std::span<const int64_t> elements;
  size_t rows;
  /// Whether the bucket is complete once the process's last slice has added
  /// this value, so that the bucket may be exchanged while the slice's other
  /// values are computed.
  bool startsExchange;
  /// Of a sum that is scattered: the number of its parts (BucketLayout).
  uint32_t shards = 0;

  /// Returns the size in bytes of a slice's value, which is not gathered.
  size_t bytes() const;
};

/// The rows of a slice, [first, first + count), in a batch of `total` rows.
struct BatchSliceRows {
  int64_t first = 0, count = 0, total = 0;

  /// Returns the size that a dimension has in the whole batch if its size in
  /// this slice is `size`. Such a dimension is proportional to the number of
  /// rows.
  int64_t wholeSize(int64_t size) const {
    return count == 0 ? size : total * size / count;
  }
  /// Returns how many elements of a dimension of the whole batch belong to
  /// earlier slices if its size in this slice is `size`.
  int64_t before(int64_t size) const {
    return count == 0 ? 0 : first * size / count;
  }
};

/// The exchanges of a program. Compiled code passes the value of each slice
/// that the process has, in ascending order, and then requests the combined
/// value. All processes do so for the same values in the same order.
class BatchSliceExchanges {
public:
  /// Exchanges values over `collective`, which must outlive this object. If it
  /// is null, this process trains alone. If `overlaps`, buckets are exchanged
  /// on a thread of their own while a step's kernels run; other ranks need not
  /// do the same. `betweenDevices` may be null; otherwise it moves bytes
  /// between the memory of all ranks' devices, and values that are combined on
  /// the device are exchanged by it, after the loop.
  explicit BatchSliceExchanges(Collective *collective = nullptr,
                               bool overlaps = false,
                               Collective *betweenDevices = nullptr)
      : collective(collective ? *collective : alone),
        overlaps(collective && collective->size() > 1 && overlaps),
        betweenDevices(betweenDevices) {}

  /// Begins a loop over slices, and returns the slices of this process. Drops
  /// values that were left by an earlier loop, whose run failed before
  /// finish(). If kernels run on a device, `on` is its session, which must
  /// outlive this object: values that this device can combine are combined
  /// there. It must be the same for all loops.
  BatchSliceRange begin(uint32_t slices, DeviceSession *on = nullptr);

  /// The rows of the slice that is being computed. Error messages use them to
  /// name indices in the whole batch.
  BatchSliceRows current;

  /// `data`, `places` and `result` are addresses on the host, also if the
  /// device has the newest bytes.
  Status add(const ExchangedValue &value, uint64_t slice, const void *data);
  /// Like add(), but combines values in the caller's array (see
  /// BatchSliceSubtreeSums::addInPlace()). The value must not be gathered.
  Status addInPlace(const ExchangedValue &value, uint64_t slice,
                    std::byte *places);
  /// Combines the values of all slices on all processes, and stores the result
  /// in `result`. Values must be finished in the order of their buckets.
  Status finish(const ExchangedValue &value, void *result);

  /// Gathers a value that ranks have computed in parts, the parts of `slices`
  /// slices. `value` has the parts of this rank's slices, and gets the others.
  Status gatherInPlace(const char *node, uint32_t slices,
                       std::span<std::byte> value);

private:
  /// The values of the slices that were added so far for one bucket. The memory
  /// of this object is reused in the next step.
  struct ExchangeBucketState {
    std::unique_ptr<BatchSliceAllReduce> sum;
    std::unique_ptr<BatchSliceAllGather> gather; // null until a slice is added
    std::vector<std::byte> gathered;
    bool isExchanged = false;
    bool isOnDevice = false; // whether the slices' values are combined there
    /// Whether the values are exchanged between devices, too.
    bool isBetweenDevices = false;
    uint64_t exchange = 0; // number of its exchange in `queue`; 0: none

    Status run(Collective &collective, std::byte *result);
    void reset();
  };
  Expected<ExchangeBucketState *> stateOf(const ExchangedValue &value);
  Status startIfComplete(ExchangeBucketState &state,
                         const ExchangedValue &value, uint64_t slice,
                         std::byte *result);
  Status exchangeNow(ExchangeBucketState &state, const ExchangedValue &value,
                     std::byte *result);
  Status storeResult(ExchangeBucketState &state, const ExchangedValue &value,
                     void *result);
  /// Returns the failure of the device, if there is one.
  Status deviceStatus() const {
    return device ? device->status() : Status::ok();
  }
  BatchSliceReductionTree treeOf(uint32_t slices) const;

  SingleRankCollective alone;
  Collective &collective;
  bool overlaps;
  Collective *betweenDevices;
  DeviceSession *device = nullptr;
  BatchSliceRange run; // the slices of this process in the current loop
  std::vector<std::unique_ptr<ExchangeBucketState>>
      states; // `queue` refers to them
  /// The last member, so that it is destroyed first: its thread uses the other
  /// members.
  CollectiveExchangeQueue queue{collective};
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_BATCHSLICEEXCHANGES_H
