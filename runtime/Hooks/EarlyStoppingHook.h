//===- EarlyStoppingHook.h - Stops when evaluations say so ------*- C++ -*-===//
//
// tf.estimator.experimental.stop_if_lower_hook, stop_if_higher_hook,
// stop_if_no_decrease_hook and stop_if_no_increase_hook.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_HOOKS_EARLYSTOPPINGHOOK_H
#define INGOT_RUNTIME_HOOKS_EARLYSTOPPINGHOOK_H

#include "runtime/Session/Reporter.h"
#include "runtime/Session/SessionRunHook.h"

#include <functional>
#include <map>

namespace ingot {

/// A metric's value at each step that was evaluated.
using MetricHistory = std::map<int64_t, double>;

/// When to stop.
struct StopCondition {
  enum Kind { IfLower, IfHigher, IfNoDecrease, IfNoIncrease };
  Kind kind = IfLower;
  std::string metric;
  double threshold = 0;     // IfLower, IfHigher
  int64_t stepsWithout = 0; // the others: so many steps without a better one
  int64_t minSteps = 0;     // evaluations of earlier steps do not count
};

/// Why training should stop: "" where it should not.
std::string whyStop(const StopCondition &condition,
                    const MetricHistory &history);

class EarlyStoppingHook final : public SessionRunHook {
public:
  /// `history` reads a metric's evaluations, every `everySeconds`.
  EarlyStoppingHook(
      StopCondition condition,
      std::function<Expected<MetricHistory>(const std::string &metric)> history,
      double everySeconds, std::function<double()> clock, Reporter &reporter)
      : condition(std::move(condition)), history(std::move(history)),
        everySeconds(everySeconds), clock(std::move(clock)),
        reporter(reporter) {}

  const char *name() const override { return "EarlyStopping"; }
  HookPriority priority() const override { return HookPriority::Control; }
  Status afterCreateSession(RunContext &context) override;
  Status afterRun(RunContext &context, const RunValues &values) override;
  /// The best evaluation so far.
  Expected<std::string> saveState() override;
  Status restoreState(std::string_view state) override;

private:
  Status check(RunContext &context);

  StopCondition condition;
  std::function<Expected<MetricHistory>(const std::string &)> history;
  double everySeconds;
  std::function<double()> clock;
  Reporter &reporter;
  double last = 0;
  MetricHistory best; // one evaluation, or none yet
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_EARLYSTOPPINGHOOK_H
