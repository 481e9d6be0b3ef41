//===- TrainCommand.h - Runs a training from options ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_VERBS_TRAINCOMMAND_H
#define INGOT_RUNTIME_COMMANDLINE_VERBS_TRAINCOMMAND_H

#include "runtime/CommandLine/Verbs/TrainOptions.h"

namespace ingot {

/// Trains as `options` say, prints errors, and returns the exit code.
int runTraining(CommandContext &command, TrainOptions &options);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_VERBS_TRAINCOMMAND_H
