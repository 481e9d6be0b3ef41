//===- PruneCommand.cpp - ingot-ckpt prune --------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/CheckpointTool/Tool.h"

#include "runtime/Checkpoint/CheckpointFileSet.h"
#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Checkpoint/CheckpointNames.h"

#include <algorithm>

using namespace ingot;
using namespace ingot::ckpt;

static const FlagSpec pruneFlags[] = {
    {"--keep-checkpoint-max", "N", "keep the newest N (default: 5)"},
    {"--state-file", "NAME", "read this state file (default: checkpoint)"},
    {"--dry-run", nullptr, "print what would be removed, remove nothing"},
    {"--help", nullptr, "print this"},
};

static bool isV1(FileSystem &fileSystem, const std::string &prefix) {
  auto reader = CheckpointReader::open(fileSystem, prefix);
  return reader && (*reader)->format() == CheckpointReader::Format::V1;
}

/// Returns the path of a file of checkpoint `prefix` that is not a regular
/// file; "" if all files are regular.
static std::string foreignFile(FileSystem &fileSystem,
                               const std::string &prefix) {
  std::vector<std::string> files = findV1Files(fileSystem, prefix);
  if (auto found = findSaveFiles(fileSystem, prefix))
    files.insert(files.end(), found->foreign.begin(), found->foreign.end());
  for (const std::string &path : files)
    if (fileSystem.kindOf(path) != FileKind::Regular)
      return path;
  return "";
}

/// Returns the checkpoints of each series in a folder, oldest first.
/// Checkpoints of one series have the same name except for the step; the key of
/// a series is this name without the step.
static Expected<std::map<std::string, std::vector<std::string>>>
findSeries(FileSystem &fileSystem, const std::string &folder) {
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> names,
                         fileSystem.list(folder));
  std::map<std::string, std::vector<std::pair<int64_t, std::string>>> found;
  for (const std::string &name : names) {
    std::optional<CheckpointFileName> parsed = parseFileName(name);
    if (parsed && parsed->role != FileRole::Index)
      continue;
    std::string prefix = name; // the name in state files
    if (parsed)
      prefix = parsed->base;
    else if (std::optional<V1ShardName> shard = parseV1ShardName(name))
      prefix = v1ShardPath(shard->base, std::nullopt, shard->numShards);
    // Skips names without a step, as such checkpoints do not belong to a
    // series. Any file name may end in a number, so such a file counts only if
    // its contents are a V1 checkpoint.
    std::optional<int64_t> step = stepOf(prefix);
    if (!step || (!parsed && !isV1(fileSystem, folder + "/" + prefix)))
      continue;
    std::string_view base = withoutV1Shards(prefix);
    auto &checkpoints = found[std::string(base.substr(0, base.rfind('-')))];
    if (std::pair checkpoint(*step, prefix);
        std::find(checkpoints.begin(), checkpoints.end(), checkpoint) ==
        checkpoints.end())
      checkpoints.push_back(std::move(checkpoint));
  }
  std::map<std::string, std::vector<std::string>> series;
  for (auto &[base, checkpoints] : found) {
    std::sort(checkpoints.begin(), checkpoints.end());
    for (auto &[step, name] : checkpoints)
      series[base].push_back(name);
  }
  return series;
}

/// Removes the checkpoints `doomed` (names relative to `folder`) from the state
/// file first and from the disk afterwards, so that the state file never lists
/// a missing checkpoint.
static Status removeAll(const ToolContext &tool, const std::string &folder,
                        const std::string &stateFile,
                        const std::vector<std::string> &doomed) {
  auto isDoomed = [&](const std::string &path) {
    return directoryOf(resolvePath(folder, path)) == folder &&
           std::find(doomed.begin(), doomed.end(), baseOf(path)) !=
               doomed.end();
  };
  Expected<CheckpointState> state =
      readCheckpointState(tool.fileSystem, folder, stateFile);
  if (!state && state.status().code() != StatusCode::NotFound)
    return state.takeStatus();
  if (state) {
    // The lists of paths and timestamps have the same indices, so copy each
    // kept checkpoint's path together with its timestamp.
    CheckpointState kept = *state;
    kept.allModelCheckpointPaths.clear();
    kept.allModelCheckpointTimestamps.clear();
    const auto &times = state->allModelCheckpointTimestamps;
    bool timed = times.size() == state->allModelCheckpointPaths.size();
    for (size_t i = 0; i < state->allModelCheckpointPaths.size(); ++i) {
      if (isDoomed(state->allModelCheckpointPaths[i]))
        continue;
      kept.allModelCheckpointPaths.push_back(state->allModelCheckpointPaths[i]);
      if (timed)
        kept.allModelCheckpointTimestamps.push_back(times[i]);
    }
    if (kept.allModelCheckpointPaths.size() !=
        state->allModelCheckpointPaths.size())
      INGOT_RETURN_IF_ERROR(
          writeCheckpointState(tool.fileSystem, folder, kept, stateFile));
  }
  for (const std::string &name : doomed) {
    INGOT_RETURN_IF_ERROR(
        removeCheckpoint(tool.fileSystem, folder + "/" + name));
    (void)tool.print("removed '" + folder + "/" + name + "'\n");
  }
  return Status::ok();
}

static int runPrune(ToolContext &tool) {
  std::optional<UsageError> error;
  int64_t keep = tool.flags.getInteger("--keep-checkpoint-max", 5, 1, error);
  if (error)
    return tool.usage(*error);
  std::string folder = tool.arguments()[0];
  while (folder.size() > 1 && folder.ends_with('/'))
    folder.pop_back();
  std::string stateFile = tool.flags.get("--state-file", "checkpoint");
  auto series = findSeries(tool.fileSystem, folder);
  if (!series)
    return tool.fail(series.status());
  std::string newest;
  if (auto state = readCheckpointState(tool.fileSystem, folder, stateFile))
    newest = baseOf(state->modelCheckpointPath);
  std::vector<std::string> doomed;
  for (const auto &[base, checkpoints] : *series) {
    // Damaged checkpoints are neither counted nor removed. Otherwise an intact
    // checkpoint could be removed because of a newer one that is damaged.
    std::vector<std::string> sound;
    for (const std::string &name : checkpoints) {
      std::string prefix = folder + "/" + name;
      Status status = verifyCheckpoint(tool.fileSystem, prefix);
      // If one of a checkpoint's files is a symbolic link, the checkpoint is
      // not pruned: the link's target belongs to another directory, whose prune
      // removes it.
      if (std::string foreign = foreignFile(tool.fileSystem, prefix);
          status.isOk() && !foreign.empty())
        status = Status(StatusCode::FailedPrecondition,
                        "'" + foreign + "' is " +
                            kindText(tool.fileSystem.kindOf(foreign)) +
                            ", expected a regular file");
      if (status.isOk())
        sound.push_back(name);
      else
        tool.console.warning("checkpoint skipped: " + status.message());
    }
    size_t surplus = sound.size() > static_cast<size_t>(keep)
                         ? sound.size() - static_cast<size_t>(keep)
                         : 0;
    for (size_t i = 0; i < surplus; ++i)
      if (sound[i] != newest)
        doomed.push_back(sound[i]);
  }
  if (doomed.empty())
    return tool.print("nothing to remove\n");
  if (tool.flags.has("--dry-run")) {
    std::string text;
    for (const std::string &name : doomed)
      text += "would remove '" + folder + "/" + name + "'\n";
    return tool.print(text);
  }
  Status status = removeAll(tool, folder, stateFile, doomed);
  return status.isOk() ? int(Done) : tool.fail(status);
}

const ToolSubcommand ckpt::pruneVerb = {
    "prune",
    "DIR [--keep-checkpoint-max N] [--dry-run]",
    "remove all but a directory's newest checkpoints",
    "run --keep-checkpoint-max 3",
    1,
    1,
    pruneFlags,
    runPrune,
};
