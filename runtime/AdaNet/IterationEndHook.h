//===- IterationEndHook.h - Ends AdaNet's iterations ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANET_ITERATIONENDHOOK_H
#define INGOT_RUNTIME_ADANET_ITERATIONENDHOOK_H

#include "runtime/AdaNet/IterationCompletion.h"
#include "runtime/Hooks/CheckpointSaverListener.h"
#include "runtime/Session/LookupTables.h"

#include <map>

namespace ingot::adanet {

/// Ends the run when every new member has been trained for the number of steps
/// of an iteration, like the hook by which AdaNet stops after an iteration.
class IterationEndHook final : public SessionRunHook {
public:
  explicit IterationEndHook(std::shared_ptr<IterationCompletion> end)
      : iterationEnd(std::move(end)) {}

  const char *name() const override { return "AdaNetIteration"; }
  HookPriority priority() const override { return HookPriority::Control; }
  Status afterCreateSession(SessionRunContext &context) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;
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
  std::shared_ptr<IterationCompletion> iterationEnd;
};

/// Trains only the members that are not done yet. Once a member is done, runs
/// the entry of role partial_step, if the program has one, instead of the step.
/// The feeds of that entry say which members to train. Before each step, also
/// runs the entries that train members with an input pipeline of their own.
class TrainUnfinishedMembersHook final : public SessionRunHook {
public:
  explicit TrainUnfinishedMembersHook(std::shared_ptr<IterationCompletion> end)
      : iterationEnd(std::move(end)) {}

  const char *name() const override { return "AdaNetTrainSome"; }
  /// Orders this hook after those that restore the positions of iterators,
  /// because its beforeRun() may draw elements.
  HookPriority priority() const override { return HookPriority::Watch; }
  Status afterCreateSession(SessionRunContext &context) override;
  Status beforeRun(SessionRunContext &context,
                   SessionRunArgs &request) override;

private:
  std::shared_ptr<IterationCompletion> iterationEnd;
  /// The entries of role member_step, which train members that have an input of
  /// their own, keyed by the name of the member.
  std::map<std::string, BoundEntryPoint> apart;
  /// The values of the feeds "trains/NAME" of the entry of role partial_step:
  /// whether to train member or ensemble NAME. Keyed by NAME.
  std::map<std::string, bool> trains;
};

/// Keeps the variables and lookup tables of finished members unchanged if the
/// program has no entry of role partial_step. The step then trains all members.
/// After it, this hook writes back the earlier contents of the finished
/// members' variables and tables, so that neither the global step nor a
/// checkpoint depends on how the step has changed them.
class FreezeFinishedMembersHook final : public SessionRunHook {
public:
  explicit FreezeFinishedMembersHook(std::shared_ptr<IterationCompletion> end)
      : iterationEnd(std::move(end)) {}

  const char *name() const override { return "AdaNetKeepDone"; }
  HookPriority priority() const override { return HookPriority::Control; }
  Status afterCreateSession(SessionRunContext &context) override;
  /// Copies the state of members and ensembles that have finished since the
  /// last step into `kept`.
  Status beforeRun(SessionRunContext &context,
                   SessionRunArgs &request) override;
  Status beforeAfterStep(SessionRunContext &context) override;

private:
  std::shared_ptr<IterationCompletion> iterationEnd;
  /// The state to write back: the values (bytes) of variables and the contents
  /// of lookup tables, each with its index.
  struct FinishedMemberState {
    std::vector<std::pair<uint32_t, std::string>> variables;
    std::vector<std::pair<uint32_t, std::vector<LookupTable::Entry>>> tables;
  };
  /// The contents to write back, keyed by the name of the finished member or
  /// ensemble.
  std::map<std::string, FinishedMemberState> kept;
};

/// Writes the marker files, which say that members and ensembles are done, and
/// the architecture file at the end of a run, after the last checkpoint. If
/// they were written first, and the process crashed before the checkpoint, the
/// next run would take the iteration as finished although its last steps are
/// lost.
class TrainingDoneMarkerWriter final : public CheckpointSaverListener {
public:
  explicit TrainingDoneMarkerWriter(std::shared_ptr<IterationCompletion> end)
      : iterationEnd(std::move(end)) {}
  Status beforeSave(SessionRunContext &context, int64_t step) override {
    return iterationEnd->recordOrder();
  }
  Status end(SessionRunContext &context, int64_t step) override {
    if (context.inputHasEnded())
      iterationEnd->endIterationByInput(context.session.context());
    return iterationEnd->end(context.session.context(), step);
  }

private:
  std::shared_ptr<IterationCompletion> iterationEnd;
};

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_ITERATIONENDHOOK_H
