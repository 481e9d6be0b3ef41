//===- SliceExchanges.h - What slices of a batch exchange -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_SLICEEXCHANGES_H
#define INGOT_RUNTIME_SESSION_SLICEEXCHANGES_H

#include "runtime/ABI/ExchangeKinds.h"
#include "runtime/Collective/Collective.h"
#include "runtime/Collective/SliceGather.h"
#include "runtime/Collective/SliceSum.h"

#include <memory>
#include <vector>

namespace ingot {

/// A value that the slices of a step exchange: its index in the program, how
/// the slices' values are combined, and the number of elements of one slice's
/// value. If the value is gathered, `elements` is the number of elements of one
/// of its `rows`.
struct ExchangedValue {
  uint32_t number;
  ingot_exchange_kind kind;
  uint32_t slices;
  int32_t dtype;
  size_t elements;
  size_t rows;
};

/// The rows of a slice, [first, first + count), in a batch of `total` rows.
struct SliceRows {
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
class SliceExchanges {
public:
  /// Exchanges values over `collective`, which must outlive this object. If it
  /// is null, this process trains alone.
  explicit SliceExchanges(Collective *collective = nullptr)
      : collective(collective ? *collective : alone) {}

  /// Begins a loop over slices, and returns the slices of this process. Drops
  /// values that an earlier loop has added but not finished because its run
  /// failed.
  SliceRange begin(uint32_t slices);

  /// The rows of the slice that is being computed. Error messages use them to
  /// name indices in the whole batch.
  SliceRows current;

  Status add(const ExchangedValue &value, uint64_t slice, const void *data);
  /// Like add(), but combines values in the caller's array (see
  /// SliceSum::addInPlace()). The value must not be gathered.
  Status addInPlace(const ExchangedValue &value, uint64_t slice,
                    std::byte *places);
  /// Combines the values of all slices on all processes, and stores the result
  /// in `result`.
  Status finish(const ExchangedValue &value, void *result);

private:
  /// The values of the slices that were added so far for one exchange. Its
  /// memory is reused in the next step.
  struct ExchangeState {
    std::unique_ptr<SliceSum> sum;
    std::unique_ptr<SliceGather> gather; // null until a slice is added
    std::vector<std::byte> gathered;
  };
  Expected<ExchangeState *> stateOf(const ExchangedValue &value);
  SliceTree treeOf(uint32_t slices) const;

  SingleRankCollective alone;
  Collective &collective;
  std::vector<ExchangeState> states;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_SLICEEXCHANGES_H
