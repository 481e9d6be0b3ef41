//===- TrainingCurvesHook.h - Loss and metrics as curves --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_TRAININGCURVESHOOK_H
#define INGOT_RUNTIME_HOOKS_TRAININGCURVESHOOK_H

#include "runtime/Session/SessionRunHook.h"
#include "runtime/Summary/EventWriter.h"

#include <functional>

namespace ingot {

/// Returns how many of the steps 1 to `step` are points of a training curve.
/// All of the first 100 steps are points. After them, 50 steps of each range
/// (N, 2 N] for N = 100, 200, 400, ... are points, or only 4 once N is 1.6
/// million or more. That is at most 1,000 points for a run of any length. The
/// points depend only on the step, so a run that is killed and resumed has the
/// same points.
int64_t curvePointsUpTo(int64_t step);

/// Writes scalars of the step to the run's event file: fetches of the step
/// entry, and variables. Writes them only at some of the steps, the points that
/// curvePointsUpTo() counts.
class TrainingCurvesHook final : public SessionRunHook {
public:
  /// A curve: the tag of its scalars, and the index of a scalar fetch of the
  /// step entry or of a scalar variable.
  struct TrainingCurveSource {
    std::string tag;
    size_t index;
    bool isVariable = false;
  };

  /// `events` returns the writer of the run's event file. `events` is called
  /// only after a session was created.
  TrainingCurvesHook(std::vector<TrainingCurveSource> curves,
                     std::function<EventWriter *()> events)
      : curves(std::move(curves)), events(std::move(events)) {}

  const char *name() const override { return "Curves"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status afterCreateSession(SessionRunContext &context) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;

private:
  std::vector<TrainingCurveSource> curves;
  std::function<EventWriter *()> events;
  int64_t written = 0; // curvePointsUpTo() of the previous step
};

/// Returns the curves of a program's step: its loss (`loss` is the index of
/// that fetch, or -1), all other fetches that are floating scalars, by their
/// names, and the learning rates that are variables.
std::vector<TrainingCurvesHook::TrainingCurveSource>
curvesOf(const ingot_program &program, const ingot_entry &step, int loss);

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_TRAININGCURVESHOOK_H
