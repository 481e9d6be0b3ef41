//===- LoggingHook.h - Step, loss and speed in the log ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_LOGGINGHOOK_H
#define INGOT_RUNTIME_HOOKS_LOGGINGHOOK_H

#include "runtime/Hooks/SecondOrStepTimer.h"
#include "runtime/Session/SessionLogger.h"
#include "runtime/Session/SessionRunHook.h"

namespace ingot {

/// Logs a line after the first step, when the timer is due, and after the last
/// step, like TensorFlow's LoggingTensorHook. A line shows the watched fetches,
/// and the steps per second since the previous line.
class LoggingHook final : public SessionRunHook {
public:
  /// A fetch of the step entry, and its label in the log.
  struct LabeledFetch {
    std::string label;
    size_t fetch;
  };

  /// A function that formats the fetches of a step as a log line.
  using Formatter =
      std::function<std::string(int64_t step, const BoundEntryPoint &fetches)>;

  /// If `timer` is not set, only one line is logged, at the end of the run.
  LoggingHook(std::vector<LabeledFetch> watched,
              std::optional<SecondOrStepTimer> timer,
              std::function<double()> clock, SessionLogger &reporter,
              bool atEnd = true)
      : watched(std::move(watched)), timer(std::move(timer)),
        clock(std::move(clock)), reporter(reporter), atEnd(atEnd) {}

  void setFormatter(Formatter newFormatter) {
    formatter = std::move(newFormatter);
  }

  const char *name() const override { return "Logging"; }
  HookPriority priority() const override { return HookPriority::Report; }
  Status afterCreateSession(SessionRunContext &context) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;
  Status end(SessionRunContext &context) override;

private:
  /// The first elements of a watched fetch in the latest step. They are copied
  /// because a step may prove to be the run's last only when the next step
  /// finds that the input has ended. By then the fetches of the last step no
  /// longer exist.
  struct LoggedFetchElements {
    int32_t dtype = 0;
    int64_t count = -1; // number of elements; negative: not shown
    char elements[4 * 2 * sizeof(double)];
  };

  std::string format(const SessionRunContext &context,
                     const BoundEntryPoint &step) const;
  void keep(const BoundEntryPoint &step);
  std::string formatKept() const;
  void log(SessionRunContext &context, const std::string &values);

  std::vector<LabeledFetch> watched;
  std::optional<SecondOrStepTimer> timer;
  std::function<double()> clock;
  SessionLogger &reporter;
  bool atEnd;
  Formatter formatter;
  /// The step and the time of the previous log line.
  int64_t countedFrom = 0;
  double timedFrom = 0;
  std::string lastValues;
  /// One element for each of `watched`; empty if the latest step is logged
  /// already.
  std::vector<LoggedFetchElements> kept;
};

/// Formats watched fetches as " loss 0.512 accuracy:0 0.95", with six
/// significant digits. If a tensor is not a scalar, only its first elements are
/// shown.
std::string formatWatched(const std::vector<LoggingHook::LabeledFetch> &watched,
                          const BoundEntryPoint &step);

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_LOGGINGHOOK_H
