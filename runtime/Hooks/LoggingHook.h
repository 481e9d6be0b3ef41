//===- LoggingHook.h - Step, loss and speed in the log ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
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
  /// A fetch of the step entry, and its name in the log.
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
  /// The first elements of a fetch of the last step, which may turn out to be
  /// the run's: the input says that it has ended when the fetches are gone.
  struct Kept {
    int32_t dtype = 0;
    int64_t count = -1; // in all; below zero: not shown
    char elements[4 * 2 * sizeof(double)];
  };

  std::string format(const RunContext &context, const BoundEntry &step) const;
  void keep(const BoundEntry &step);
  std::string formatKept() const;
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
  std::vector<Kept> kept; // by watched tensor; empty where a line had them
};

/// " loss 0.512 accuracy:0 0.95", in six digits; tensors that aren't scalars
/// by their first elements.
std::string formatWatched(const std::vector<LoggingHook::Watched> &watched,
                          const BoundEntry &step);

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_LOGGINGHOOK_H
