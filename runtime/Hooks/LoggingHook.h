//===- LoggingHook.h - Step, loss and speed in the log ----------*- C++ -*-===//
#ifndef INGOT_RUNTIME_HOOKS_LOGGINGHOOK_H
#define INGOT_RUNTIME_HOOKS_LOGGINGHOOK_H

#include "runtime/Hooks/SessionRunHook.h"
#include "runtime/Hooks/StepTimer.h"
#include "runtime/Session/Reporter.h"

namespace ingot {

class EventWriter;

/// TensorFlow's LoggingTensorHook and StepCounterHook: a line after the first
/// step, every N steps and after the last, with the fetches that are watched
/// and the steps per second since the line before. The speed also goes into
/// the event file.
class LoggingHook final : public SessionRunHook {
public:
  /// A fetch of the step entry, and what the log calls it.
  struct Watched {
    std::string label;
    size_t fetch;
  };

  LoggingHook(std::vector<Watched> watched, int64_t everySteps,
              std::function<double()> clock, Reporter &reporter,
              std::function<EventWriter *()> events)
      : watched(std::move(watched)), timer(everySteps, 0, clock),
        clock(std::move(clock)), reporter(reporter), events(std::move(events)) {
  }

  const char *name() const override { return "Logging"; }
  HookPriority priority() const override { return HookPriority::Report; }
  Status afterCreateSession(RunContext &context) override;
  Status afterRun(RunContext &context, const RunValues &values) override;
  Status end(RunContext &context) override;

private:
  Status log(RunContext &context, const std::string &values);

  std::vector<Watched> watched;
  StepTimer timer;
  std::function<double()> clock;
  Reporter &reporter;
  std::function<EventWriter *()> events;
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
