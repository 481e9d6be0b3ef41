//===- ModelDirectory.h - A trainer's directory of checkpoints --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_MODELDIRECTORY_H
#define INGOT_RUNTIME_COMMANDLINE_MODELDIRECTORY_H

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/CommandLine/Verbs/Commands.h"
#include "runtime/Session/SessionLogger.h"

struct ingot_program;

namespace ingot {

/// The flags that choose a checkpoint's name, for verbs that restore one.
inline constexpr FlagSpec directoryFlags[] = {
    {"--checkpoint-basename", "NAME",
     "use this base name for checkpoints (default: model.ckpt)"},
    {"--latest-filename", "NAME", "use this state file (default: checkpoint)"},
};

/// The base name of the checkpoints that verb `set` writes after it has changed
/// a variable.
inline constexpr const char *setBasename = "set.ckpt";

/// Returns the options of the program's saver for checkpoints in `directory`.
CheckpointManagerOptions modelDirectory(const ingot_program &program,
                                        std::string directory);

/// Returns the options that --model-dir and directoryFlags describe. The first
/// usage error is stored in `error`.
CheckpointManagerOptions readModelDirectory(const CommandContext &command,
                                            std::optional<UsageError> &error);

/// Locks file `path` for this process. `doing` completes "DIRECTORY is being
/// ..." in error messages: "trained in". Returns FailedPrecondition if another
/// process has locked the file. Returns null, after a warning, if the file
/// system has no locks.
Expected<std::unique_ptr<FileLock>> holdLock(FileSystem &fileSystem,
                                             SessionLogger &reporter,
                                             const std::string &path,
                                             const std::string &doing);

/// Locks the existing `directory` for this process, so that no other process
/// writes checkpoints in it; readers need no lock. Returns FailedPrecondition,
/// naming the other process, if it is already locked. Returns null, after a
/// warning, if the file system has no locks.
Expected<std::unique_ptr<FileLock>>
lockModelDirectory(const CommandContext &command, const std::string &directory);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_MODELDIRECTORY_H
