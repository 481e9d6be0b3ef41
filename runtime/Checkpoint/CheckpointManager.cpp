//===- CheckpointManager.cpp - A directory of checkpoints: saving ---------===//

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Checkpoint/CheckpointNames.h"

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

std::string CheckpointManager::prefixOf(int64_t step) const {
  return resolvePath(options.directory,
                     options.basename + "-" + std::to_string(step));
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
    Status status = removeCheckpoint(fileSystem, prefix);
    if (!status.isOk())
      warnings.push_back("cannot remove the old checkpoint '" + prefix +
                         "': " + status.message());
    return status.isOk();
  });
  if (Status status = writeState(newest); !status.isOk())
    warnings.push_back(status.message());
}

/// Renames a damaged checkpoint that a save is about to replace, so that
/// nothing of it is lost.
Status CheckpointManager::setAside(const std::string &prefix) {
  std::string parent = options.directory + "/", base = baseOf(prefix);
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> names,
                         fileSystem.list(options.directory));
  std::string aside;
  for (int number = 1;; ++number) {
    aside = base + ".damaged" +
            (number == 1 ? std::string() : "-" + std::to_string(number));
    bool taken =
        std::any_of(names.begin(), names.end(), [&](const std::string &name) {
          std::optional<FileName> parsed = parseFileName(name);
          return parsed && parsed->base == aside;
        });
    if (!taken)
      break;
  }
  for (const std::string &name : names) {
    std::optional<FileName> parsed = parseFileName(name);
    if (parsed && parsed->base == base &&
        (parsed->role == FileRole::Index || parsed->role == FileRole::Data))
      INGOT_RETURN_IF_ERROR(fileSystem.rename(
          parent + name, parent + aside + name.substr(base.size())));
  }
  return fileSystem.syncDirectory(options.directory);
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
    INGOT_RETURN_IF_ERROR(setAside(prefix));
    damaged.erase(prefix);
  }
  INGOT_RETURN_IF_ERROR(writeCheckpoint(fileSystem, prefix, options.numShards,
                                        options.sharded, items));
  std::erase(toBeRemoved, prefix);
  record(prefix);
  if (Status status = writeState(prefix); !status.isOk())
    return std::move(status).withContext(
        "'" + prefix + "' is saved, but the state file isn't");
  removeOld(prefix);
  return prefix;
}
