//===- SearchProgress.cpp - How far a search has come ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/SearchProgress.h"

#include "runtime/AdaNet/Iteration.h"
#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Checkpoint/ObjectNames.h"

using namespace ingot;
using namespace ingot::adanet;

static Expected<int64_t> globalStepIn(const CheckpointReader &reader) {
  INGOT_ASSIGN_OR_RETURN(ObjectNames objects, ObjectNames::read(reader));
  int64_t step = 0;
  for (const std::string &key : reader.keys())
    if (objects.nameOf(key) == "global_step")
      INGOT_RETURN_IF_ERROR(reader.read(key, "", INGOT_INT64, Shape(), &step));
  return step;
}

Expected<SearchProgress> adanet::readProgress(FileSystem &fileSystem,
                                              const std::string &directory) {
  SearchProgress progress;
  CheckpointManagerOptions options;
  options.directory = directory;
  INGOT_ASSIGN_OR_RETURN(
      LatestCheckpoint latest,
      CheckpointManager(fileSystem, options).latestComplete());
  if (!latest.found)
    return progress;
  progress.checkpoint = latest.found->prefix;
  INGOT_ASSIGN_OR_RETURN(
      auto reader, CheckpointReader::open(fileSystem, progress.checkpoint));
  auto iteration = iterationOf(*reader);
  if (!iteration || *iteration < 0)
    return Status(StatusCode::FailedPrecondition,
                  "checkpoint '" + progress.checkpoint +
                      "' has no AdaNet iteration number: '" + directory +
                      "' is not the model directory of an AdaNet search");
  progress.iteration = *iteration;
  INGOT_ASSIGN_OR_RETURN(progress.globalStep, globalStepIn(*reader));
  INGOT_ASSIGN_OR_RETURN(progress.architectures,
                         readArchitectures(fileSystem, directory, *iteration));
  auto own = readArchitecture(fileSystem, directory, *iteration);
  if (!own)
    return own.status().code() == StatusCode::NotFound
               ? Expected<SearchProgress>(std::move(progress))
               : own.takeStatus();
  // The architecture file was written at another global step than the newest
  // checkpoint's: the model directory was set back to an earlier checkpoint, so
  // the file does not count (AN-113).
  if (own->globalStep && *own->globalStep != progress.globalStep)
    return progress;
  // Ignore a selection that was made at the global step at which the iteration
  // began. Older versions of the runtime wrote one if an iteration ended
  // without a step.
  if (own->globalStep && !progress.architectures.empty() &&
      progress.architectures.back().globalStep == own->globalStep &&
      own->hasNewMember())
    return progress;
  progress.selected = true;
  progress.architectures.push_back(std::move(*own));
  return progress;
}
