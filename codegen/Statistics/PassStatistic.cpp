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

struct Total {
  uint64_t count = 0;
  llvm::StringRef description;
};

/// The totals of all passes in the process. Members of a pass are destroyed in
/// reverse order, so the statistic that is last in Passes.td is added first.
struct Totals {
  bool isEnabled = false;
  std::mutex mutex;
  std::map<llvm::StringRef, llvm::MapVector<llvm::StringRef, Total>> passes;
};

/// The totals are never destroyed, as passes that live as long as the process
/// add to them when they are destroyed.
Totals &totals() {
  static auto *all = new Totals;
  return *all;
}

} // namespace

void PassStatistic::enable() { totals().isEnabled = true; }

bool PassStatistic::isEnabled() { return totals().isEnabled; }

void PassStatistic::addToTotal() const {
  Totals &all = totals();
  std::lock_guard lock(all.mutex);
  Total &total = all.passes[pass][name];
  total.count += count;
  total.description = description;
}

void PassStatistic::print(llvm::raw_ostream &os) {
  Totals &all = totals();
  std::lock_guard lock(all.mutex);
  for (const auto &[pass, statistics] : all.passes) {
    os << pass << '\n';
    for (const auto &[name, total] : llvm::reverse(statistics))
      os << llvm::format("  (S) %8llu ",
                         static_cast<unsigned long long>(total.count))
         << name << " - " << total.description << '\n';
  }
}
