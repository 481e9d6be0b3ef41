//===- SearchProgress.cpp - How far a search has come ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/SearchProgress.h"

#include "runtime/AdaNet/BestEnsemble.h"
#include "runtime/AdaNet/Iteration.h"
#include "runtime/Checkpoint/CheckpointManager.h"

using namespace ingot;
using namespace ingot::adanet;

Expected<SearchProgress> adanet::readProgress(FileSystem &fileSystem,
                                              const std::string &directory) {
  CheckpointManagerOptions options;
  options.directory = directory;
  INGOT_ASSIGN_OR_RETURN(
      LatestCheckpoint latest,
      CheckpointManager(fileSystem, options).latestComplete());
  return latest.found
             ? readProgressAt(fileSystem, directory, latest.found->prefix)
             : SearchProgress();
}

Expected<SearchProgress> adanet::readProgressAt(FileSystem &fileSystem,
                                                const std::string &directory,
                                                const std::string &prefix) {
  SearchProgress progress;
  progress.checkpoint = prefix;
  INGOT_ASSIGN_OR_RETURN(
      auto reader, CheckpointReader::open(fileSystem, progress.checkpoint));
  auto iteration = iterationOf(*reader);
  if (!iteration || *iteration < 0)
    return Status(StatusCode::FailedPrecondition,
                  "checkpoint '" + progress.checkpoint +
                      "' has no AdaNet iteration number: '" + directory +
                      "' is not the model directory of an AdaNet search");
  progress.iteration = *iteration;
  INGOT_ASSIGN_OR_RETURN(progress.globalStep, globalStepOf(*reader));
  INGOT_ASSIGN_OR_RETURN(progress.architectures,
                         readArchitectures(fileSystem, directory, *iteration));
  INGOT_ASSIGN_OR_RETURN(
      auto selected, readSelection(fileSystem, directory, *reader, *iteration));
  progress.selected = selected.has_value();
  if (selected)
    progress.architectures.push_back(std::move(*selected));
  return progress;
}
