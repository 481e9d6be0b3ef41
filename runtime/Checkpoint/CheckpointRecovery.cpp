//===- CheckpointRecovery.cpp - A directory of checkpoints: finding -------===//

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/SaveFiles.h"

#include <algorithm>
#include <map>

using namespace ingot;

/// The state file, and why it can't be used where it can't.
struct CheckpointManager::State {
  std::optional<CheckpointState> contents;
  std::string warning;
};

/// Everything in the directory that bears the name of one of our checkpoints.
struct CheckpointManager::Directory {
  struct Files {
    int64_t step = 0;
    bool index = false; // or the file, or files, of a V1 checkpoint
    bool data = false;
    bool temporary = false;
  };
  std::map<std::string, Files> checkpoints; // by prefix
};

CheckpointManager::State CheckpointManager::readState() const {
  State state;
  Expected<CheckpointState> contents =
      readCheckpointState(fileSystem, options.directory, options.stateFileName);
  if (contents)
    state.contents = std::move(*contents);
  else if (contents.status().code() != StatusCode::NotFound)
    state.warning = contents.status().message();
  return state;
}

Expected<CheckpointManager::Directory>
CheckpointManager::listDirectory() const {
  Directory directory;
  Expected<std::vector<std::string>> names = fileSystem.list(options.directory);
  if (!names) {
    if (names.status().code() == StatusCode::NotFound)
      return directory;
    return names.takeStatus();
  }
  for (const std::string &name : *names) {
    std::optional<FileName> parsed = parseFileName(name);
    if (!parsed) {
      std::optional<V1ShardName> shard = parseV1ShardName(name);
      std::string prefix = resolvePath(
          options.directory,
          shard ? v1ShardPath(shard->base, std::nullopt, shard->numShards)
                : name);
      std::optional<int64_t> step = ownStep(prefix);
      if (step && !findV1Files(fileSystem, prefix).empty()) {
        directory.checkpoints[prefix].step = *step;
        directory.checkpoints[prefix].index = true;
      }
      continue;
    }
    std::string prefix = resolvePath(options.directory, parsed->base);
    std::optional<int64_t> step = ownStep(prefix);
    if (!step || parsed->role == FileRole::MetaGraph)
      continue;
    Directory::Files &files = directory.checkpoints[prefix];
    files.step = *step;
    switch (parsed->role) {
    case FileRole::Index:
      files.index = true;
      break;
    case FileRole::Data:
      files.data = true;
      break;
    case FileRole::TemporaryIndex:
    case FileRole::TemporaryData:
    case FileRole::TemporaryMetaGraph:
    case FileRole::PartDirectory:
      files.temporary = true;
      break;
    case FileRole::MetaGraph:
      break;
    }
  }
  return directory;
}

/// The path that a state file's entry means. A checkpoint of that name in our
/// own directory is meant even where the directory has been moved since.
std::string CheckpointManager::locate(const std::string &path) const {
  std::string here = resolvePath(options.directory, baseOf(path));
  if (checkpointExists(fileSystem, here))
    return here;
  return resolvePath(options.directory, path);
}

/// Tries checkpoints from the newest down until one is undamaged.
LatestCheckpoint CheckpointManager::search(const Directory &directory,
                                           const State &state) {
  LatestCheckpoint latest;
  if (!state.warning.empty())
    latest.warnings.push_back(state.warning);

  // By step; one whose name has none is newer than all where the state file
  // names it as the newest, else older.
  std::multimap<int64_t, std::string, std::greater<>> candidates;
  std::set<std::string> known;
  auto add = [&](int64_t rank, const std::string &prefix) {
    if (known.insert(prefix).second)
      candidates.emplace(rank, prefix);
  };
  std::string named;
  if (state.contents) {
    const CheckpointState &contents = *state.contents;
    if (!contents.modelCheckpointPath.empty()) {
      named = locate(contents.modelCheckpointPath);
      add(stepOf(named).value_or(INT64_MAX), named);
    }
    for (const std::string &path : contents.allModelCheckpointPaths) {
      std::string prefix = locate(path);
      add(stepOf(prefix).value_or(-1), prefix);
    }
  }
  // Shards without an index, but with files that are being written, are a save
  // that hasn't come to its end; a trainer beside us may well finish it.
  for (const auto &[prefix, files] : directory.checkpoints)
    if (files.index || (files.data && !files.temporary))
      add(files.step, prefix);

  for (const auto &[rank, prefix] : candidates) {
    Status status = verifyCheckpoint(fileSystem, prefix);
    if (status.isOk()) {
      latest.found = FoundCheckpoint{prefix, stepOf(prefix)};
      break;
    }
    // An older entry of the state file that is gone is no loss.
    if (prefix == named || checkpointExists(fileSystem, prefix) ||
        directory.checkpoints.contains(prefix)) {
      latest.warnings.push_back("checkpoint '" + prefix +
                                "' can't be used: " + status.message());
      damaged.insert(prefix);
      if (!isDamage(status))
        unreadable.insert(prefix);
    }
  }
  if (latest.found && !named.empty() && named != latest.found->prefix &&
      !damaged.contains(named))
    latest.warnings.push_back("the state file names '" + named +
                              "' as the newest checkpoint, but '" +
                              latest.found->prefix + "' is newer");
  return latest;
}

Expected<LatestCheckpoint> CheckpointManager::latestComplete() {
  INGOT_ASSIGN_OR_RETURN(Directory directory, listDirectory());
  return search(directory, readState());
}

/// Finishes or undoes saves and removals that a crash interrupted.
void CheckpointManager::finishInterrupted(const Directory &directory,
                                          const State &state) {
  auto attempt = [&](Status status) {
    if (!status.isOk())
      warnings.push_back(status.message());
  };
  for (const auto &[prefix, files] : directory.checkpoints)
    if (files.temporary)
      attempt(recoverSave(fileSystem, prefix));
  std::string temporary = resolvePath(
      options.directory, options.stateFileName + std::string(temporarySuffix));
  if (fileSystem.exists(temporary))
    attempt(fileSystem.remove(temporary));
  if (!state.contents)
    return;
  const CheckpointState &contents = *state.contents;
  for (const std::string &path : contents.removing) {
    // Only what our own saves could have been removing.
    std::string prefix = resolvePath(options.directory, path);
    const auto &listed = contents.allModelCheckpointPaths;
    if (ownStep(prefix) && path != contents.modelCheckpointPath &&
        std::find(listed.begin(), listed.end(), path) == listed.end())
      attempt(remove(prefix));
  }
}

/// Removes data whose index is gone, which a removal leaves when it is
/// interrupted; newer than the newest checkpoint it might be something else.
void CheckpointManager::removeOrphans(const Directory &directory,
                                      int64_t newest) {
  for (const auto &[prefix, files] : directory.checkpoints)
    if (files.data && !files.index && files.step < newest) {
      Status status = remove(prefix);
      if (!status.isOk())
        warnings.push_back(status.message());
    }
}

/// Renames the damaged checkpoints that a search for the newest came across.
/// What the machine couldn't read may be sound, and stays.
void CheckpointManager::setAsideDamaged(LatestCheckpoint &latest) {
  for (auto at = damaged.begin(); at != damaged.end();) {
    const std::string &prefix = *at;
    if (unreadable.contains(prefix) || !ownStep(prefix)) {
      ++at;
      continue;
    }
    Expected<std::string> aside = setAside(prefix);
    if (!aside) {
      latest.warnings.push_back("cannot set '" + prefix +
                                "' aside: " + aside.status().message());
      ++at;
      continue;
    }
    if (!aside->empty())
      latest.warnings.push_back("what is left of '" + prefix +
                                "' is now called '" + *aside + "'");
    at = damaged.erase(at);
  }
}

/// Saver.recover_last_checkpoints: what the state file lists and the disk has.
/// Without a state file, the newest of what the disk has.
void CheckpointManager::takeOver(const Directory &directory, const State &state,
                                 const FoundCheckpoint &newest) {
  kept.clear();
  if (options.maxToKeep <= 0)
    return;
  auto timeOf = [&](const std::string &prefix) {
    Expected<double> time = checkpointTime(fileSystem, prefix);
    return time ? *time : 0;
  };
  auto add = [&](const std::string &prefix, std::optional<double> time) {
    if (prefix != newest.prefix && !damaged.contains(prefix) &&
        checkpointExists(fileSystem, prefix))
      kept.push_back({prefix, time ? *time : timeOf(prefix)});
  };
  bool listed = state.contents && !state.contents->modelCheckpointPath.empty();
  if (listed) {
    const CheckpointState &contents = *state.contents;
    bool timed = contents.allModelCheckpointTimestamps.size() ==
                 contents.allModelCheckpointPaths.size();
    for (size_t i = 0; i < contents.allModelCheckpointPaths.size(); ++i)
      add(locate(contents.allModelCheckpointPaths[i]),
          timed ? std::optional(contents.allModelCheckpointTimestamps[i])
                : std::nullopt);
  } else {
    std::multimap<int64_t, std::string> rising;
    for (const auto &[prefix, files] : directory.checkpoints)
      if (files.index && files.step <= newest.step.value_or(INT64_MAX))
        rising.emplace(files.step, prefix);
    for (const auto &[step, prefix] : rising)
      add(prefix, std::nullopt);
    auto limit = static_cast<size_t>(options.maxToKeep) - 1;
    if (kept.size() > limit)
      kept.erase(kept.begin(), kept.end() - static_cast<std::ptrdiff_t>(limit));
  }
  kept.push_back({newest.prefix, timeOf(newest.prefix)});
  // A crash came before the state file was written: what the save would have
  // done then is done now, or each crash would leave one checkpoint more.
  const std::vector<std::string> *paths =
      listed ? &state.contents->allModelCheckpointPaths : nullptr;
  if (paths &&
      std::none_of(paths->begin(), paths->end(), [&](const std::string &path) {
        return locate(path) == newest.prefix;
      }))
    dropOldest();
}

/// True where the state file says just what it should.
bool CheckpointManager::stateAgrees(const State &state,
                                    const FoundCheckpoint &newest) const {
  if (!state.contents || !state.contents->removing.empty() ||
      locate(state.contents->modelCheckpointPath) != newest.prefix)
    return false;
  std::vector<std::string> expected = lastCheckpoints();
  if (expected.empty())
    expected.push_back(newest.prefix);
  std::vector<std::string> found;
  for (const std::string &path : state.contents->allModelCheckpointPaths)
    found.push_back(locate(path));
  return found == expected;
}

Expected<LatestCheckpoint> CheckpointManager::recover() {
  damaged.clear();
  unreadable.clear();
  warnings.clear();
  toBeRemoved.clear();
  INGOT_ASSIGN_OR_RETURN(Directory before, listDirectory());
  State state = readState();
  finishInterrupted(before, state);
  INGOT_ASSIGN_OR_RETURN(Directory directory, listDirectory());
  LatestCheckpoint latest = search(directory, state);
  if (latest.found) {
    setAsideDamaged(latest);
    if (latest.found->step)
      removeOrphans(directory, *latest.found->step);
    takeOver(directory, state, *latest.found);
    if (!stateAgrees(state, *latest.found))
      if (Status status = writeState(latest.found->prefix); !status.isOk())
        warnings.push_back(status.message());
    removeOld(latest.found->prefix);
  }
  for (std::string &warning : takeWarnings())
    latest.warnings.push_back(std::move(warning));
  return latest;
}
