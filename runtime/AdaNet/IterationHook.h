//===- IterationHook.h - Ends AdaNet's iterations ---------------*- C++ -*-===//
#ifndef INGOT_RUNTIME_ADANET_ITERATIONHOOK_H
#define INGOT_RUNTIME_ADANET_ITERATIONHOOK_H

#include "runtime/AdaNet/DoneMarkers.h"
#include "runtime/AdaNet/Iteration.h"
#include "runtime/Hooks/CheckpointSaverListener.h"
#include "runtime/Session/Reporter.h"

#include <map>

namespace ingot::adanet {

/// What the hook and the saver's listener share: which members are done.
class IterationEnd {
public:
  /// `maxSteps`: of each member; -1: as many as earlier iterations took.
  IterationEnd(Iteration iteration, FileSystem &fileSystem,
               const std::string &modelDirectory, int64_t maxSteps, bool writes,
               Reporter &reporter)
      : iteration(std::move(iteration)),
        markers(fileSystem, modelDirectory, this->iteration.number),
        maxSteps(maxSteps), writes(writes), reporter(reporter) {}

  /// Takes up what markers and counters say; true where the iteration is over.
  Expected<bool> begin(const ingot_context &context);
  /// Likewise after a step.
  bool look(const ingot_context &context);
  /// Writes the markers of what is done.
  Status writeMarkers();

private:
  int64_t stepsOf(const ingot_context &context, const Spec &spec) const;
  Status takeUp(const ingot_context &context, const Spec &spec);
  void findLimit(const ingot_context &context);
  bool isOver() const;

  Iteration iteration;
  DoneMarkers markers;
  int64_t maxSteps, limit = -1;
  bool writes;
  Reporter &reporter;
  /// By the name of a member or ensemble: why it is done.
  std::map<std::string, std::string> done;
};

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

private:
  std::shared_ptr<IterationEnd> iterationEnd;
};

/// Writes the markers once the last step is saved: a marker that is older than
/// its checkpoint would end training at once after a crash between the two.
class MarkerListener final : public CheckpointSaverListener {
public:
  explicit MarkerListener(std::shared_ptr<IterationEnd> end)
      : iterationEnd(std::move(end)) {}
  Status end(RunContext &, int64_t) override {
    return iterationEnd->writeMarkers();
  }

private:
  std::shared_ptr<IterationEnd> iterationEnd;
};

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_ITERATIONHOOK_H
