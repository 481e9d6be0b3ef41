//===- ProgressHook.h - Progress of the run, for a bar ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_PROGRESSHOOK_H
#define INGOT_RUNTIME_HOOKS_PROGRESSHOOK_H

#include "runtime/Hooks/LoggingHook.h"

namespace ingot {

/// After steps, but at most ten times a second, tells the reporter how far the
/// run has come, for its progress bar.
class ProgressHook final : public SessionRunHook {
public:
  /// `lastStep` is the global step at which the run ends, and `numSteps` is the
  /// number of steps of the run. Each of them is -1 if it is unknown.
  ProgressHook(std::vector<LoggingHook::LabeledFetch> watched, int64_t lastStep,
               int64_t numSteps, std::function<double()> clock,
               SessionLogger &reporter)
      : watched(std::move(watched)), lastStep(lastStep), numSteps(numSteps),
        clock(std::move(clock)), reporter(reporter) {}

  /// Makes the bar show the progress of a longer training, of which this run is
  /// a part. The longer training goes from step 0 to step `last` (-1 if
  /// unknown). `describe` returns the text beside the bar.
  void showWhole(int64_t last,
                 std::function<std::string(SessionRunContext &)> describe) {
    wholeLast = last;
    describeWhole = std::move(describe);
  }

  const char *name() const override { return "Progress"; }
  HookPriority priority() const override { return HookPriority::Report; }
  Status afterCreateSession(SessionRunContext &context) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;

private:
  std::vector<LoggingHook::LabeledFetch> watched;
  int64_t lastStep, numSteps;
  std::function<double()> clock;
  SessionLogger &reporter;
  int64_t wholeLast = -1;
  std::function<std::string(SessionRunContext &)> describeWhole;
  Progress progress;
  int64_t firstStep = 0;
  double started = 0;
  double shown = -1;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_PROGRESSHOOK_H
