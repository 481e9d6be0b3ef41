//===- PassStatistic.h - Counts of what passes did --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The statistics that Passes.td declares. mlir::Pass::Statistic counts only if
// LLVM was built with assertions, which distributions' LLVM was not, so
// cmake/IngotPasses.cmake declares members of this class in its place.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_STATISTICS_PASSSTATISTIC_H
#define INGOT_CODEGEN_STATISTICS_PASSSTATISTIC_H

#include "mlir/Pass/Pass.h"

namespace ingot {

/// A counter of one instance of a pass. Instances are not shared by threads, so
/// it is a plain number, which is added to the process's total when the pass is
/// destroyed.
class PassStatistic {
public:
  /// Called by the constructor of `pass`, whose argument is known by then. The
  /// strings are literals.
  PassStatistic(const mlir::Pass *pass, const char *name,
                const char *description)
      : pass(pass->getArgument()), name(name), description(description) {}
  PassStatistic(const PassStatistic &) = delete;
  PassStatistic &operator=(const PassStatistic &) = delete;
  ~PassStatistic() {
    if (isEnabled())
      addToTotal();
  }

  PassStatistic &operator++() { return *this += 1; }
  PassStatistic &operator+=(uint64_t number) {
    count += number;
    return *this;
  }

  /// Starts collecting totals. Must come before other threads run passes.
  static void enable();
  /// Prints the totals of all passes that were destroyed, by pass, in the form
  /// of MLIR's report.
  static void print(llvm::raw_ostream &os);

private:
  static bool isEnabled();
  void addToTotal() const;

  llvm::StringRef pass, name, description;
  uint64_t count = 0;
};

} // namespace ingot

#endif // INGOT_CODEGEN_STATISTICS_PASSSTATISTIC_H
