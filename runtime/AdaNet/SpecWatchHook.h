//===- SpecWatchHook.h - Watches members and candidates train ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANET_SPECWATCHHOOK_H
#define INGOT_RUNTIME_ADANET_SPECWATCHHOOK_H

#include "runtime/AdaNet/IterationEnd.h"
#include "runtime/AdaNet/SpecLosses.h"
#include "runtime/Session/SessionRunHook.h"

#include <functional>
#include <set>

namespace ingot::adanet {

/// Looks at the loss of each member, and at the moving average of each
/// candidate, after every step. Warns where one is NaN or infinite (AN-049);
/// as its options say, drops it (AN-138), stops members that no longer learn
/// (AN-238), and the iteration where its time is up.
class SpecWatchHook final : public SessionRunHook {
public:
  struct Options {
    /// Diverged members and candidates are neither trained nor selected; the
    /// others are.
    bool dropsDiverged = false;
    /// A member stops when its loss, averaged over steps, was not lower by more
    /// than `minDelta` for this number of steps; 0: it does not.
    int64_t patience = 0;
    double minDelta = 0;
    /// How long an iteration lasts, over all processes that train it up to
    /// their newest checkpoints; 0: as long as it takes. The clock's seconds
    /// make no two runs the same.
    double maxSeconds = 0;
  };
  /// `clock` gives seconds.
  SpecWatchHook(std::shared_ptr<IterationEnd> end, Options options,
                std::function<double()> clock, Reporter &reporter)
      : iterationEnd(std::move(end)), options(options),
        losses(iterationEnd->iteration), clock(std::move(clock)),
        reporter(reporter) {}

  const char *name() const override { return "AdaNetWatch"; }
  /// Before the hook that ends the iteration.
  HookPriority priority() const override { return HookPriority::Check; }
  Status afterCreateSession(RunContext &context) override;
  Status afterRun(RunContext &context, const RunValues &values) override;
  Status beforeRecovery() override;
  /// The losses seen so far; nothing where no option needs them.
  Expected<std::string> saveState() override;
  Status restoreState(std::string_view state) override;

private:
  /// How a member learns: the average of its loss, and the lowest so far.
  struct Learning {
    double biased = 0;
    int64_t count = 0;
    double best = 0;
    int64_t bestStep = -1; // the member's; -1: none yet
  };

  bool watchLoss(const std::string &spec, int64_t step, double loss,
                 const std::string &what);
  void watchLearning(const Spec &member, int64_t step, double loss);
  void watchClock(const ingot_context &context);
  double elapsed() const { return secondsBefore + clock() - started; }

  std::shared_ptr<IterationEnd> iterationEnd;
  Options options;
  MemberLosses losses;
  std::function<double()> clock;
  Reporter &reporter;
  std::set<std::string> warned;
  std::map<std::string, Learning> learning;
  /// The last finite averages of candidates.
  std::map<std::string, float> averages;
  double secondsBefore = 0, started = 0;
};

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_SPECWATCHHOOK_H
