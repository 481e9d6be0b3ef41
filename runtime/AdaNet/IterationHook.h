//===- IterationHook.h - Ends AdaNet's iterations ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANET_ITERATIONHOOK_H
#define INGOT_RUNTIME_ADANET_ITERATIONHOOK_H

#include "runtime/AdaNet/IterationEnd.h"
#include "runtime/Hooks/CheckpointSaverListener.h"

#include <map>

namespace ingot::adanet {

/// Ends the run when every new member has been trained for the number of steps
/// of an iteration, like the hook by which AdaNet stops after an iteration.
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
  /// Returns, as text for the checkpoint, which members and ensembles were
  /// stopped early, and why.
  Expected<std::string> saveState() override {
    return iterationEnd->saveStops();
  }
  Status restoreState(std::string_view state) override {
    return iterationEnd->restoreStops(state);
  }

private:
  std::shared_ptr<IterationEnd> iterationEnd;
};

/// Replaces the step by the partial step (if the program has this entry) once
/// some members are done, with a feed that says for each member whether to
/// train it. Before each step, also trains the members that have an input of
/// their own.
class PartialStepHook final : public SessionRunHook {
public:
  explicit PartialStepHook(std::shared_ptr<IterationEnd> end)
      : iterationEnd(std::move(end)) {}

  const char *name() const override { return "AdaNetTrainSome"; }
  /// Orders this hook after those that restore the positions of iterators,
  /// because its beforeRun() may draw elements.
  HookPriority priority() const override { return HookPriority::Watch; }
  Status afterCreateSession(RunContext &context) override;
  Status beforeRun(RunContext &context, RunRequest &request) override;

private:
  std::shared_ptr<IterationEnd> iterationEnd;
  /// The entries of role member_step, which train members that have an input of
  /// their own, keyed by the name of the member.
  std::map<std::string, BoundEntry> apart;
  /// The values of the feeds of the partial step: whether to train the member
  /// or ensemble, keyed by its name.
  std::map<std::string, bool> trains;
};

/// Keeps finished members unchanged if the program has no partial step: the
/// step still trains them, and this hook then writes their saved values back.
/// It does so before the global step is computed and before checkpoints are
/// saved.
class RestoreDoneHook final : public SessionRunHook {
public:
  explicit RestoreDoneHook(std::shared_ptr<IterationEnd> end)
      : iterationEnd(std::move(end)) {}

  const char *name() const override { return "AdaNetKeepDone"; }
  HookPriority priority() const override { return HookPriority::Control; }
  Status afterCreateSession(RunContext &context) override;
  /// Copies the variables of members and ensembles that have finished since the
  /// last step into `kept`.
  Status beforeRun(RunContext &context, RunRequest &request) override;
  Status beforeAfterStep(RunContext &context) override;

private:
  std::shared_ptr<IterationEnd> iterationEnd;
  /// The indices and values (bytes) of the variables to write back, keyed by
  /// the name of the finished member or ensemble.
  std::map<std::string, std::vector<std::pair<uint32_t, std::string>>> kept;
};

/// Writes marker files and the architecture file at the end of a run, after the
/// last checkpoint was saved. If they were written first, after a crash in
/// between the next run would take the iteration as done although its last
/// steps are lost.
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
