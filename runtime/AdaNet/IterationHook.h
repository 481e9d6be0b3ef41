//===- IterationHook.h - Ends AdaNet's iterations ---------------*- C++ -*-===//
#ifndef INGOT_RUNTIME_ADANET_ITERATIONHOOK_H
#define INGOT_RUNTIME_ADANET_ITERATIONHOOK_H

#include "runtime/AdaNet/DoneMarkers.h"
#include "runtime/AdaNet/Iteration.h"
#include "runtime/AdaNet/Selection.h"
#include "runtime/Hooks/CheckpointSaverListener.h"
#include "runtime/Session/Reporter.h"

#include <map>

namespace ingot::adanet {

/// What the hook and the saver's listener share: which members are done.
class IterationEnd {
public:
  struct Options {
    /// Of each member; -1: as many as earlier iterations took.
    int64_t maxSteps = -1;
    /// Where the run ends: a global step, or so many steps; -1: it does not.
    int64_t lastStep = -1, steps = -1;
    /// The ensemble that was left is none of the candidates to select from.
    bool forcesGrowth = false;
    bool writes = true; // this process writes the model directory
  };
  IterationEnd(Iteration iteration, FileSystem &fileSystem,
               const std::string &modelDirectory, const Options &options,
               Reporter &reporter)
      : iteration(std::move(iteration)), fileSystem(fileSystem),
        directory(modelDirectory),
        markers(fileSystem, modelDirectory, this->iteration.number),
        options(options), reporter(reporter) {}

  /// Takes up what markers and counters say; true where the iteration is over.
  /// Unimplemented where some members are done and the program has no entry
  /// that trains the others alone.
  Expected<bool> begin(const ingot_context &context, int64_t globalStep);
  /// Whether a member or ensemble is not to be trained further.
  bool isDone(const std::string &spec) const { return done.count(spec) != 0; }
  /// New members and ensembles, and whether one of them is done.
  std::vector<std::string> specs() const;
  bool someAreDone() const;
  /// AN-111, 233: the member's own input has ended.
  void endInput(const std::string &member, const Status &status);
  /// Likewise after a step.
  bool look(const ingot_context &context);
  /// Writes the markers of what is done; and, where the iteration is over and
  /// the run is not, which ensemble it leaves.
  Status end(const ingot_context &context, int64_t globalStep);

private:
  int64_t stepsOf(const ingot_context &context, const Spec &spec) const;
  Status takeUp(const ingot_context &context, const Spec &spec);
  void findLimit(const ingot_context &context);
  bool isOver() const;
  Status select(const ingot_context &context, int64_t globalStep);

  Iteration iteration;
  FileSystem &fileSystem;
  std::string directory;
  DoneMarkers markers;
  Options options;
  int64_t limit = -1, firstStep = 0;
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

/// Has the step train what is not done, and trains members with an input of
/// their own in front of it.
class TrainSomeHook final : public SessionRunHook {
public:
  explicit TrainSomeHook(std::shared_ptr<IterationEnd> end)
      : iterationEnd(std::move(end)) {}

  const char *name() const override { return "AdaNetTrainSome"; }
  /// Behind what sets inputs to where they stood.
  HookPriority priority() const override { return HookPriority::Watch; }
  Status afterCreateSession(RunContext &context) override;
  Status beforeRun(RunContext &context, RunRequest &request) override;

private:
  std::shared_ptr<IterationEnd> iterationEnd;
  /// The train ops of members with an input of their own, by their names.
  std::map<std::string, BoundEntry> apart;
  /// What is fed to the entry that trains some: whether to train it.
  std::map<std::string, bool> trains;
};

/// Writes markers and architecture once the last step is saved: a marker
/// without its checkpoint would end training at once after a crash between the
/// two.
class MarkerListener final : public CheckpointSaverListener {
public:
  explicit MarkerListener(std::shared_ptr<IterationEnd> end)
      : iterationEnd(std::move(end)) {}
  Status end(RunContext &context, int64_t step) override {
    return iterationEnd->end(context.session.context(), step);
  }

private:
  std::shared_ptr<IterationEnd> iterationEnd;
};

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_ITERATIONHOOK_H
