//===- PassStatistic.cpp - Counts of what passes did ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Statistics/PassStatistic.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <map>
#include <mutex>

using namespace ingot;

namespace {

struct PassStatisticTotal {
  uint64_t count = 0;
  llvm::StringRef description;
};

/// The totals of all passes of the process, keyed by pass. The statistics of a
/// pass are added when its members are destroyed, that is, in the reverse order
/// of Passes.td, so print() reverses them.
struct PassStatisticTotals {
  bool isEnabled = false;
  std::mutex mutex;
  std::map<llvm::StringRef,
           llvm::MapVector<llvm::StringRef, PassStatisticTotal>>
      passes;
};

/// Returns the totals of the process. They are never destroyed, because passes
/// may be destroyed after all other objects, and add to the totals at that
/// time.
PassStatisticTotals &totals() {
  static auto *all = new PassStatisticTotals;
  return *all;
}

} // namespace

void PassStatistic::enable() { totals().isEnabled = true; }

bool PassStatistic::isEnabled() { return totals().isEnabled; }

void PassStatistic::addToTotal() const {
  PassStatisticTotals &all = totals();
  std::lock_guard lock(all.mutex);
  PassStatisticTotal &total = all.passes[pass][name];
  total.count += count;
  total.description = description;
}

void PassStatistic::print(llvm::raw_ostream &os) {
  PassStatisticTotals &all = totals();
  std::lock_guard lock(all.mutex);
  for (const auto &[pass, statistics] : all.passes) {
    os << pass << '\n';
    for (const auto &[name, total] : llvm::reverse(statistics))
      os << llvm::format("  (S) %8llu ",
                         static_cast<unsigned long long>(total.count))
         << name << " - " << total.description << '\n';
  }
}
