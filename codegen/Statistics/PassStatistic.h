//===- PassStatistic.h - Counts of what passes did --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Counts the statistics that Passes.td declares. mlir::Pass::Statistic counts
// only if LLVM was built with assertions, and distributions build LLVM without.
// So cmake/IngotPasses.cmake declares the statistics as members of this class
// instead.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_STATISTICS_PASSSTATISTIC_H
#define INGOT_CODEGEN_STATISTICS_PASSSTATISTIC_H

#include "mlir/Pass/Pass.h"

namespace ingot {

/// A counter of one instance of a pass. It is a plain number, as threads share
/// no instances. When the pass is destroyed, the number is added to the
/// process's total.
class PassStatistic {
public:
  /// Registers a statistic of `pass`. It is called by the constructor of the
  /// pass, when the pass's argument is known. The strings must be literals.
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
  /// Prints the totals of all passes that were destroyed, pass by pass, in the
  /// form of MLIR's own report.
  static void print(llvm::raw_ostream &os);

private:
  static bool isEnabled();
  void addToTotal() const;

  llvm::StringRef pass, name, description;
  uint64_t count = 0;
};

} // namespace ingot

#endif // INGOT_CODEGEN_STATISTICS_PASSSTATISTIC_H
