//===- TrainCommand.cpp - trainer train -----------------------------------===//

#include "runtime/CommandLine/TrainCommand.h"

#include "runtime/AdaNet/Growth.h"
#include "runtime/AdaNet/Iteration.h"
#include "runtime/AdaNet/Placement.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/CommandLine/Hints.h"
#include "runtime/CommandLine/ModelDirectory.h"
#include "runtime/CommandLine/TrainHooks.h"
#include "runtime/CommandLine/TrainerMain.h"
#include "runtime/Session/StopSignals.h"
#include "runtime/Session/TrainingLoop.h"

#include <csignal>

using namespace ingot;

/// Finds out before training whether checkpoints can be written at all.
static Status checkWritable(FileSystem &fileSystem,
                            const std::string &directory) {
  INGOT_RETURN_IF_ERROR(fileSystem.createDirectories(directory));
  // Of one name, so that the next run removes what a kill leaves: an empty
  // file. Whatever else lies there is somebody's.
  std::string probe = directory + "/.ingot-writable";
  if (FileKind kind = fileSystem.kindOf(probe); kind != FileKind::None) {
    auto left = fileSystem.openForReading(probe);
    if (kind != FileKind::Regular || (left && (*left)->size() != 0))
      probe += "-" + newSaveId();
  }
  // Another process, started at the same time, may have made or removed it.
  auto isElses = [](const Status &status) {
    return status.code() == StatusCode::NotFound ||
           status.code() == StatusCode::AlreadyExists;
  };
  Expected<std::unique_ptr<WritableFile>> file =
      createTemporary(fileSystem, probe);
  if (!file)
    return isElses(file.status()) ? Status::ok() : file.takeStatus();
  INGOT_RETURN_IF_ERROR((*file)->close());
  Status status = fileSystem.remove(probe);
  return isElses(status) ? Status::ok() : std::move(status);
}

/// What the end of a run is to the process that started it.
static int exitCode(const Command &command, Status status,
                    const SessionManager &manager, const Session &session,
                    bool saves) {
  // It has ended the run as if its last step had come.
  if (status.isOk() && !command.console.logStatus().isOk())
    return command.fail(command.console.logStatus().withContext(
        "stopped at step " + std::to_string(session.globalStep()) +
        (saves ? ", which is saved" : "")));
  int signal = StopSignals::caught();
  if (status.code() == StatusCode::Cancelled && signal != 0)
    command.console.note(status.message());
  else if (!status.isOk())
    return failSession(command, status, manager.failedOnCheckpoint(),
                       /*verbRestores=*/true);
  else if (signal != 0)
    command.console.note(std::string("stopped by ") +
                         (signal == SIGINT ? "SIGINT" : "SIGTERM") +
                         " at step " + std::to_string(session.globalStep()) +
                         (saves ? ", which is saved" : ""));
  return signal != 0 ? ExitSignal + signal : ExitDone;
}

int ingot::runTraining(Command &command, TrainOptions &options) {
  // The reader of the log may leave; training goes on.
  (void)std::signal(SIGPIPE, SIG_IGN);
  StopSignals signals;
  const Cluster &cluster = options.source.cluster;
  if (Status status = loadInitFeeds(command, options); !status.isOk())
    return command.fail(status);
  auto session = Session::create(command.program, options.session);
  if (!session)
    return command.fail(session.status());
  std::unique_ptr<FileLock> lock;
  if (cluster.isChief()) {
    if (Status status =
            checkWritable(command.fileSystem, options.modelDirectory);
        !status.isOk())
      return command.fail(status);
    auto held = lockModelDirectory(command, options.modelDirectory);
    if (!held)
      return command.fail(held.status());
    lock = std::move(*held);
    adanet::GrowthOptions growth;
    growth.continuesInput = options.continuesInput;
    if (Status status = adanet::growIfDue(
            command.program, options.session, command.fileSystem,
            options.checkpoints, growth, command.console);
        !status.isOk())
      return command.fail(status, ExitNoCheckpoint);
  } else if (adanet::processesOf(command.program) == 1) {
    command.console.note("processes share no variables: what " +
                         cluster.self() +
                         " trains is not in the chief's checkpoints");
  }

  CheckpointManager checkpoints(command.fileSystem, options.checkpoints);
  options.source.checkpoints = &checkpoints;
  options.source.check =
      adanet::iterationCheck(command.program, command.fileSystem);
  SessionManager manager(options.source, command.console);
  TrainingLoop loop(**session, manager, *options.step);
  if (Status status = addTrainHooks(loop, command, options, checkpoints);
      !status.isOk())
    return exitCode(command, status, manager, **session, false);
  return exitCode(command, loop.run(), manager, **session, cluster.isChief());
}

static int runTrain(Command &command) {
  TrainOptions options;
  if (auto error = readTrainOptions(command, options))
    return command.usage(*error);
  command.console.setQuiet(options.quiet);
  if (options.source.cluster.isEvaluator())
    return command.usage({"TF_CONFIG: this process is an evaluator",
                          "start it with evaluate or train-and-evaluate"});
  return runTraining(command, options);
}

const Verb ingot::trainVerb = {
    "train",
    "--model-dir DIR [--max-steps N | --steps N] [FLAGS]",
    "trains, from the newest checkpoint of the model folder where it has one",
    "--model-dir run --max-steps 10000",
    trainFlagSpecs(),
    runTrain,
};
