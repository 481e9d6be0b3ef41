//===- PassStatistic.h - Counts of what passes did --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Counts the statistics that Passes.td declares. mlir::Pass::Statistic counts
// only if LLVM was built with assertions, and Linux distributions build LLVM
// without assertions. So cmake/IngotPasses.cmake declares the statistics as
// members of this class instead.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_STATISTICS_PASSSTATISTIC_H
#define INGOT_CODEGEN_STATISTICS_PASSSTATISTIC_H

#include "mlir/Pass/Pass.h"

namespace ingot {

/// A statistic of a pass, such as the number of ops that it has rewritten. Each
/// instance of a pass has its own counter. As threads share no instances of
/// passes, the counter needs no lock. The destructor adds the counter to the
/// total of the process.
class PassStatistic {
public:
  /// Creates the statistic `name` of `pass`. Called by the constructor of the
  /// pass, at a time when the argument (command-line name) of the pass is
  /// already known. `name` and `description` must be string literals, as only
  /// pointers to them are kept.
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

  /// Starts collecting totals. Must be called before other threads run passes.
  static void enable();
  /// Prints the totals of all passes that have been destroyed, grouped by pass,
  /// in the format of MLIR's own pass statistics.
  static void print(llvm::raw_ostream &os);

private:
  static bool isEnabled();
  void addToTotal() const;

  llvm::StringRef pass, name, description;
  uint64_t count = 0;
};

} // namespace ingot

#endif // INGOT_CODEGEN_STATISTICS_PASSSTATISTIC_H
