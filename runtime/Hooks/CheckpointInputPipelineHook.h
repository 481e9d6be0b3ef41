//===- CheckpointInputPipelineHook.h - Saves iterators ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_CHECKPOINTINPUTPIPELINEHOOK_H
#define INGOT_RUNTIME_HOOKS_CHECKPOINTINPUTPIPELINEHOOK_H

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Hooks/SecondOrStepTimer.h"
#include "runtime/Session/ProcessCluster.h"
#include "runtime/Session/SessionLogger.h"
#include "runtime/Session/SessionRunHook.h"

#include <functional>

namespace ingot {

class EventWriter;

/// Saves iterators to checkpoints of their own, as
/// tf.data.experimental.CheckpointInputPipelineHook does. These input
/// checkpoints lie beside the model's checkpoints under other names. So each
/// worker keeps its own position in its input, and an evaluation that restores
/// the model does not change the input.
///
/// Before a session's first step, the hook restores an input checkpoint: the
/// one of the step at which the model was restored, or else the newest one. If
/// there is none, it saves a first one. It saves further ones when the timer is
/// due and at the end.
class CheckpointInputPipelineHook final : public SessionRunHook {
public:
  CheckpointInputPipelineHook(FileSystem &fileSystem,
                              CheckpointManagerOptions options,
                              SecondOrStepTimer timer, SessionLogger &reporter,
                              bool beforeAfterStep = false,
                              std::function<EventWriter *()> events = nullptr)
      : checkpoints(fileSystem, std::move(options)), timer(std::move(timer)),
        reporter(reporter), savesAhead(beforeAfterStep),
        events(std::move(events)) {}

  /// Makes the first session look for its input checkpoint in `directory`, from
  /// which the model is restored. If `directory` has no input checkpoint of the
  /// model's step, the hook looks in its own directory, as it does in later
  /// sessions.
  void startIn(std::string directory) { startDirectory = std::move(directory); }

  /// Makes each save also contain the iterators' positions in the form in which
  /// TensorFlow saves them (Iterator::saveForTensorFlow()).
  void saveForTensorFlow() { forTensorFlow = true; }

  const char *name() const override { return "CheckpointInputPipeline"; }
  HookPriority priority() const override { return HookPriority::Saver; }
  Status afterCreateSession(SessionRunContext &context) override;
  Status beforeRun(SessionRunContext &context,
                   SessionRunArgs &request) override;
  Status beforeAfterStep(SessionRunContext &context) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;
  Status save(SessionRunContext &context) override;
  Status end(SessionRunContext &context) override { return save(context); }

private:
  Status restoreOrSave(SessionRunContext &context);
  Status restore(SessionRunContext &context, const std::string &prefix);
  Status write(SessionRunContext &context);
  void warn(const std::vector<std::string> &warnings);

  CheckpointManager checkpoints;
  SecondOrStepTimer timer;
  SessionLogger &reporter;
  /// If true, a save between two steps is made before the after-step entry (a
  /// compiled function that runs after each step) sets the global step, like
  /// the model's saves with CheckpointSavePolicy::beforeAfterStep.
  bool savesAhead;
  /// Returns the writer of the event file in which each checkpoint is recorded,
  /// or null if there is no such file.
  std::function<EventWriter *()> events;
  bool isFirstRun = true;
  bool forTensorFlow = false;
  std::string startDirectory; // given to startIn(); "" after the first session
};

/// Returns the options for this hook's checkpoints in `directory`: base name
/// "input.ckpt" and state file "checkpoint_input" or, if `cluster` has several
/// workers, for example "input_worker_1.ckpt" and "checkpoint_input_worker_1".
CheckpointManagerOptions inputCheckpoints(const std::string &directory,
                                          const ProcessCluster &cluster);

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_CHECKPOINTINPUTPIPELINEHOOK_H
