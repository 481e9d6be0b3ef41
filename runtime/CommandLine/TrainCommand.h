//===- TrainCommand.h - A training run, as verbs start it -------*- C++ -*-===//
#ifndef INGOT_RUNTIME_COMMANDLINE_TRAINCOMMAND_H
#define INGOT_RUNTIME_COMMANDLINE_TRAINCOMMAND_H

#include "runtime/CommandLine/TrainOptions.h"
#include "runtime/Session/TrainingLoop.h"

#include <functional>

namespace ingot {

/// Adds a verb's own hooks.
using AddHooks = std::function<Status(TrainingLoop &)>;

/// Trains as `options` say, and returns the exit code. `addHooks` may be null.
int runTraining(Command &command, TrainOptions &options,
                const AddHooks &addHooks);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_TRAINCOMMAND_H
