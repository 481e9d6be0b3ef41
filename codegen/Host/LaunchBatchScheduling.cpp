//===- LaunchBatchScheduling.cpp - Order launches for batching ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/LaunchBatchScheduling.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace ingot::hostgen {

namespace {

/// The launches of one kernel that are not scheduled yet: `count` is their
/// number, and `depths` the sum of their depths in the dependence graph.
/// `ready` has the indices of those whose predecessors are all scheduled.
struct PendingLaunches {
  SmallVector<unsigned> ready; // indices in ascending order
  size_t count = 0, depths = 0;
  /// Whether another launch depends on a launch of this kernel.
  bool isAwaited = false;

  /// Returns the kernel's rank; kernels of lower rank come first. If all of the
  /// kernel's launches are ready, the rank is 0. Otherwise the rank is 1 if
  /// another launch depends on one of them, and 2 if no launch does: such a
  /// kernel can wait until all of its launches are ready.
  int rank() const { return ready.size() == count ? 0 : isAwaited ? 1 : 2; }
  /// Whether this kernel's ready launches are scheduled before those of
  /// `other`.
  bool precedes(const PendingLaunches &other) const {
    if (rank() != other.rank())
      return rank() < other.rank();
    // Compares the average depths, depths / count, without a division. If they
    // are equal, the kernel with the earlier launch comes first.
    size_t own = depths * other.count, others = other.depths * count;
    return rank() == 0 || own == others ? ready.front() < other.ready.front()
                                        : own < others;
  }
};

/// The state of list scheduling. `missing[i]` is the number of unscheduled
/// launches on which launch i depends directly; when `missing[i]` is 0, launch
/// i is ready. `depths[i]` is the length of the longest chain of launches on
/// which launch i depends.
class LaunchBatchScheduler {
public:
  LaunchBatchScheduler(ArrayRef<unsigned> kernels, const LaunchEdges &before)
      : kernels(kernels), after(kernels.size()), missing(kernels.size()),
        depths(kernels.size()),
        pending(kernels.empty() ? 0 : *llvm::max_element(kernels) + 1) {
    for (unsigned launch = 0; launch < kernels.size(); ++launch) {
      for (unsigned other : before[launch]) {
        after[other].push_back(launch);
        pending[kernels[other]].isAwaited = true;
        depths[launch] = std::max(depths[launch], depths[other] + 1);
      }
      missing[launch] = before[launch].size();
      PendingLaunches &own = pending[kernels[launch]];
      ++own.count;
      own.depths += depths[launch];
      if (missing[launch] == 0)
        own.ready.push_back(launch);
    }
  }

  LaunchBatches run() {
    LaunchBatches batches;
    for (size_t left = kernels.size(); left != 0; left -= batches.back().size())
      batches.push_back(take(next()));
    return batches;
  }

private:
  PendingLaunches &next() {
    PendingLaunches *best = nullptr;
    for (PendingLaunches &other : pending)
      if (!other.ready.empty() && (!best || other.precedes(*best)))
        best = &other;
    return *best;
  }

  /// Schedules all ready launches of a kernel as one batch. Launches whose last
  /// unscheduled predecessors are in this batch become ready.
  SmallVector<unsigned> take(PendingLaunches &kernel) {
    SmallVector<unsigned> batch = std::move(kernel.ready);
    kernel.ready.clear();
    kernel.count -= batch.size();
    for (unsigned launch : batch)
      kernel.depths -= depths[launch];
    for (unsigned launch : batch)
      for (unsigned other : after[launch])
        if (--missing[other] == 0) {
          SmallVector<unsigned> &ready = pending[kernels[other]].ready;
          ready.insert(llvm::upper_bound(ready, other), other);
        }
    return batch;
  }

  ArrayRef<unsigned> kernels;
  LaunchEdges after;
  SmallVector<size_t> missing, depths;  // indexed by launch
  std::vector<PendingLaunches> pending; // indexed by kernel
};

} // namespace

LaunchBatches orderInBatches(ArrayRef<unsigned> kernels,
                             const LaunchEdges &before) {
  return LaunchBatchScheduler(kernels, before).run();
}

bool waitsFor(const LaunchEdges &before, unsigned launch, unsigned other) {
  SmallVector<unsigned> pending = {launch};
  BitVector seen(before.size());
  while (!pending.empty()) {
    unsigned at = pending.pop_back_val();
    if (at == other)
      return true;
    for (unsigned earlier : before[at])
      if (earlier >= other && !seen.test(earlier)) {
        seen.set(earlier);
        pending.push_back(earlier);
      }
  }
  return false;
}

} // namespace ingot::hostgen
