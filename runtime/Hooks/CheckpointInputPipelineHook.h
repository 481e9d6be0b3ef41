//===- CheckpointInputPipelineHook.h - Saves the input alone ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_CHECKPOINTINPUTPIPELINEHOOK_H
#define INGOT_RUNTIME_HOOKS_CHECKPOINTINPUTPIPELINEHOOK_H

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Hooks/StepTimer.h"
#include "runtime/Session/Cluster.h"
#include "runtime/Session/Reporter.h"
#include "runtime/Session/SessionRunHook.h"

namespace ingot {

/// tf.data.experimental.CheckpointInputPipelineHook: checkpoints that hold
/// iterators only, beside the model's and under names of their own, so that
/// each worker keeps its place in its input and an evaluation that restores the
/// model leaves the input alone. Before the first step of a session the newest
/// of them is restored; if there is none, one is saved. Then as the timer says,
/// and at the end.
class CheckpointInputPipelineHook final : public SessionRunHook {
public:
  CheckpointInputPipelineHook(FileSystem &fileSystem,
                              CheckpointManagerOptions options, StepTimer timer,
                              Reporter &reporter, bool beforeAfterStep = false)
      : checkpoints(fileSystem, std::move(options)), timer(std::move(timer)),
        reporter(reporter), savesAhead(beforeAfterStep) {}

  const char *name() const override { return "CheckpointInputPipeline"; }
  HookPriority priority() const override { return HookPriority::Saver; }
  Status afterCreateSession(RunContext &context) override;
  Status beforeRun(RunContext &context, RunRequest &request) override;
  Status beforeAfterStep(RunContext &context) override;
  Status afterRun(RunContext &context, const RunValues &values) override;
  Status save(RunContext &context) override;
  Status end(RunContext &context) override { return save(context); }

private:
  Status restoreOrSave(RunContext &context);
  Status write(RunContext &context);
  void warn(const std::vector<std::string> &warnings);

  CheckpointManager checkpoints;
  StepTimer timer;
  Reporter &reporter;
  bool savesAhead; // as SavePolicy::beforeAfterStep has the model saved
  bool isFirstRun = true;
};

/// The checkpoints of the hook of a process of `cluster` in `directory`:
/// "input.ckpt-N" and the state file "checkpoint_input"; for one of several
/// workers "input_worker_1.ckpt-N" and "checkpoint_input_worker_1".
CheckpointManagerOptions inputCheckpoints(const std::string &directory,
                                          const Cluster &cluster);

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_CHECKPOINTINPUTPIPELINEHOOK_H
