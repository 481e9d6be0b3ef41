//===- Exchanges.h - What slices of a batch exchange ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_EXCHANGES_H
#define INGOT_RUNTIME_SESSION_EXCHANGES_H

#include "runtime/ABI/ExchangeKinds.h"
#include "runtime/Collective/Collective.h"
#include "runtime/Collective/SliceGather.h"
#include "runtime/Collective/SliceSum.h"

#include <memory>
#include <vector>

namespace ingot {

/// A value that the slices of a step exchange: its number in the program, how
/// it is combined, and how many elements a slice's value has. If it is
/// gathered, `elements` are those of one of its `rows`.
struct ExchangedValue {
  uint32_t number;
  ingot_exchange_kind kind;
  uint32_t slices;
  int32_t dtype;
  size_t elements;
  size_t rows;
};

/// The exchanges of a program. Compiled code hands over the value of each slice
/// that the process has, in ascending order, and then asks for the combined
/// value. All processes do so for the same values in the same order.
class Exchanges {
public:
  /// Exchanges over `collective`, which must outlive this; over null, the
  /// process is alone.
  explicit Exchanges(Collective *collective = nullptr)
      : collective(collective ? *collective : alone) {}

  /// Begins a loop over slices, and returns those of this process. Drops what
  /// an earlier loop has added but not finished because its run failed.
  SliceRange begin(uint32_t slices);

  Status add(const ExchangedValue &value, uint64_t slice, const void *data);
  /// Stores the combined value in `result`.
  Status finish(const ExchangedValue &value, void *result);

private:
  /// What is known of one value so far. Memory is kept from step to step.
  struct Slot {
    std::unique_ptr<SliceSum> sum;
    std::unique_ptr<SliceGather> gather; // null until a slice is added
    std::vector<std::byte> gathered;
  };
  Expected<Slot *> slotOf(const ExchangedValue &value);
  SliceTree treeOf(uint32_t slices) const;

  SingleRankCollective alone;
  Collective &collective;
  std::vector<Slot> slots;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_EXCHANGES_H
