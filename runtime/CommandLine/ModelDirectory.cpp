//===- ModelDirectory.cpp - A trainer's directory of checkpoints ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/ModelDirectory.h"

#include "runtime/ABI/Program.h"
#include "runtime/CommandLine/TrainerExtension.h"

#include <unistd.h>

using namespace ingot;

CheckpointManagerOptions ingot::modelDirectory(const ingot_program &program,
                                               std::string directory) {
  CheckpointManagerOptions options;
  while (directory.size() > 1 && directory.ends_with('/'))
    directory.pop_back();
  options.directory = std::move(directory);
  options.otherBasenames = {setBasename};
  if (const TrainerExtension *extension = extensionOf(program))
    for (std::string &name : extension->basenames())
      options.otherBasenames.push_back(std::move(name));
  if (program.num_savers > 0) {
    const ingot_saver &saver = program.savers[0];
    options.maxToKeep = saver.max_to_keep;
    options.keepCheckpointEveryNHours = saver.keep_checkpoint_every_n_hours;
    options.numShards = saver.num_shards;
    options.sharded = saver.sharded != 0;
  }
  return options;
}

CheckpointManagerOptions
ingot::readModelDirectory(const CommandContext &command,
                          std::optional<UsageError> &error) {
  CheckpointManagerOptions options =
      modelDirectory(command.program, command.flags.get("--model-dir"));
  options.basename =
      command.flags.get("--checkpoint-basename", options.basename);
  options.stateFileName =
      command.flags.get("--latest-filename", options.stateFileName);
  if (Status names = checkNames(options); !names.isOk() && !error)
    error = UsageError{names.message(), ""};
  return options;
}

Expected<std::unique_ptr<FileLock>> ingot::holdLock(FileSystem &fileSystem,
                                                    SessionLogger &reporter,
                                                    const std::string &path,
                                                    const std::string &doing) {
  char host[256] = "";
  (void)::gethostname(host, sizeof(host) - 1);
  auto lock = fileSystem.lock(path, "process " + std::to_string(::getpid()) +
                                        " on " + (*host ? host : "this host"));
  std::string directory = path.substr(0, path.rfind('/'));
  if (!lock && lock.status().code() == StatusCode::Unimplemented) {
    reporter.warning(lock.status().message() +
                     "; make sure that nothing else is being " + doing + " '" +
                     directory + "'");
    return std::unique_ptr<FileLock>();
  }
  if (!lock && lock.status().code() == StatusCode::FailedPrecondition)
    return Status(
        StatusCode::FailedPrecondition,
        "'" + directory + "' is being " + doing + " by " +
            lock.status().message() +
            ": two processes would overwrite each other's checkpoints");
  return lock;
}

Expected<std::unique_ptr<FileLock>>
ingot::lockModelDirectory(const CommandContext &command,
                          const std::string &directory) {
  return holdLock(command.fileSystem, command.console,
                  directory + "/.ingot-lock", "trained in");
}
