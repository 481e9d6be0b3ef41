//===- AdditionalSaverHook.cpp - Saves with one more saver ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/AdditionalSaverHook.h"

#include "runtime/ABI/Program.h"

#include <algorithm>

using namespace ingot;

CheckpointManagerOptions
ingot::additionalCheckpoints(const ingot_program &program, uint32_t saver,
                             const std::string &directory) {
  const ingot_saver &graphs = program.savers[saver];
  std::string scope = graphs.name;
  std::replace(scope.begin(), scope.end(), '/', '_');
  CheckpointManagerOptions options;
  options.directory = directory;
  options.basename = scope + ".ckpt";
  options.stateFileName = "checkpoint_" + scope;
  options.maxToKeep = graphs.max_to_keep;
  options.keepCheckpointEveryNHours = graphs.keep_checkpoint_every_n_hours;
  options.numShards = graphs.num_shards;
  options.sharded = graphs.sharded != 0;
  return options;
}

Status AdditionalSaverHook::afterCreateSession(SessionRunContext &context) {
  // Read the list of checkpoints that an earlier run has kept, and repair the
  // directory if that run crashed.
  INGOT_ASSIGN_OR_RETURN(LatestCheckpoint latest, checkpoints.recover());
  for (const std::string &warning : latest.warnings)
    reporter.warning(warning);
  return hook.afterCreateSession(context);
}
