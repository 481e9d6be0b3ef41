//===- LoggingHook.h - Step, loss and speed in the log ----------*- C++ -*-===//
#ifndef INGOT_RUNTIME_HOOKS_LOGGINGHOOK_H
#define INGOT_RUNTIME_HOOKS_LOGGINGHOOK_H

#include "runtime/Hooks/StepTimer.h"
#include "runtime/Session/Reporter.h"
#include "runtime/Session/SessionRunHook.h"

namespace ingot {

/// TensorFlow's LoggingTensorHook: a line after the first step, then as the
/// timer says, and after the last, with the fetches that are watched and the
/// steps per second since the line before.
class LoggingHook final : public SessionRunHook {
public:
  /// A fetch of the step entry, and what the log calls it.
  struct Watched {
    std::string label;
    size_t fetch;
  };

  /// Makes a line of a step's fetches.
  using Formatter =
      std::function<std::string(int64_t step, const BoundEntry &fetches)>;

  /// Without a timer there is a line at the end alone.
  LoggingHook(std::vector<Watched> watched, std::optional<StepTimer> timer,
              std::function<double()> clock, Reporter &reporter,
              bool atEnd = true)
      : watched(std::move(watched)), timer(std::move(timer)),
        clock(std::move(clock)), reporter(reporter), atEnd(atEnd) {}

  void setFormatter(Formatter newFormatter) {
    formatter = std::move(newFormatter);
  }

  const char *name() const override { return "Logging"; }
  HookPriority priority() const override { return HookPriority::Report; }
  Status afterCreateSession(RunContext &context) override;
  Status afterRun(RunContext &context, const RunValues &values) override;
  Status end(RunContext &context) override;

private:
  std::string format(const RunContext &context, const BoundEntry &step) const;
  void log(RunContext &context, const std::string &values);

  std::vector<Watched> watched;
  std::optional<StepTimer> timer;
  std::function<double()> clock;
  Reporter &reporter;
  bool atEnd;
  Formatter formatter;
  int64_t countedFrom = 0; // step and time of the line before
  double timedFrom = 0;
  std::string lastValues;
};

/// " loss 0.512 accuracy:0 0.95", in six digits; tensors that aren't scalars
/// by their first elements.
std::string formatWatched(const std::vector<LoggingHook::Watched> &watched,
                          const BoundEntry &step);

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_LOGGINGHOOK_H
