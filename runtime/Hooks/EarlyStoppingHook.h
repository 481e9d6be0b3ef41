//===- EarlyStoppingHook.h - Stops by metrics of evaluations ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Implements tf.estimator.experimental.stop_if_lower_hook, stop_if_higher_hook,
// stop_if_no_decrease_hook and stop_if_no_increase_hook.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_HOOKS_EARLYSTOPPINGHOOK_H
#define INGOT_RUNTIME_HOOKS_EARLYSTOPPINGHOOK_H

#include "runtime/Hooks/CheckpointSaverListener.h"
#include "runtime/Session/SessionLogger.h"
#include "runtime/Session/SessionRunHook.h"

#include <functional>
#include <map>

namespace ingot {

/// The value of a metric at each step at which it was evaluated.
using MetricHistory = std::map<int64_t, double>;

/// The condition under which training stops.
struct EarlyStoppingCondition {
  enum Kind { IfLower, IfHigher, IfNoDecrease, IfNoIncrease };
  Kind kind = IfLower;
  std::string metric;
  double threshold = 0; // for IfLower and IfHigher
  /// IfNoDecrease, IfNoIncrease: the number of steps without a better value
  /// after which training stops.
  int64_t stepsWithout = 0;
  int64_t minSteps = 0; // evaluations of earlier steps do not count
  std::string flag;     // the flag that sets the condition
};

/// Returns the reason why training should stop, for the log; "" if it should
/// not.
std::string whyStop(const EarlyStoppingCondition &condition,
                    const MetricHistory &history);

/// Requests a stop when the evaluations of a metric meet a condition. The best
/// evaluation is saved with the model, so a resumed run does not forget it.
class EarlyStoppingHook final : public SessionRunHook {
public:
  /// `history` reads all evaluations of a metric. The hook calls `history`
  /// every `everySeconds` seconds. If `everySeconds` is infinity, only check()
  /// calls it; a listener calls check() after each evaluation.
  EarlyStoppingHook(
      EarlyStoppingCondition condition,
      std::function<Expected<MetricHistory>(const std::string &metric)> history,
      double everySeconds, std::function<double()> clock,
      SessionLogger &reporter)
      : condition(std::move(condition)), history(std::move(history)),
        everySeconds(everySeconds), clock(std::move(clock)),
        reporter(reporter) {}

  const char *name() const override { return "EarlyStopping"; }
  HookPriority priority() const override { return HookPriority::Control; }
  Status afterCreateSession(SessionRunContext &context) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;
  /// Returns the best evaluation so far as text, for the checkpoint.
  Expected<std::string> saveState() override;
  Status restoreState(std::string_view state) override;

  /// Requests a stop if the evaluations meet the condition.
  Status check(SessionRunContext &context);

private:
  EarlyStoppingCondition condition;
  std::function<Expected<MetricHistory>(const std::string &)> history;
  double everySeconds;
  std::function<double()> clock;
  SessionLogger &reporter;
  double last = 0;
  MetricHistory best; // the best evaluation so far, or empty
};

/// Makes hooks check the metrics after each checkpoint, before another step
/// runs. The listener that evaluates checkpoints must be added before this
/// listener, so that the checkpoint has been evaluated by then.
class MetricCheckListener final : public CheckpointSaverListener {
public:
  /// Adds the function of a hook, which must outlive the run.
  void add(std::function<Status(SessionRunContext &)> check) {
    checks.push_back(std::move(check));
  }

  Status afterRestore(SessionRunContext &context, int64_t step,
                      const std::string &prefix) override {
    return afterSave(context, step, prefix);
  }
  Status afterSave(SessionRunContext &context, int64_t,
                   const std::string &) override {
    for (const auto &check : checks)
      if (!context.stopRequested())
        INGOT_RETURN_IF_ERROR(check(context));
    return Status::ok();
  }

private:
  std::vector<std::function<Status(SessionRunContext &)>> checks;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_EARLYSTOPPINGHOOK_H
