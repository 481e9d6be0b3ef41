//===- IterationEnd.h - Ends of AdaNet's iterations -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANET_ITERATIONEND_H
#define INGOT_RUNTIME_ADANET_ITERATIONEND_H

#include "runtime/AdaNet/DoneMarkers.h"
#include "runtime/AdaNet/Iteration.h"
#include "runtime/AdaNet/Selection.h"
#include "runtime/Session/Reporter.h"

#include <map>

namespace ingot::adanet {

/// Which members are done: state that hooks and the saver's listener share.
class IterationEnd {
public:
  struct Options {
    /// Steps of each member; -1: the number that earlier iterations took.
    int64_t maxSteps = -1;
    /// The end of the run: a global step, or a number of steps; -1: not set.
    int64_t lastStep = -1, steps = -1;
    /// The previous ensemble is not among the candidates to select from.
    bool forcesGrowth = false;
    /// AN-226: the candidate to select, by iteration; further ones are selected
    /// by their losses.
    std::vector<int64_t> replayIndices;
    Evaluator evaluator;
    /// Called when an ensemble is selected, before the architecture file is
    /// written; may be null.
    std::function<Status(const Selection &)> report;
    /// AN-026: the end of the input is the iteration's, not only the run's.
    bool inputEndsIteration = false;
    bool writes = true; // this process writes the model directory
  };
  IterationEnd(Iteration theIteration, FileSystem &fileSystem,
               const std::string &modelDirectory, const Options &options,
               Reporter &reporter)
      : iteration(std::move(theIteration)), fileSystem(fileSystem),
        directory(modelDirectory),
        markers(fileSystem, modelDirectory, iteration.number), options(options),
        reporter(reporter) {}

  /// Reads markers and counters; true where the iteration has ended.
  /// Unimplemented where some members are done and the program has no partial
  /// step for the others.
  Expected<bool> begin(const ingot_context &context, int64_t globalStep);
  /// Whether a member or ensemble is not to be trained further.
  bool isDone(const std::string &spec) const { return done.count(spec) != 0; }
  /// New members and ensembles, and whether one of them is done.
  std::vector<std::string> specs() const;
  bool isAnyDone() const;
  /// Whether it was dropped: its marker says so.
  bool isDropped(const std::string &spec) const;
  /// How many steps it has.
  int64_t stepsOf(const ingot_context &context, const Spec &spec) const;
  /// Trains `spec` no further; its marker will say `message`.
  void stop(const std::string &spec, std::string message);
  /// AN-138: leaves `spec` out, and each ensemble that it is a member of.
  /// `averages` are the last finite ones of ensembles, which markers keep.
  void drop(const std::string &spec, int64_t steps, std::string why,
            const std::map<std::string, float> &averages);
  /// FailedPrecondition, naming all, where every candidate was dropped.
  Status checkCandidates() const;
  /// AN-026: the input has ended. If that is to end the iteration, trains no
  /// member further, but leaves an iteration without a step open.
  void endIterationByInput(const ingot_context &context);
  /// AN-111, 233: the member's own input has ended.
  void endInput(const std::string &member, const Status &status);
  /// Likewise after a step.
  bool look(const ingot_context &context);
  /// Writes the markers of specs that have all their steps, before the
  /// checkpoint that contains those steps: a crash in between leaves markers
  /// without a checkpoint (AN-113), never an unmarked end.
  Status mark() const;
  /// Writes the markers of finished specs; and, if the iteration has ended
  /// before the run, its ensemble.
  Status end(const ingot_context &context, int64_t globalStep);

  /// The members that were stopped or dropped early, as hook state; "" for
  /// none.
  std::string saveStops() const;
  Status restoreStops(std::string_view state);
  void forgetStops() { stops.clear(); }

  const Iteration iteration;

private:
  std::map<std::string, std::string> dropped() const;
  bool hasPartialStep(const ingot_program &program) const;
  bool isStale(const Architecture &there, int64_t globalStep) const;
  Status takeUp(const ingot_context &context, const Spec &spec);
  /// Whether a member or ensemble has been trained in this iteration.
  bool hasAnyStep(const ingot_context &context) const;
  Status forgetUntrainedEnd(const ingot_context &context);
  void findLimit(const ingot_context &context);
  bool isOver() const;
  Status select(const ingot_context &context, int64_t globalStep);

  FileSystem &fileSystem;
  std::string directory;
  DoneMarkers markers;
  Options options;
  int64_t limit = -1, firstStep = 0;
  Reporter &reporter;
  /// By the name of a member or ensemble: why it is done; and of these, the
  /// reasons that neither counters nor markers tell yet.
  std::map<std::string, std::string> done, stops;
};

/// Excludes candidates that cannot be the best, in memory of `context` only:
/// their averages become infinite. These are candidates that markers in
/// `modelDirectory` say were dropped, and those that no step has trained, if
/// there is a previous ensemble. Does nothing for programs that are not
/// AdaNet's.
Status excludeCandidates(ingot_context &context, FileSystem &fileSystem,
                         const std::string &modelDirectory);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_ITERATIONEND_H
