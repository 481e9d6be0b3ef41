//===- TrialWays.h - The ways in which a trial trains a graph ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TEST_FUZZ_GRAPHS_TRIALWAYS_H
#define INGOT_TEST_FUZZ_GRAPHS_TRIALWAYS_H

#include "Trial.h"

#include "compiler/Driver/Compile.h"
#include "tools/Trials/Runs.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ingot::fuzz {

/// Compiles a program in several ways, trains each result, and compares the
/// losses and checkpoints.
class Trial {
public:
  Trial(const Towers &towers, const TrialOptions &options)
      : towers(towers), options(options), steps(towers.front().steps) {}

  Verdict run();

private:
  using Outcome = trials::TrainingOutcome;
  /// Sets further options of a compilation.
  using Adjust = llvm::function_ref<void(driver::CompileOptions &)>;

  std::string path(const std::string &name) const {
    return options.work + "/" + name;
  }

  int compile(
      const std::string &program, const std::string &name,
      const std::string &cpu, const OptionalPassSet &rewrites,
      Adjust adjust = [](driver::CompileOptions &) {});
  Outcome train(const std::string &name, const std::string &folder,
                unsigned threads, int64_t steps,
                const std::vector<std::string> &launcher = {},
                const std::vector<std::string> &more = {});
  Outcome compileAndTrain(uint64_t noise, const std::string &name,
                          const OptionalPassSet &rewrites);
  Verdict compare(const Outcome &found, const Outcome &expected,
                  const std::string &what, bool exactly);
  /// Runs the reference program with noise once more, and updates `spread`.
  void widenSpread(const Outcome &expected);
  double roundingOf(const std::string &tensor, double largest) const;
  /// Returns the first tensor whose difference is beyond what `spread`
  /// explains, with figures, or "".
  std::string findUnexplained(const Outcome &found, const Outcome &expected);
  Verdict compareRuns(const Outcome &usual);
  Verdict compareLevels(const Outcome &usual, const Outcome &plain);
  Verdict compareLeastMemory(const Outcome &usual);
  Verdict compareSlices(const Outcome &plain);
  Verdict compareSharded(const Outcome &whole, unsigned slices);
  std::vector<std::string> launcherOf(unsigned slices) const;
  std::vector<std::string> flagsOfRanks() const;
  Verdict compareDevice(const Outcome &plain);
  std::string emulateKernels();

  const Towers &towers;
  const TrialOptions &options;
  int64_t steps;
  std::string program;
  /// How much noise in the initial values and data changes each tensor of the
  /// reference program, keyed by tensor name: the largest over `noisyRuns`
  /// runs.
  std::map<std::string, double> spread;
  unsigned noisyRuns = 0;
};

} // namespace ingot::fuzz

#endif // INGOT_TEST_FUZZ_GRAPHS_TRIALWAYS_H
