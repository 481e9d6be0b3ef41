//===- AdditionalSaverHook.h - Saves with one more saver --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_ADDITIONALSAVERHOOK_H
#define INGOT_RUNTIME_HOOKS_ADDITIONALSAVERHOOK_H

#include "runtime/Hooks/CheckpointSaverHook.h"

struct ingot_program;

namespace ingot {

/// Returns the options for checkpoints of the program's saver with index
/// `saver`. These checkpoints are named `<directory>/<scope>.ckpt-<step>` and
/// listed in the state file `checkpoint_<scope>`. The scope is the saver's
/// name, with underscores for slashes.
CheckpointManagerOptions additionalCheckpoints(const ingot_program &program,
                                               uint32_t saver,
                                               const std::string &directory);

/// Saves checkpoints with an additional saver of the graph, like a second
/// CheckpointSaverHook in TensorFlow. Each checkpoint contains only the
/// variables that this saver names, and the saver's limits say how many
/// checkpoints are kept. These checkpoints are listed in a state file of their
/// own, and no session is ever restored from them.
class AdditionalSaverHook final : public SessionRunHook {
public:
  AdditionalSaverHook(FileSystem &fileSystem, CheckpointManagerOptions options,
                      SecondOrStepTimer timer, SessionLogger &reporter,
                      std::function<EventWriter *()> events,
                      CheckpointSavePolicy policy)
      : checkpoints(fileSystem, std::move(options)), reporter(reporter),
        hook(checkpoints, std::move(timer), reporter, std::move(events),
             policy) {}

  /// See CheckpointSaverHook::gatherFirst().
  void gatherFirst(ShardedVariables &variables) { hook.gatherFirst(variables); }

  const char *name() const override { return "FurtherSaver"; }
  HookPriority priority() const override { return HookPriority::Saver; }
  Status begin(Session &session) override { return hook.begin(session); }
  Status afterCreateSession(SessionRunContext &context) override;
  Status beforeAfterStep(SessionRunContext &context) override {
    return hook.beforeAfterStep(context);
  }
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override {
    return hook.afterRun(context, values);
  }
  Status beforeRecovery() override { return hook.beforeRecovery(); }
  Status save(SessionRunContext &context) override {
    return hook.save(context);
  }
  Status end(SessionRunContext &context) override { return hook.end(context); }

private:
  CheckpointManager checkpoints;
  SessionLogger &reporter;
  CheckpointSaverHook hook;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_ADDITIONALSAVERHOOK_H
