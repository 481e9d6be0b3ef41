//===- AdaNetTrainingRunExtension.cpp - A search's part of a training run -===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNetTrainer/AdaNetTrainingRunExtension.h"

#include "runtime/AdaNet/AdaNetSummariesHook.h"
#include "runtime/AdaNet/FeatureRangeLoggingHook.h"
#include "runtime/AdaNet/Growth.h"
#include "runtime/AdaNet/IterationEndHook.h"
#include "runtime/AdaNet/LossMonitorHook.h"
#include "runtime/AdaNet/MemberLosses.h"
#include "runtime/AdaNet/Placement.h"
#include "runtime/AdaNetTrainer/AdaNetEvaluator.h"
#include "runtime/CommandLine/Verbs/TrainOptions.h"
#include "runtime/Summary/EventFiles.h"

#include <cstdio>
#include <ctime>

using namespace ingot;

static double secondsNow() {
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Whether this process is one of several ranks, and not the first of them.
static bool isFollower(const TrainOptions &options) {
  return options.source.ranks && !options.source.ranks->isFirst();
}

/// Returns the function that broadcasts a text of rank 0 to all ranks; null if
/// this process trains alone.
static std::function<Expected<std::string>(std::string)>
shareOf(const TrainOptions &options) {
  RankGroup *ranks = options.source.ranks;
  if (!ranks)
    return nullptr;
  return [ranks](std::string text) { return ranks->share(std::move(text)); };
}

Status AdaNetTrainingRunExtension::takeDirectory(const CommandContext &command,
                                                 const TrainOptions &options) {
  adanet::NextIterationCheckpointOptions growth;
  if (own.continuesInput)
    growth.input = adanet::InputPositionPolicy::Continue;
  else if (own.restartsInput)
    growth.input = adanet::InputPositionPolicy::Restart;
  return adanet::growIfDue(command.program, options.session, command.fileSystem,
                           options.checkpoints, growth, command.console);
}

Expected<std::shared_ptr<adanet::IterationCompletion>>
AdaNetTrainingRunExtension::makeIterationEnd(
    const CommandContext &command, const TrainOptions &options) const {
  auto iteration = adanet::findIteration(command.program);
  if (!iteration)
    return Status(
        StatusCode::FailedPrecondition,
        "this program was linked with Ingot's AdaNet runtime, but has "
        "no variable of an AdaNet iteration: compile the graph again");
  adanet::IterationCompletion::IterationCompletionOptions ends;
  ends.maxSteps = own.maxIterationSteps;
  ends.lastStep = options.maxSteps;
  ends.steps = options.steps;
  ends.forcesGrowth = own.forcesGrowth;
  ends.replayIndices = own.replay;
  ends.inputEndsIteration = own.inputEndsIteration;
  ends.writes = options.source.saves();
  ends.share = shareOf(options);
  ends.follows = isFollower(options);
  // Only the process that writes to the model directory evaluates candidates,
  // selects an ensemble and writes reports.
  if (!ends.follows) {
    INGOT_ASSIGN_OR_RETURN(ends.evaluator,
                           makeEvaluator(command, options, own));
    INGOT_ASSIGN_OR_RETURN(ends.report, makeReporter(command, options, own));
  }
  return std::make_shared<adanet::IterationCompletion>(
      std::move(*iteration), command.fileSystem, options.modelDirectory, ends,
      command.console);
}

/// If the program was compiled for several processes that share the members of
/// an iteration, adds the hook by which workers pass the members' variables to
/// the chief (AN-121 to 128). Returns true if it has added the hook; returns
/// FailedPrecondition if TF_CONFIG has another number of processes.
Expected<bool>
AdaNetTrainingRunExtension::addPlacement(TrainingLoop &loop,
                                         const CommandContext &command,
                                         const TrainOptions &options) const {
  const ProcessCluster &cluster = options.source.cluster;
  int64_t processes = adanet::processesOf(command.program);
  auto all = static_cast<int64_t>(cluster.numWorkers());
  if (processes == 1 || all == 1)
    return false;
  if (processes != all)
    return Status(StatusCode::FailedPrecondition,
                  "this program was compiled for " + std::to_string(processes) +
                      " processes, but TF_CONFIG has " + std::to_string(all) +
                      " chief and worker tasks: compile it with --processes=" +
                      std::to_string(all));
  adanet::PlacementOptions placement;
  placement.modelDirectory = options.modelDirectory;
  placement.place = adanet::placeOf(cluster);
  placement.timeoutSeconds = options.source.maxWaitSeconds;
  placement.maxSteps = own.maxIterationSteps;
  if (cluster.isChief())
    loop.addHook(std::make_unique<adanet::ChiefMemberPlacementHook>(
        placement, iterationEnd, command.program, command.fileSystem,
        command.console));
  else
    loop.addHook(std::make_unique<adanet::WorkerMemberPlacementHook>(
        placement, command.program, command.fileSystem, command.console));
  return true;
}

Status AdaNetTrainingRunExtension::addHooks(TrainingLoop &loop,
                                            const CommandContext &command,
                                            const TrainOptions &options) {
  INGOT_ASSIGN_OR_RETURN(iterationEnd, makeIterationEnd(command, options));
  INGOT_ASSIGN_OR_RETURN(bool isPlaced, addPlacement(loop, command, options));
  bool isChief = options.source.cluster.isChief();
  if (const ingot_entry *first =
          findEntry(command.program, INGOT_ROLE_FIRST_BATCH);
      first && isChief && !isFollower(options))
    loop.addHook(std::make_unique<adanet::FeatureRangeLoggingHook>(
        *first, command.console));
  // Only the chief ends the iteration, so workers need no further hooks.
  if (!isChief && isPlaced)
    return Status::ok();
  // LossMonitorHook must run before the hook that ends the run because of a
  // NaN, so that it can report and drop the diverged member first.
  adanet::LossMonitorHook::LossMonitorOptions watch = own.watch;
  watch.share = shareOf(options);
  loop.addHook(std::make_unique<adanet::LossMonitorHook>(
      iterationEnd, std::move(watch), secondsNow, command.console));
  loop.addHook(std::make_unique<adanet::IterationEndHook>(iterationEnd));
  loop.addHook(
      std::make_unique<adanet::FreezeFinishedMembersHook>(iterationEnd));
  if (!isPlaced)
    loop.addHook(
        std::make_unique<adanet::TrainUnfinishedMembersHook>(iterationEnd));
  return Status::ok();
}

std::unique_ptr<SessionRunHook> AdaNetTrainingRunExtension::makeSummaryHook(
    const CommandContext &command, const TrainOptions &options,
    SecondOrStepTimer timer, std::function<EventWriter *()> events) {
  auto hook = std::make_unique<adanet::AdaNetSummariesHook>(
      command.fileSystem, options.modelDirectory, systemClock(), timer,
      std::move(events), *options.step);
  if (own.noEnsembleSummaries)
    hook->leaveOut("ensemble/");
  if (own.noSubnetworkSummaries)
    hook->leaveOut("subnetwork/");
  return hook->isNeeded() ? std::move(hook) : nullptr;
}

std::shared_ptr<CheckpointSaverListener>
AdaNetTrainingRunExtension::makeSaverListener() {
  return std::make_shared<adanet::TrainingDoneMarkerWriter>(iterationEnd);
}

/// Returns text for the progress line: the number of the iteration and the
/// moving average of each candidate's loss.
std::string
AdaNetTrainingRunExtension::describeProgress(SessionRunContext &context) const {
  const ingot_context &state = context.session.context();
  const adanet::Iteration &iteration = iterationEnd->iteration;
  std::string text = "  iteration " + std::to_string(iteration.number);
  for (const adanet::MemberOrEnsemble &ensemble : iteration.ensembles) {
    auto average = adanet::averageOf(state, ensemble.name);
    if (!average || iterationEnd->isDropped(ensemble.name))
      continue;
    auto known = adanet::parseEnsembleName(ensemble.name, iteration, nullptr);
    char number[40];
    std::snprintf(number, sizeof(number), " %.4g",
                  static_cast<double>(*average));
    text += "  " + (known ? known->candidate : ensemble.name) + number;
  }
  return text;
}
