//===- ModelDirectory.cpp - Where a trainer keeps its checkpoints ---------===//

#include "runtime/CommandLine/ModelDirectory.h"

using namespace ingot;

CheckpointManagerOptions ingot::modelDirectory(const ingot_program &program,
                                               std::string directory) {
  CheckpointManagerOptions options;
  while (directory.size() > 1 && directory.ends_with('/'))
    directory.pop_back();
  options.directory = std::move(directory);
  if (program.num_savers > 0) {
    const ingot_saver &saver = program.savers[0];
    options.maxToKeep = saver.max_to_keep;
    options.keepCheckpointEveryNHours = saver.keep_checkpoint_every_n_hours;
    options.numShards = saver.num_shards;
    options.sharded = saver.sharded != 0;
  }
  return options;
}
