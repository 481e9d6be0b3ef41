//===- IterationHook.h - Ends AdaNet's iterations ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANET_ITERATIONHOOK_H
#define INGOT_RUNTIME_ADANET_ITERATIONHOOK_H

#include "runtime/AdaNet/IterationEnd.h"
#include "runtime/Hooks/CheckpointSaverListener.h"

#include <map>

namespace ingot::adanet {

/// Stops when every new member has been trained for as long as an iteration
/// lasts: AdaNet's stop after the iteration.
class IterationHook final : public SessionRunHook {
public:
  explicit IterationHook(std::shared_ptr<IterationEnd> end)
      : iterationEnd(std::move(end)) {}

  const char *name() const override { return "AdaNetIteration"; }
  HookPriority priority() const override { return HookPriority::Control; }
  Status afterCreateSession(RunContext &context) override;
  Status afterRun(RunContext &context, const RunValues &values) override;
  Status beforeRecovery() override {
    iterationEnd->forgetStops();
    return Status::ok();
  }
  /// Why members and ensembles have stopped before their time.
  Expected<std::string> saveState() override {
    return iterationEnd->saveStops();
  }
  Status restoreState(std::string_view state) override {
    return iterationEnd->restoreStops(state);
  }

private:
  std::shared_ptr<IterationEnd> iterationEnd;
};

/// Makes the step train only the members that are not done, by feeds of the
/// partial step, where the program has that entry. Members with an input of
/// their own are trained before it.
class PartialStepHook final : public SessionRunHook {
public:
  explicit PartialStepHook(std::shared_ptr<IterationEnd> end)
      : iterationEnd(std::move(end)) {}

  const char *name() const override { return "AdaNetTrainSome"; }
  /// After the hooks that restore iterators' positions.
  HookPriority priority() const override { return HookPriority::Watch; }
  Status afterCreateSession(RunContext &context) override;
  Status beforeRun(RunContext &context, RunRequest &request) override;

private:
  std::shared_ptr<IterationEnd> iterationEnd;
  /// The train ops of members with an input of their own, by their names.
  std::map<std::string, BoundEntry> apart;
  /// Feeds of the partial step: whether to train each member.
  std::map<std::string, bool> trains;
};

/// Restores the state of finished members after each step, where the program
/// has no partial step; before checkpoints are saved and before the global step
/// is computed.
class RestoreDoneHook final : public SessionRunHook {
public:
  explicit RestoreDoneHook(std::shared_ptr<IterationEnd> end)
      : iterationEnd(std::move(end)) {}

  const char *name() const override { return "AdaNetKeepDone"; }
  HookPriority priority() const override { return HookPriority::Control; }
  Status afterCreateSession(RunContext &context) override;
  /// Keeps the state of members that have finished since the last step.
  Status beforeRun(RunContext &context, RunRequest &request) override;
  Status beforeAfterStep(RunContext &context) override;

private:
  std::shared_ptr<IterationEnd> iterationEnd;
  /// By finished member: its variables, and their values.
  std::map<std::string, std::vector<std::pair<uint32_t, std::string>>> kept;
};

/// Writes markers and architecture once the last step is saved: a marker
/// without its checkpoint would end training at once after a crash between the
/// two.
class MarkerListener final : public CheckpointSaverListener {
public:
  explicit MarkerListener(std::shared_ptr<IterationEnd> end)
      : iterationEnd(std::move(end)) {}
  Status end(RunContext &context, int64_t step) override {
    if (context.inputHasEnded())
      iterationEnd->endIterationByInput(context.session.context());
    return iterationEnd->end(context.session.context(), step);
  }

private:
  std::shared_ptr<IterationEnd> iterationEnd;
};

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_ITERATIONHOOK_H
