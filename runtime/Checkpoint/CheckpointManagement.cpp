//===- CheckpointManagement.cpp - A directory's checkpoints ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/CheckpointManagement.h"

#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/SaveRestore.h"

#include <algorithm>
#include <cmath>

using namespace ingot;

/// Removes trailing slashes; "" becomes ".".
static std::string cleaned(std::string directory) {
  while (directory.size() > 1 && directory.ends_with('/'))
    directory.pop_back();
  return directory.empty() ? "." : directory;
}

Expected<CheckpointState>
ingot::checkpointState(FileSystem &fileSystem, const std::string &directory,
                       const std::string &latestFilename) {
  std::string folder = cleaned(directory);
  INGOT_ASSIGN_OR_RETURN(
      CheckpointState state,
      readCheckpointState(fileSystem, folder, latestFilename));
  if (state.modelCheckpointPath.empty())
    return Status(StatusCode::InvalidArgument,
                  "'" + folder + "/" + latestFilename +
                      "' names no checkpoint: model_checkpoint_path is "
                      "missing");
  state.modelCheckpointPath = resolvePath(folder, state.modelCheckpointPath);
  for (std::string &path : state.allModelCheckpointPaths)
    path = resolvePath(folder, path);
  return state;
}

Expected<std::string>
ingot::latestCheckpoint(FileSystem &fileSystem, const std::string &directory,
                        const std::string &latestFilename) {
  INGOT_ASSIGN_OR_RETURN(
      CheckpointState state,
      checkpointState(fileSystem, directory, latestFilename));
  if (!checkpointExists(fileSystem, state.modelCheckpointPath))
    return Status(StatusCode::NotFound, "Couldn't match files for checkpoint " +
                                            state.modelCheckpointPath +
                                            ", which '" + cleaned(directory) +
                                            "/" + latestFilename + "' names");
  return std::move(state.modelCheckpointPath);
}

Expected<std::vector<LastCheckpointsEntry>>
ingot::lastCheckpoints(FileSystem &fileSystem, const std::string &directory,
                       const std::string &latestFilename) {
  INGOT_ASSIGN_OR_RETURN(
      CheckpointState state,
      checkpointState(fileSystem, directory, latestFilename));
  std::vector<LastCheckpointsEntry> list;
  const std::vector<double> &times = state.allModelCheckpointTimestamps;
  for (size_t i = 0; i < state.allModelCheckpointPaths.size(); ++i) {
    std::string &prefix = state.allModelCheckpointPaths[i];
    Expected<double> time = checkpointTime(fileSystem, prefix);
    if (time)
      list.push_back({std::move(prefix), i < times.size() ? times[i] : *time});
  }
  return list;
}

std::vector<double>
ingot::checkpointTimes(FileSystem &fileSystem,
                       std::span<const std::string> prefixes) {
  std::vector<double> times;
  for (const std::string &prefix : prefixes)
    if (Expected<double> time = checkpointTime(fileSystem, prefix))
      times.push_back(std::floor(*time));
  return times;
}

Status ingot::setLastCheckpoints(FileSystem &fileSystem,
                                 const std::string &directory,
                                 std::span<const LastCheckpointsEntry> list,
                                 const std::string &latestFilename) {
  std::string folder = cleaned(directory);
  auto nameOf = [&](const std::string &prefix) {
    return directoryOf(prefix) == folder ? baseOf(prefix) : prefix;
  };
  CheckpointState state;
  Expected<CheckpointState> found =
      readCheckpointState(fileSystem, folder, latestFilename);
  if (!found && found.status().code() != StatusCode::NotFound)
    return found.takeStatus();
  if (found)
    state.modelCheckpointPath = std::move(found->modelCheckpointPath);
  for (const LastCheckpointsEntry &checkpoint : list) {
    state.allModelCheckpointPaths.push_back(nameOf(checkpoint.prefix));
    state.allModelCheckpointTimestamps.push_back(checkpoint.time);
  }
  std::vector<std::string> &paths = state.allModelCheckpointPaths;
  if (state.modelCheckpointPath.empty()) {
    if (paths.empty())
      return Status(StatusCode::InvalidArgument,
                    "neither a newest checkpoint nor a list of checkpoints is "
                    "given for '" +
                        folder + "': name at least one checkpoint");
    state.modelCheckpointPath = paths.back();
  }
  std::string newest = resolvePath(folder, state.modelCheckpointPath);
  bool isListed =
      std::any_of(paths.begin(), paths.end(), [&](const std::string &path) {
        return resolvePath(folder, path) == newest;
      });
  if (!isListed) {
    paths.push_back(state.modelCheckpointPath);
    Expected<double> time = checkpointTime(fileSystem, newest);
    state.allModelCheckpointTimestamps.push_back(time ? *time : 0);
  }
  return writeCheckpointState(fileSystem, folder, state, latestFilename);
}
