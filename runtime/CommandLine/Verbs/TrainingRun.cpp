//===- TrainingRun.cpp - Session and loop of a training -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Verbs/TrainingRun.h"

#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/CommandLine/ModelDirectory.h"
#include "runtime/CommandLine/ProgramFile.h"
#include "runtime/CommandLine/TrainerMain.h"
#include "runtime/CommandLine/Verbs/TrainHooks.h"
#include "runtime/Hooks/CheckpointInputPipelineHook.h"
#include "runtime/Session/Context.h"
#include "runtime/Session/DeviceConnection.h"

using namespace ingot;

/// Checks, before training, that files can be written to `directory`.
static Status checkWritable(FileSystem &fileSystem,
                            const std::string &directory) {
  INGOT_RETURN_IF_ERROR(fileSystem.createDirectories(directory));
  // The probe always has the same name, so that the next run removes the probe
  // of a killed run. A probe is an empty file; any other file of this name is
  // left alone.
  std::string probe = directory + "/.ingot-writable";
  if (FileKind kind = fileSystem.kindOf(probe); kind != FileKind::None) {
    auto left = fileSystem.openForReading(probe);
    if (kind != FileKind::Regular || (left && (*left)->size() != 0))
      probe += "-" + newSaveId();
  }
  // A process that was started at the same time may have created or removed the
  // probe meanwhile. The resulting errors, AlreadyExists and NotFound, do not
  // mean that the directory cannot be written.
  auto isOtherVerbs = [](const Status &status) {
    return status.code() == StatusCode::NotFound ||
           status.code() == StatusCode::AlreadyExists;
  };
  Expected<std::unique_ptr<WritableFile>> file =
      createTemporary(fileSystem, probe);
  if (!file)
    return isOtherVerbs(file.status()) ? Status::ok() : file.takeStatus();
  INGOT_RETURN_IF_ERROR((*file)->close());
  Status status = fileSystem.remove(probe);
  return isOtherVerbs(status) ? Status::ok() : std::move(status);
}

Expected<std::unique_ptr<TrainingRun>>
TrainingRun::open(const CommandContext &command, TrainOptions &options,
                  int &exitCode) {
  exitCode = ExitFailed;
  INGOT_RETURN_IF_ERROR(loadInitFeeds(command, options));
  std::unique_ptr<TrainingRun> run(new TrainingRun(command, options));
  INGOT_RETURN_IF_ERROR(run->startMetrics());
  INGOT_ASSIGN_OR_RETURN(run->theSession,
                         Session::create(command.program, options.session));
  if (options.source.ranks)
    options.source.writes = options.source.saves();
  if (options.source.saves())
    INGOT_RETURN_IF_ERROR(run->takeDirectory(exitCode));
  run->shareSaves();
  run->shareVariables();
  run->shareEvaluations();
  INGOT_RETURN_IF_ERROR(run->connectDevices());
  run->checkpoints.emplace(command.fileSystem, options.checkpoints);
  options.source.checkpoints = &*run->checkpoints;
  options.source.check = checkpointCheck(command.program, command.fileSystem);
  options.source.inputHint = [&command, &options]() -> std::string {
    CheckpointManager inputs(
        command.fileSystem,
        inputCheckpoints(options.modelDirectory, options.source.cluster));
    auto latest = inputs.latestComplete();
    return latest && latest->found
               ? "; --checkpoint-input restores positions such as '" +
                     latest->found->prefix + "'"
               : "";
  };
  if (const TrainerExtension *extension = extensionOf(command.program))
    options.source.resetSearchProgress = [extension](ingot_context &context) {
      return extension->resetSearchProgress(context);
    };
  run->theManager.emplace(options.source, command.console);
  run->theLoop.emplace(*run->theSession, *run->theManager, *options.step);
  if (options.source.ranks)
    run->theLoop->trainWith(*options.source.ranks, run->deviceCollective.get());
  return run;
}

/// Returns the number of examples of a step, or 0 if it is unknown.
static int64_t batchOf(const ingot_program &program,
                       const TrainOptions &options) {
  if (options.batch > 0 || options.step->num_iterators == 0)
    return options.batch;
  const ingot_iterator &input = program.iterators[options.step->iterators[0]];
  return input.num_components > 0 && input.components[0].rank > 0
             ? std::max<int64_t>(input.components[0].dims[0], 0)
             : 0;
}

/// Starts the server of --metrics-port, on the first rank only.
Status TrainingRun::startMetrics() {
  if (options.metricsPort < 0 ||
      (options.source.ranks && !options.source.ranks->isFirst()))
    return Status::ok();
  INGOT_ASSIGN_OR_RETURN(
      metrics,
      MetricsServer::start(options.metricsHost,
                           static_cast<uint16_t>(options.metricsPort.get()),
                           batchOf(command.program, options), *options.status));
  command.console.note("metrics are on port " +
                       std::to_string(metrics->port()) + " of " +
                       options.metricsHost.get());
  return Status::ok();
}

/// Refuses to continue from checkpoints that another program has saved in the
/// model directory, unless a flag allows this. Variables of two programs may
/// have the same names by chance.
static Status refuseOtherProgram(const CommandContext &command,
                                 const TrainOptions &options) {
  if (options.allowOtherProgram || options.allowMissing ||
      options.allowUnused || options.reshapes || !options.checkpoint->empty())
    return Status::ok();
  std::string other = differenceOfPrograms(command, options.modelDirectory);
  if (other.empty())
    return Status::ok();
  CheckpointManager checkpoints(command.fileSystem, options.checkpoints);
  INGOT_ASSIGN_OR_RETURN(LatestCheckpoint latest, checkpoints.latestComplete());
  if (!latest.found)
    return Status::ok();
  return Status(StatusCode::FailedPrecondition,
                "another program has trained in '" + options.modelDirectory +
                    "' until step " +
                    std::to_string(latest.found->step.value_or(0)) + ": " +
                    other +
                    "; give another --model-dir, or --allow-other-program to "
                    "continue from its weights");
}

/// With --save-by-rank: makes each rank write one shard of each checkpoint.
void TrainingRun::shareSaves() {
  RankGroup *ranks = options.source.ranks;
  if (!ranks || !options.saveByRank.get())
    return;
  together.emplace(*ranks, *theSession);
  options.checkpoints.numShards = ranks->size();
  options.checkpoints.sharded = true;
  options.checkpoints.spread = false;
  options.checkpoints.others = &*together;
  options.distributedSave = &*together;
}

/// If ranks compute on devices: decides with the other ranks whether they
/// exchange gradients between the devices, and connects these.
Status TrainingRun::connectDevices() {
  RankGroup *ranks = options.source.ranks;
  DeviceSession *device = theSession->context().device.get();
  if (!ranks)
    return Status::ok();
  if (!device && options.exchangeThrough.get() == "nccl")
    return Status(
        StatusCode::InvalidArgument,
        "--exchange-through nccl: this run computes on the processor; "
        "set --device cuda, or leave the flag out");
  if (!device)
    return Status::ok();
  INGOT_ASSIGN_OR_RETURN(deviceCollective,
                         ingot::connectDevices(*ranks, *device,
                                               options.exchangeThrough,
                                               command.console));
  return Status::ok();
}

TrainingRun::~TrainingRun() {
  if (options.rankEvaluation)
    options.rankEvaluation->evaluations = nullptr;
}

/// If the run evaluates: makes all ranks take part.
void TrainingRun::shareEvaluations() {
  RankGroup *ranks = options.source.ranks;
  if (!ranks || !options.rankEvaluation)
    return;
  evaluations.emplace(*ranks, options.rankEvaluation->follow);
  options.rankEvaluation->evaluations = &*evaluations;
}

/// If the program divides variables among ranks: makes saves gather them.
void TrainingRun::shareVariables() {
  RankGroup *ranks = options.source.ranks;
  if (!ranks || !ShardedVariables::existIn(command.program))
    return;
  sharded.emplace(*ranks, theSession->context(), together.has_value());
  options.shardedVariables = &*sharded;
}

/// Locks the model directory, so that no other process writes there, and lets
/// the extension prepare it. On failure, stores the exit code in `exitCode`.
Status TrainingRun::takeDirectory(int &exitCode) {
  INGOT_RETURN_IF_ERROR(
      checkWritable(command.fileSystem, options.modelDirectory));
  INGOT_ASSIGN_OR_RETURN(lock,
                         lockModelDirectory(command, options.modelDirectory));
  exitCode = ExitNoCheckpoint;
  INGOT_RETURN_IF_ERROR(refuseOtherProgram(command, options));
  return options.extension ? options.extension->takeDirectory(command, options)
                           : Status::ok();
}

Status TrainingRun::addHooks() {
  return addTrainHooks(*theLoop, command, options, *checkpoints);
}
