//===- TrainHooks.h - Adds the hooks of a training run ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_VERBS_TRAINHOOKS_H
#define INGOT_RUNTIME_COMMANDLINE_VERBS_TRAINHOOKS_H

#include "runtime/CommandLine/Verbs/TrainOptions.h"
#include "runtime/Session/TrainingLoop.h"

namespace ingot {

/// Adds the hooks of a training run, including those of --hook libraries.
/// Fails, before the first step, if a library or a fed value cannot be read.
/// All arguments have to outlive the loop.
Status addTrainHooks(TrainingLoop &loop, const CommandContext &command,
                     const TrainOptions &options,
                     CheckpointManager &checkpoints);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_VERBS_TRAINHOOKS_H
