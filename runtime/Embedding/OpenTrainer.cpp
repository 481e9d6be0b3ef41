//===- OpenTrainer.cpp - Flags of a program that embeds a trainer ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/ErrorHints.h"
#include "runtime/CommandLine/ModelDirectory.h"
#include "runtime/CommandLine/TrainerExtension.h"
#include "runtime/CommandLine/Verbs/MemoryLimit.h"
#include "runtime/Embedding/CallerFeedsHook.h"
#include "runtime/Embedding/Trainer.h"

using namespace ingot;
using namespace ingot::embedding;

/// Flags of the verb `run` that a read-only trainer accepts: where to find the
/// checkpoint and the input, the seed, the threads and the device.
static constexpr FlagSpec ownReaderFlags[] = {
    {"--model-dir", "DIR", ""}, {"--checkpoint", "PREFIX", ""},
    {"--data-dir", "DIR", ""},  {"--data-map", "FROM=TO", "", true},
    {"--seed", "N", ""},        {"--threads", "N", ""},
    {"--device", "NAME", ""},
};
/// Flags of `train` that a read-only trainer accepts as well.
static constexpr FlagSpec waitFlags[] = {
    {"--wait-for-checkpoint", nullptr, ""},
    {"--max-wait-secs", "S|inf", ""},
    {"--recovery-wait-secs", "S", ""},
};
static constexpr auto readerFlags =
    joinFlags(ownReaderFlags, directoryFlags, waitFlags);

/// Flags of the verb `train` that a trainer in a library rejects, each with the
/// reason that the error message states.
static constexpr struct {
  const char *name, *why;
} processFlags[] = {
    {"--hook", "run your own code between steps"},
    {"--watchdog-secs", "a watchdog would end the process"},
    {"--quiet", "all messages go to options.log"},
    {"--log-format", "options.log gets each message as text"},
    {"--help", "it prints to standard output"},
};

static Status usage(const UsageError &error) {
  return Status(StatusCode::InvalidArgument,
                error.message + (error.hint.empty() ? "" : "\n" + error.hint));
}

Status Trainer::open() {
  INGOT_RETURN_IF_ERROR(checkProgram(command.program));
  INGOT_RETURN_IF_ERROR(readFlags());
  return given.readOnly ? openReader() : openRun();
}

/// Calls the caller's init function. During the call, the trainer has a session
/// but no training loop yet, so the function must not run training steps.
Status Trainer::callInitFunction() {
  isInitializing = true;
  Status status = given.initFunction();
  isInitializing = false;
  last = nullptr;
  return std::move(status).withContext("the init function");
}

/// Parses the flags in options.flags, with options.model_dir as --model-dir.
/// Returns a usage error for flags that a library does not accept.
Status Trainer::readFlags() {
  std::vector<std::string> texts = given.flags;
  for (const std::string &text : texts) {
    if (text == "--model-dir" || text.starts_with("--model-dir="))
      return usage(
          {"--model-dir is not for libraries: set options.model_dir", ""});
    for (auto [name, why] : processFlags)
      if (text == name || text.starts_with(std::string(name) + "="))
        return usage({std::string(name) + " is not for libraries: " + why, ""});
  }
  if (!given.modelDirectory.empty())
    texts.push_back("--model-dir=" + given.modelDirectory);
  std::vector<char *> arguments;
  for (std::string &text : texts)
    arguments.push_back(text.data());
  auto error =
      given.readOnly
          ? parseFlags(readerFlags, arguments, command.flags)
          : parseFlags(flagsOf(command.program, "train", trainFlagSpecs()),
                       arguments, command.flags);
  if (!error && given.readOnly && !command.flags.positionals().empty())
    error = UsageError{"unexpected argument '" +
                           command.flags.positionals().front() + "'",
                       ""};
  return error ? usage(*error) : Status::ok();
}

Status Trainer::openRun() {
  if (given.modelDirectory.empty())
    return usage({"options.model_dir is missing: it names the folder of "
                  "checkpoints and summaries",
                  "set options.read_only to keep nothing"});
  if (auto error = readTrainOptions(command, options))
    return usage(*error);
  if (auto error = checkStopConditions(command, options))
    return usage(*error);
  if (auto error = checkMemory(command, options))
    return usage(*error);
  // The embedding program owns the terminal, so no progress bar is shown.
  options.quiet = true;
  if (given.initFunction)
    options.source.initFunction = [this](Session &) {
      return callInitFunction();
    };
  int exitCode = 0;
  INGOT_ASSIGN_OR_RETURN(training,
                         TrainingRun::open(command, options, exitCode));
  INGOT_RETURN_IF_ERROR(training->addHooks());
  auto own = std::make_unique<CallerFeedsHook>(*options.step);
  hook = own.get();
  TrainingLoop &loop = training->loop();
  loop.addHook(std::move(own));
  INGOT_RETURN_IF_ERROR(loop.begin());
  SessionManager &manager = training->manager();
  Status status = Status::ok();
  if (given.recovers) {
    auto recovered = manager.recover(training->session());
    if (recovered && !*recovered)
      return Status::ok();
    status = recovered ? loop.openPrepared() : recovered.takeStatus();
  } else {
    status = loop.open();
  }
  if (!status.isOk())
    return explain(std::move(status), manager.failedOnCheckpoint());
  isReady = true;
  return Status::ok();
}

Status Trainer::openReader() {
  std::optional<UsageError> error;
  readerOptions = readSessionOptions(command, error);
  folder = readModelDirectory(command, error);
  if (!error && command.flags.has("--checkpoint") &&
      !given.modelDirectory.empty())
    error = UsageError{"options.model_dir and --checkpoint exclude one another",
                       ""};
  waits.waitForCheckpoint = command.flags.has("--wait-for-checkpoint");
  waits.maxWaitSeconds = command.flags.getPositive(
      "--max-wait-secs", waits.maxWaitSeconds, error, /*allowsInfinity=*/true);
  waits.recoveryWaitSeconds = command.flags.getPositive(
      "--recovery-wait-secs", waits.recoveryWaitSeconds, error);
  if (error)
    return usage(*error);
  return prepareReader("");
}

/// Replaces `reader` by a new session with the values of `checkpoint` or, if
/// that is "", of the checkpoint that the options name.
Status Trainer::prepareReader(const std::string &checkpoint) {
  // Destroys the old session before the new one is created: memory may not
  // suffice for both.
  reader.reset();
  INGOT_ASSIGN_OR_RETURN(reader,
                         Session::create(command.program, readerOptions));
  CheckpointManager checkpoints(command.fileSystem, folder);
  SessionStateSource source = waits;
  source.checkpoint =
      checkpoint.empty() ? command.flags.get("--checkpoint") : checkpoint;
  if (source.checkpoint.empty() && !given.modelDirectory.empty()) {
    source.checkpoints = &checkpoints;
    source.mustRestore = true;
  }
  source.lazyIterators = true;
  source.restoreOptions.allowUnused = true;
  source.check = checkpointCheck(command.program, command.fileSystem);
  if (given.initFunction)
    source.initFunction = [this](Session &) { return callInitFunction(); };
  SessionManager manager(source, console);
  Status status = Status::ok();
  if (given.recovers && checkpoint.empty()) {
    auto recovered = manager.recover(*reader);
    isReady = recovered && *recovered;
    status = recovered.takeStatus();
  } else {
    status = manager.prepare(*reader);
    isReady = status.isOk();
  }
  return status.isOk()
             ? std::move(status)
             : explain(std::move(status), manager.failedOnCheckpoint());
}
