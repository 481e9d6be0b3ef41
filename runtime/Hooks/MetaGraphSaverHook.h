//===- MetaGraphSaverHook.h - Saves programs without variables --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_METAGRAPHSAVERHOOK_H
#define INGOT_RUNTIME_HOOKS_METAGRAPHSAVERHOOK_H

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Hooks/SecondOrStepTimer.h"
#include "runtime/Session/SessionRunHook.h"

namespace ingot {

/// Takes the place of CheckpointSaverHook in a program without variables.
/// Writes neither checkpoints nor state files, but only the meta graphs that
/// would lie beside the checkpoints, as TensorFlow's Saver does.
class MetaGraphSaverHook final : public SessionRunHook {
public:
  MetaGraphSaverHook(CheckpointManager &checkpoints, SecondOrStepTimer timer)
      : checkpoints(checkpoints), timer(std::move(timer)) {}

  const char *name() const override { return "EmptySaver"; }
  HookPriority priority() const override { return HookPriority::Saver; }
  Status afterCreateSession(SessionRunContext &context) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;
  Status end(SessionRunContext &context) override;

private:
  Status write(const SessionRunContext &context);

  CheckpointManager &checkpoints;
  SecondOrStepTimer timer;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_METAGRAPHSAVERHOOK_H
