//===- TrainingRunProgress.h - Where a run stands ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_TRAININGRUNPROGRESS_H
#define INGOT_RUNTIME_HOOKS_TRAININGRUNPROGRESS_H

#include "runtime/Hooks/CheckpointSaverListener.h"
#include "runtime/Session/SessionRunHook.h"

#include <atomic>

namespace ingot {

/// The progress of a training run. The training thread writes it; the log and
/// the metrics server read it on other threads.
struct TrainingRunProgress {
  std::atomic<bool> isReady = false; // the session is initialized
  std::atomic<int64_t> step = -1;    // the global step; -1: not known yet
  std::atomic<int64_t> stepsRun = 0; // steps that this process has run
  std::atomic<double> loss = 0;
  std::atomic<bool> hasLoss = false;
  /// When the last checkpoint was complete, in seconds of CLOCK_MONOTONIC.
  /// Negative if this process has not saved a checkpoint yet.
  std::atomic<double> savedAt = -1;
};

/// Returns the seconds of CLOCK_MONOTONIC.
double monotonicSeconds();

/// Keeps the TrainingRunProgress `status` up to date, which must outlive the
/// hook. `loss` is the index of the step's fetch that is the loss, or -1 if
/// there is none.
class TrainingRunProgressHook final : public SessionRunHook {
public:
  TrainingRunProgressHook(TrainingRunProgress &status, int loss)
      : status(status), loss(loss) {}

  const char *name() const override { return "Status"; }
  HookPriority priority() const override { return HookPriority::First; }
  Status afterCreateSession(SessionRunContext &context) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;
  Status beforeRecovery() override;
  Status end(SessionRunContext &context) override;

private:
  TrainingRunProgress &status;
  int loss;
};

/// Records in a TrainingRunProgress when checkpoints are complete.
class RunProgressCheckpointListener final : public CheckpointSaverListener {
public:
  explicit RunProgressCheckpointListener(TrainingRunProgress &status)
      : status(status) {}
  Status afterSave(SessionRunContext &, int64_t, const std::string &) override {
    status.savedAt = monotonicSeconds();
    return Status::ok();
  }

private:
  TrainingRunProgress &status;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_TRAININGRUNPROGRESS_H
