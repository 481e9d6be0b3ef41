//===- LossMonitorHook.h - Watches the losses of a search -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANET_LOSSMONITORHOOK_H
#define INGOT_RUNTIME_ADANET_LOSSMONITORHOOK_H

#include "runtime/AdaNet/IterationCompletion.h"
#include "runtime/AdaNet/MemberLosses.h"
#include "runtime/Session/SessionRunHook.h"

#include <functional>
#include <set>

namespace ingot::adanet {

/// Checks the loss of each member and the moving average of each candidate
/// after every step, and warns if one is NaN or infinite (AN-049). Depending on
/// the options the hook also drops diverged members and candidates (AN-138),
/// stops members that no longer learn (AN-238), and ends the iteration after a
/// number of seconds.
class LossMonitorHook final : public SessionRunHook {
public:
  /// The actions of the hook besides warnings; none by default.
  struct LossMonitorOptions {
    /// If true, diverged members and candidates are neither trained further nor
    /// selected, and training continues with the others.
    bool dropsDiverged = false;
    /// A member stops if its average loss has not fallen by more than
    /// `minDelta` for this number of steps. 0 means that no member stops for
    /// this reason.
    int64_t patience = 0;
    double minDelta = 0;
    /// The longest duration of an iteration in seconds, summed over all
    /// processes that have trained it. For a process that was killed, only the
    /// time up to its last checkpoint counts. 0 means no limit. With a limit,
    /// results depend on the machine's speed and are not reproducible.
    double maxSeconds = 0;
    /// The function `share` of IterationCompletionOptions: if several ranks
    /// train the iteration, it broadcasts the text of rank 0 to all of them.
    std::function<Expected<std::string>(std::string)> share;
  };
  /// `clock` returns the current time in seconds.
  LossMonitorHook(std::shared_ptr<IterationCompletion> end,
                  LossMonitorOptions options, std::function<double()> clock,
                  SessionLogger &reporter)
      : iterationEnd(std::move(end)), options(options),
        losses(iterationEnd->iteration), clock(std::move(clock)),
        reporter(reporter) {}

  const char *name() const override { return "AdaNetWatch"; }
  /// Makes this hook run before the hook that ends the iteration, because that
  /// hook must know which members this hook has stopped or dropped after the
  /// step.
  HookPriority priority() const override { return HookPriority::Check; }
  Status afterCreateSession(SessionRunContext &context) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;
  Status beforeRecovery() override;
  /// Returns the averages of losses and the elapsed seconds as text, for the
  /// checkpoint; "" if no option needs them.
  Expected<std::string> saveState() override;
  Status restoreState(std::string_view state) override;

private:
  /// The development of a member's loss: its moving average (`biased`, before
  /// the correction of the bias, over `count` steps) and the lowest corrected
  /// average so far.
  struct LossTrend {
    double biased = 0;
    int64_t count = 0;
    double best = 0;
    int64_t bestStep = -1; // step at which `best` was reached; -1: none yet
  };

  bool watchLoss(const std::string &spec, int64_t step, double loss,
                 const std::string &what);
  void watchLearning(const MemberOrEnsemble &member, int64_t step, double loss);
  void watchStop(const MemberOrEnsemble &member, int64_t step,
                 const BoundEntryPoint &entry);
  Status watchClock(const ingot_context &context);
  double elapsed() const { return secondsBefore + clock() - started; }

  std::shared_ptr<IterationCompletion> iterationEnd;
  LossMonitorOptions options;
  MemberLosses losses;
  std::function<double()> clock;
  SessionLogger &reporter;
  std::set<std::string> warned;
  std::map<std::string, LossTrend> learning;
  /// The last finite moving averages of candidates, by ensemble name.
  std::map<std::string, float> averages;
  double secondsBefore = 0, started = 0;
};

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_LOSSMONITORHOOK_H
