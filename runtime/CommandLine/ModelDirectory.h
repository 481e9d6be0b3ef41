//===- ModelDirectory.h - Where a trainer keeps its checkpoints -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_MODELDIRECTORY_H
#define INGOT_RUNTIME_COMMANDLINE_MODELDIRECTORY_H

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/CommandLine/Commands.h"
#include "runtime/Session/Reporter.h"

struct ingot_program;

namespace ingot {

/// The flags for checkpoints' names, for verbs that restore them.
inline constexpr FlagSpec directoryFlags[] = {
    {"--checkpoint-basename", "NAME",
     "use this base name for checkpoints (default: model.ckpt)"},
    {"--latest-filename", "NAME", "use this state file (default: checkpoint)"},
};

/// The base name of checkpoints in which `set` has changed a variable.
inline constexpr const char *setBasename = "set.ckpt";

/// How the program's saver keeps checkpoints, in `directory`.
CheckpointManagerOptions modelDirectory(const ingot_program &program,
                                        std::string directory);

/// The options of --model-dir and the flags of directoryFlags. The first
/// mistake is stored in `error`.
CheckpointManagerOptions readModelDirectory(const Command &command,
                                            std::optional<UsageError> &error);

/// Locks file `path` for this process, which does `doing` in its directory;
/// FailedPrecondition and null as below.
Expected<std::unique_ptr<FileLock>> holdLock(FileSystem &fileSystem,
                                             Reporter &reporter,
                                             const std::string &path,
                                             const std::string &doing);

/// Holds `directory`, which is there, for the one process that writes
/// checkpoints in it; readers need no lock. FailedPrecondition, naming the
/// process that holds it, where there is one. Null, with a warning, where the
/// file system has no locks.
Expected<std::unique_ptr<FileLock>>
lockModelDirectory(const Command &command, const std::string &directory);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_MODELDIRECTORY_H
