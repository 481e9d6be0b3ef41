//===- IterationCompletion.h - Ends of AdaNet's iterations ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANET_ITERATIONCOMPLETION_H
#define INGOT_RUNTIME_ADANET_ITERATIONCOMPLETION_H

#include "runtime/AdaNet/EnsembleSelection.h"
#include "runtime/AdaNet/Iteration.h"
#include "runtime/AdaNet/TrainingDoneMarkers.h"
#include "runtime/Session/SessionLogger.h"

#include <map>

namespace ingot::adanet {

/// Tracks which members and ensembles of an iteration are done (no longer
/// trained) and why, and selects the best ensemble at the end of the iteration.
/// The hooks and the checkpoint listener of a training run share one object.
class IterationCompletion {
public:
  struct IterationCompletionOptions {
    /// The number of steps after which a member is done. -1 stands for the
    /// largest number of steps that a member of an earlier iteration has made.
    int64_t maxSteps = -1;
    /// When the run (not the iteration) ends: at the global step `lastStep`, or
    /// after `steps` steps of this run. -1 means that there is no such limit.
    int64_t lastStep = -1, steps = -1;
    /// If true, the previous ensemble cannot be selected again (--force-grow).
    bool forcesGrowth = false;
    /// For each iteration, the index of the candidate that it selects
    /// (--replay-indices, AN-226). Iterations beyond the end of the vector
    /// select by loss.
    std::vector<int64_t> replayIndices;
    Evaluator evaluator;
    /// Called with the selected ensemble before the architecture file is
    /// written. May be null.
    std::function<Status(const EnsembleSelection &)> report;
    /// If true, the end of the training input also ends the iteration, so an
    /// ensemble is selected. If false, it ends only the run (AN-026).
    bool inputEndsIteration = false;
    bool writes = true; // whether this process may write to the model directory
    /// Broadcasts the text of rank 0 to all ranks that train the iteration
    /// together. As this is a collective operation, all of these ranks must
    /// call it the same number of times. Null if only one process trains the
    /// iteration.
    std::function<Expected<std::string>(std::string)> share;
    /// Whether this process is a rank other than rank 0. Only rank 0 reads the
    /// model directory, and sends the other ranks what they need.
    bool follows = false;
  };
  IterationCompletion(Iteration theIteration, FileSystem &fileSystem,
                      const std::string &modelDirectory,
                      const IterationCompletionOptions &options,
                      SessionLogger &reporter)
      : iteration(std::move(theIteration)), fileSystem(fileSystem),
        directory(modelDirectory),
        markers(fileSystem, modelDirectory, iteration.number), options(options),
        reporter(reporter) {}

  /// Finds out which members and ensembles are done, from their marker files
  /// and step counters. Returns true if all members are done, that is, if the
  /// iteration has ended. Returns Unimplemented if only some members are done
  /// and the program cannot train the others alone.
  Expected<bool> begin(const ingot_context &context, int64_t globalStep);
  /// Returns true if the member or ensemble named `spec` is no longer trained.
  bool isDone(const std::string &spec) const { return done.count(spec) != 0; }
  /// specs() returns the names of all members and ensembles that this iteration
  /// adds. isAnyDone() returns whether any of them is no longer trained.
  std::vector<std::string> specs() const;
  bool isAnyDone() const;
  /// Returns true if the member or ensemble named `spec` was dropped: it is
  /// neither trained further nor selected.
  bool isDropped(const std::string &spec) const;
  /// Returns the number of steps for which `spec` has been trained.
  int64_t stepsOf(const ingot_context &context,
                  const MemberOrEnsemble &spec) const;
  /// Stops the training of the member or ensemble `spec`. Its marker file will
  /// contain `message`.
  void stop(const std::string &spec, std::string message);
  /// Drops the member or ensemble `spec`, and each ensemble that contains the
  /// member, from training and selection (AN-138). `why` and, if known, the
  /// last finite moving average of the loss (from `averages`, keyed by
  /// ensemble) go into the message of the marker file.
  void drop(const std::string &spec, int64_t steps, std::string why,
            const std::map<std::string, float> &averages);
  /// Returns FailedPrecondition, with the reason for each, if all ensembles
  /// that could be selected have been dropped.
  Status checkCandidates() const;
  /// Must be called when the training input has ended. If
  /// `options.inputEndsIteration` is set, marks all members and ensembles as
  /// done, unless none of them has made a step yet (AN-026).
  void endIterationByInput(const ingot_context &context);
  /// Marks `member` as done because its own input pipeline has ended (AN-111,
  /// 233). `status` is the OutOfRange error of its entry.
  void endInput(const std::string &member, const Status &status);
  /// Called after each step. Marks the members and ensembles that have reached
  /// their number of steps as done. Returns true if all members are done now,
  /// so the iteration has ended.
  bool look(const ingot_context &context);
  /// Writes the file with the order of members and candidates
  /// (IterationMemberAndCandidateNames.h). Called before each save, since
  /// readers of the checkpoint need that file.
  Status recordOrder() const;
  /// Writes the marker files of members and ensembles that have made all their
  /// steps. Called before the checkpoint with these steps is saved. If a crash
  /// prevents the save, begin() removes the markers, which are newer than the
  /// last checkpoint (AN-113).
  Status mark() const;
  /// Writes the marker files of all members and ensembles that are done. If the
  /// iteration has ended, and the run has not reached its own last step, also
  /// selects the ensemble and writes the architecture file.
  Status end(const ingot_context &context, int64_t globalStep);

  /// Returns the members and ensembles that were stopped or dropped early, one
  /// "NAME MESSAGE" per line, as the state that the hook saves in checkpoints;
  /// "" if there are none. restoreStops() reads it.
  std::string saveStops() const;
  Status restoreStops(std::string_view state);
  void forgetStops() { stops.clear(); }

  const Iteration iteration;

private:
  std::map<std::string, std::string> dropped() const;
  bool hasPartialStep(const ingot_program &program) const;
  bool isStale(const EnsembleArchitecture &there, int64_t globalStep) const;
  Status takeUp(const ingot_context &context, const MemberOrEnsemble &spec);
  Status findDone(const ingot_context &context, int64_t globalStep);
  /// Returns true if any member or ensemble of this iteration has made a step.
  bool hasAnyStep(const ingot_context &context) const;
  Status forgetUntrainedEnd(const ingot_context &context, int64_t globalStep);
  void findLimit(const ingot_context &context);
  bool isOver() const;
  Status select(const ingot_context &context, int64_t globalStep);

  FileSystem &fileSystem;
  std::string directory;
  TrainingDoneMarkers markers;
  IterationCompletionOptions options;
  int64_t limit = -1, firstStep = 0;
  SessionLogger &reporter;
  /// `done` has the reason why a member or ensemble is no longer trained;
  /// `stops` has only those reasons that marker files and step counters may not
  /// show yet, so checkpoints must save them. Keyed by the name of the member
  /// or ensemble.
  std::map<std::string, std::string> done, stops;
};

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_ITERATIONCOMPLETION_H
