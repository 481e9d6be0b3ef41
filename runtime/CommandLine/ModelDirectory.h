//===- ModelDirectory.h - Where a trainer keeps its checkpoints -*- C++ -*-===//
#ifndef INGOT_RUNTIME_COMMANDLINE_MODELDIRECTORY_H
#define INGOT_RUNTIME_COMMANDLINE_MODELDIRECTORY_H

#include "runtime/ABI/Program.h"
#include "runtime/Checkpoint/CheckpointManager.h"

namespace ingot {

/// How the program's saver keeps checkpoints, in `directory`.
CheckpointManagerOptions modelDirectory(const ingot_program &program,
                                        std::string directory);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_MODELDIRECTORY_H
