//===- CheckpointManager.cpp - A directory of checkpoints: saving ---------===//

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/SaveFiles.h"

#include <algorithm>
#include <sys/time.h>

using namespace ingot;

Clock ingot::systemClock() {
  return [] {
    timeval now;
    ::gettimeofday(&now, nullptr);
    return static_cast<double>(now.tv_sec) +
           static_cast<double>(now.tv_usec) * 1e-6;
  };
}

CheckpointManager::CheckpointManager(FileSystem &fileSystem,
                                     CheckpointManagerOptions options)
    : fileSystem(fileSystem), options(std::move(options)) {
  // Paths are compared as text: "run/" is "run".
  std::string &directory = this->options.directory;
  while (directory.size() > 1 && directory.ends_with('/'))
    directory.pop_back();
  if (directory.empty())
    directory = ".";
  nextPreservation =
      this->options.clock() + this->options.keepCheckpointEveryNHours * 3600;
}

Status ingot::checkNames(const CheckpointManagerOptions &options) {
  auto refused = [](const std::string &message) {
    return Status(StatusCode::InvalidArgument, message);
  };
  for (const auto &[what, name] :
       {std::pair("the state file's name", &options.stateFileName),
        std::pair("the checkpoints' base name", &options.basename),
        std::pair("the meta graph's suffix", &options.metaGraphSuffix)}) {
    if (name->empty() || *name == "." || *name == "..")
      return refused(std::string(what) + " is '" + *name + "'");
    if (name->find('/') != std::string::npos)
      return refused(std::string(what) + " has path components: '" + *name +
                     "'");
  }
  std::optional<FileName> other =
      parseFileName(options.basename + "-1." + options.metaGraphSuffix);
  if (other && other->role != FileRole::MetaGraph)
    return refused("a meta graph with suffix '" + options.metaGraphSuffix +
                   "' has the name of another file of the checkpoint");
  const std::string &state = options.stateFileName;
  std::optional<FileName> file = parseFileName(state);
  std::string base = file ? file->base : state;
  bool collides = base == options.basename ||
                  base.starts_with(options.basename + "-") ||
                  state.ends_with(temporarySuffix);
  if (collides)
    return refused("the state file's name collides with the checkpoints': '" +
                   state + "' and '" + options.basename + "'");
  return Status::ok();
}

std::string CheckpointManager::prefixOf(int64_t step) const {
  return resolvePath(options.directory,
                     stepName(options.basename, step, options.padStepNumber));
}

/// The step of one of our own checkpoints, padded or not; nothing for others.
std::optional<int64_t>
CheckpointManager::ownStep(const std::string &prefix) const {
  std::optional<int64_t> step = stepOf(prefix);
  std::string_view name = withoutV1Shards(prefix);
  for (bool padded : {false, true})
    if (step && name == resolvePath(options.directory,
                                    stepName(options.basename, *step, padded)))
      return step;
  return std::nullopt;
}

Status CheckpointManager::remove(const std::string &prefix) {
  return removeCheckpoint(fileSystem, prefix, options.metaGraphSuffix);
}

std::vector<std::string> CheckpointManager::lastCheckpoints() const {
  std::vector<std::string> prefixes;
  for (const Kept &checkpoint : kept)
    prefixes.push_back(checkpoint.prefix);
  return prefixes;
}

std::vector<std::string> CheckpointManager::takeWarnings() {
  return std::exchange(warnings, {});
}

/// How the state file names `prefix`.
std::string CheckpointManager::statePath(const std::string &prefix) const {
  bool relative =
      options.saveRelativePaths || !options.directory.starts_with('/');
  std::string parent = options.directory + "/";
  if (relative && prefix.starts_with(parent))
    return prefix.substr(parent.size());
  return prefix;
}

Status CheckpointManager::writeState(const std::string &newest) {
  CheckpointState state;
  state.modelCheckpointPath = statePath(newest);
  for (const Kept &checkpoint : kept)
    state.allModelCheckpointPaths.push_back(statePath(checkpoint.prefix));
  if (state.allModelCheckpointPaths.empty() ||
      state.allModelCheckpointPaths.back() != state.modelCheckpointPath)
    state.allModelCheckpointPaths.push_back(state.modelCheckpointPath);
  for (const std::string &prefix : toBeRemoved)
    state.removing.push_back(statePath(prefix));
  return writeCheckpointState(fileSystem, options.directory, state,
                              options.stateFileName);
}

/// Saver._RecordLastCheckpoint: takes `prefix` into the list, and the oldest
/// out of it where it has become too long.
void CheckpointManager::record(const std::string &prefix) {
  if (options.maxToKeep <= 0)
    return;
  std::erase_if(kept, [&](const Kept &old) { return old.prefix == prefix; });
  kept.push_back({prefix, options.clock()});
  dropOldest();
}

/// Takes the oldest checkpoint out of the list where that is too long.
void CheckpointManager::dropOldest() {
  if (kept.size() <= static_cast<size_t>(options.maxToKeep))
    return;
  Kept oldest = std::move(kept.front());
  kept.erase(kept.begin());
  // Saver._MaybeDeleteOldCheckpoints: one for every so many hours stays.
  if (oldest.time > nextPreservation)
    nextPreservation += options.keepCheckpointEveryNHours * 3600;
  else
    toBeRemoved.push_back(std::move(oldest.prefix));
}

/// Removes what fell out of the list. Failing to is not the save's failure; the
/// next save tries again.
void CheckpointManager::removeOld(const std::string &newest) {
  if (toBeRemoved.empty())
    return;
  std::erase_if(toBeRemoved, [&](const std::string &prefix) {
    Status status = remove(prefix);
    if (!status.isOk())
      warnings.push_back("cannot remove the old checkpoint '" + prefix +
                         "': " + status.message());
    return status.isOk();
  });
  if (Status status = writeState(newest); !status.isOk())
    warnings.push_back(status.message());
}

/// Renames a damaged checkpoint, so that it is out of the way and nothing of
/// it is lost; returns its new prefix, "" where there is nothing to rename.
Expected<std::string> CheckpointManager::setAside(const std::string &prefix) {
  std::string parent = options.directory + "/";
  std::string base = baseOf(std::string(withoutV1Shards(prefix)));
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> names,
                         fileSystem.list(options.directory));
  std::string aside;
  for (int number = 1;; ++number) {
    aside = base + ".damaged" +
            (number == 1 ? std::string() : "-" + std::to_string(number));
    bool taken =
        std::any_of(names.begin(), names.end(), [&](const std::string &name) {
          std::optional<FileName> parsed = parseFileName(name);
          std::optional<V1ShardName> shard = parseV1ShardName(name);
          return name == aside || (parsed && parsed->base == aside) ||
                 (shard && shard->base == aside);
        });
    if (!taken)
      break;
  }
  std::vector<std::string> files;
  if (prefix == withoutV1Shards(prefix))
    for (const std::string &name : names) {
      std::optional<FileName> parsed = parseFileName(name);
      if (parsed && parsed->base == base &&
          (parsed->role == FileRole::Index || parsed->role == FileRole::Data ||
           parsed->role == FileRole::MetaGraph))
        files.push_back(parent + name);
    }
  // A V1 checkpoint of the same name may be sound where the V2 one isn't.
  if (!fileSystem.exists(indexPath(prefix)))
    for (std::string &path : findV1Files(fileSystem, prefix))
      files.push_back(std::move(path));
  if (files.empty())
    return std::string();
  for (const std::string &path : files)
    INGOT_RETURN_IF_ERROR(fileSystem.rename(
        path, parent + aside + path.substr(parent.size() + base.size())));
  INGOT_RETURN_IF_ERROR(fileSystem.syncDirectory(options.directory));
  return parent + aside;
}

Expected<std::string> CheckpointManager::save(int64_t step,
                                              std::span<const SaveItem> items) {
  if (!fileSystem.exists(options.directory)) {
    INGOT_RETURN_IF_ERROR(fileSystem.createDirectories(options.directory));
    INGOT_RETURN_IF_ERROR(
        fileSystem.syncDirectory(directoryOf(options.directory)));
  }
  std::string prefix = prefixOf(step);
  if (damaged.contains(prefix)) {
    INGOT_RETURN_IF_ERROR(setAside(prefix).takeStatus());
    damaged.erase(prefix);
  }
  std::vector<SaveItem> spread;
  if (options.spread) {
    spread.assign(items.begin(), items.end());
    spreadOverShards(spread, options.numShards);
    items = spread;
  }
  INGOT_RETURN_IF_ERROR(writeCheckpoint(fileSystem, prefix, options.numShards,
                                        options.sharded, items,
                                        options.threads));
  std::erase(toBeRemoved, prefix);
  record(prefix);
  if (options.metaGraph) {
    INGOT_ASSIGN_OR_RETURN(std::string bytes, options.metaGraph());
    INGOT_RETURN_IF_ERROR(
        writeMetaGraph(fileSystem, prefix, options.metaGraphSuffix, bytes));
  }
  if (Status status = writeState(prefix); !status.isOk())
    return std::move(status).withContext(
        "'" + prefix + "' is saved, but the state file isn't");
  removeOld(prefix);
  return prefix;
}
