//===- CheckpointRecovery.cpp - Finds checkpoints, recovers from crashes --===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/CheckpointFileSet.h"
#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Checkpoint/CheckpointNames.h"

#include <algorithm>
#include <map>

using namespace ingot;

/// The contents of a state file, or a warning that says why the file cannot be
/// used. A missing state file leaves both fields empty.
struct CheckpointManager::State {
  std::optional<CheckpointState> contents;
  std::string warning;
};

/// The checkpoints that have files in the directory, judging by the names of
/// the files alone.
struct CheckpointManager::Directory {
  /// Which files of one checkpoint exist.
  struct CheckpointFilePresence {
    int64_t step = 0;
    bool index = false; // the index, or a file of a V1 checkpoint, exists
    bool data = false;
    bool temporary = false;
  };
  std::map<std::string, CheckpointFilePresence> checkpoints; // keyed by prefix
};

CheckpointManager::State
CheckpointManager::readState(const std::string &fileName) const {
  State state;
  Expected<CheckpointState> contents =
      readCheckpointState(fileSystem, options.directory, fileName);
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
    std::optional<CheckpointFileName> parsed = parseFileName(name);
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
    Directory::CheckpointFilePresence &files = directory.checkpoints[prefix];
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

/// Returns the prefix of the checkpoint to which a path in the state file
/// refers. If this manager's directory has a checkpoint of the same base name,
/// returns the prefix of that checkpoint, since the directory may have been
/// moved after the file was written.
std::string CheckpointManager::locate(const std::string &path) const {
  std::string here = resolvePath(options.directory, baseOf(path));
  if (checkpointExists(fileSystem, here))
    return here;
  return resolvePath(options.directory, path);
}

/// Returns the checkpoints that the state file lists, in the order in which to
/// try them: first the one that the file names as newest, then all older ones,
/// newest first. Last come the listed checkpoints that are newer than the one
/// that the file names, newest first. There are such checkpoints only if the
/// user went back to an earlier checkpoint.
std::vector<std::string>
CheckpointManager::listedOrder(const CheckpointState &state) const {
  std::vector<std::string> order, listed;
  auto add = [&](const std::string &prefix) {
    if (std::find(order.begin(), order.end(), prefix) == order.end())
      order.push_back(prefix);
  };
  for (const std::string &path : state.allModelCheckpointPaths)
    listed.push_back(locate(path));
  auto from = listed.rbegin();
  if (!state.modelCheckpointPath.empty()) {
    add(locate(state.modelCheckpointPath));
    from = std::find(listed.rbegin(), listed.rend(), order.front());
    if (from == listed.rend())
      from = listed.rbegin();
  }
  std::for_each(from, listed.rend(), add);
  std::for_each(listed.rbegin(), from, add);
  return order;
}

/// Returns the first usable checkpoint: one whose checksums are all correct.
/// Tries the checkpoints that the state file lists, in listedOrder(), then the
/// directory's other checkpoints by descending step.
LatestCheckpoint CheckpointManager::search(const Directory &directory,
                                           const State &state) {
  LatestCheckpoint latest;
  if (!state.warning.empty())
    latest.warnings.push_back(state.warning);

  std::vector<std::string> candidates;
  if (state.contents)
    candidates = listedOrder(*state.contents);
  size_t numListed = candidates.size();
  std::string named;
  if (state.contents && !state.contents->modelCheckpointPath.empty())
    named = candidates.front();
  // Collects the directory's checkpoints by descending step. Data shards
  // without an index but with temporary files are not among them: they belong
  // to an unfinished save, which another process may still finish.
  std::multimap<int64_t, std::string, std::greater<>> bySteps;
  for (const auto &[prefix, files] : directory.checkpoints)
    if (files.index || (files.data && !files.temporary))
      bySteps.emplace(files.step, prefix);
  for (const auto &[step, prefix] : bySteps)
    if (std::find(candidates.begin(), candidates.end(), prefix) ==
        candidates.end())
      candidates.push_back(prefix);

  // The index in `latest.warnings` of the warning that says why `named`, which
  // the state file names as the newest checkpoint, cannot be used.
  std::optional<size_t> whyNotNamed;
  for (size_t i = 0; i < candidates.size() && !latest.found; ++i) {
    const std::string &prefix = candidates[i];
    Status status = verifyCheckpoint(fileSystem, prefix);
    if (status.isOk()) {
      latest.found = RestorableCheckpoint{prefix, stepOf(prefix)};
      if (whyNotNamed)
        latest.warnings[*whyNotNamed] +=
            "; the state file names it, using '" + prefix + "', the " +
            (i < numListed ? "next one that the state file lists"
                           : "newest complete one in the directory");
      break;
    }
    // A checkpoint without files gets a warning only if the state file names it
    // as the newest. Older ones in the list may have been deleted on purpose.
    if (prefix == named || checkpointExists(fileSystem, prefix) ||
        directory.checkpoints.contains(prefix)) {
      if (prefix == named)
        whyNotNamed = latest.warnings.size();
      latest.warnings.push_back("checkpoint '" + prefix +
                                "' can't be used: " + status.message());
      damaged.insert(prefix);
      if (!isDamage(status))
        unreadable.insert(prefix);
    }
  }
  // Use the checkpoint that the state file names even if the directory has a
  // newer one, but warn the user about the newer one.
  if (latest.found && latest.found->prefix == named && ownStep(named) &&
      !bySteps.empty() && bySteps.begin()->first > *ownStep(named))
    latest.warnings.push_back("the state file names '" + named +
                              "': using it although '" +
                              bySteps.begin()->second + "' is newer");
  return latest;
}

Expected<LatestCheckpoint> CheckpointManager::latestComplete() {
  INGOT_ASSIGN_OR_RETURN(Directory directory, listDirectory());
  return search(directory, readState(options.stateFileName));
}

/// Finishes or undoes saves and removals of checkpoints that a crash
/// interrupted. Adds errors to `warnings`.
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
  if (fileSystem.kindOf(temporary) == FileKind::Regular)
    attempt(fileSystem.remove(temporary));
  if (!state.contents)
    return;
  const CheckpointState &contents = *state.contents;
  for (const std::string &path : contents.removing) {
    // Skip a path that is still in the state file's list of kept checkpoints: a
    // checkpoint to be removed leaves that list first.
    std::string prefix = resolvePath(options.directory, path);
    const auto &listed = contents.allModelCheckpointPaths;
    if (path != contents.modelCheckpointPath &&
        std::find(listed.begin(), listed.end(), path) == listed.end())
      attempt(remove(prefix).withContext("'" + prefix + "'"));
  }
}

/// Renames the damaged checkpoints that search() has found, and adds warnings
/// to `latest`. Checkpoints with I/O errors keep their names, as they may be
/// intact.
void CheckpointManager::setAsideDamaged(LatestCheckpoint &latest) {
  for (auto at = damaged.begin(); at != damaged.end();) {
    const std::string &prefix = *at;
    std::string first = fileSystem.exists(indexPath(prefix)) ? indexPath(prefix)
                                                             : std::string();
    if (std::vector<std::string> v1 = findV1Files(fileSystem, prefix);
        first.empty() && !v1.empty())
      first = v1.front();
    // Does not rename a file whose first bytes are not those of a checkpoint's
    // file: the user may have put it there.
    if (unreadable.contains(prefix) || !ownStep(prefix) ||
        (!first.empty() && !looksLikeTable(fileSystem, first))) {
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
      latest.warnings.push_back("the damaged '" + prefix +
                                "' was renamed to '" + *aside + "'");
    at = damaged.erase(at);
  }
}

/// Returns why `prefix`, which the state file lists, must not be in this
/// manager's list of kept checkpoints; "" if it may be.
std::string CheckpointManager::whyNotListed(const std::string &prefix) const {
  if (directoryOf(prefix) != options.directory)
    return ownershipError(prefix);
  if (fileSystem.exists(indexPath(prefix)))
    return "";
  for (const std::string &path : findV1Files(fileSystem, prefix))
    if (!looksLikeTable(fileSystem, path))
      return "it is not a checkpoint";
  return "";
}

double CheckpointManager::timeOf(const std::string &prefix) const {
  Expected<double> time = checkpointTime(fileSystem, prefix);
  return time ? *time : 0;
}

/// Initializes `kept` from the state file as Saver.recover_last_checkpoints
/// does: with the listed checkpoints that exist, in the same order. Without a
/// state file, the newest checkpoints of the directory are used.
void CheckpointManager::takeOver(const Directory &directory, const State &state,
                                 const RestorableCheckpoint &newest) {
  kept.clear();
  if (options.maxToKeep <= 0)
    return;
  auto add = [&](const std::string &prefix, std::optional<double> time) {
    bool isListed =
        std::any_of(kept.begin(), kept.end(), [&](const KeptCheckpoint &other) {
          return other.prefix == prefix;
        });
    if (isListed || damaged.contains(prefix) ||
        !checkpointExists(fileSystem, prefix))
      return;
    if (std::string why = whyNotListed(prefix);
        !why.empty() && prefix != newest.prefix) {
      warnings.push_back("the state file lists '" + prefix +
                         "', ignored: " + why);
      return;
    }
    kept.push_back({prefix, time ? *time : timeOf(prefix)});
  };
  if (state.contents && !state.contents->modelCheckpointPath.empty()) {
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
    auto limit = static_cast<size_t>(options.maxToKeep);
    if (kept.size() > limit)
      kept.erase(kept.begin(), kept.end() - static_cast<std::ptrdiff_t>(limit));
  }
  add(newest.prefix, std::nullopt);
}

/// Adds the checkpoint of an interrupted save to `kept`. Such a save has
/// written all files but not replaced the state file; the staged state file
/// names its checkpoint. The checkpoint is inserted before `newest`, which the
/// state file names, so that `newest` stays the last one. Like the save itself,
/// removes the oldest checkpoint from the list: otherwise each such crash would
/// leave one more checkpoint on disk.
void CheckpointManager::adoptInterrupted(const State &staged,
                                         const RestorableCheckpoint &newest) {
  if (!staged.contents || options.maxToKeep <= 0)
    return;
  std::string prefix =
      resolvePath(options.directory, staged.contents->modelCheckpointPath);
  auto is = [](const std::string &path) {
    return [&](const KeptCheckpoint &entry) { return entry.prefix == path; };
  };
  if (!ownStep(prefix) || damaged.contains(prefix) ||
      !checkpointExists(fileSystem, prefix) ||
      std::any_of(kept.begin(), kept.end(), is(prefix)))
    return;
  size_t before = kept.size();
  kept.insert(std::find_if(kept.begin(), kept.end(), is(newest.prefix)),
              {prefix, timeOf(prefix)});
  dropOldest(std::max(before, static_cast<size_t>(options.maxToKeep)),
             newest.prefix);
}

/// Returns true if the state file names `newest`, lists exactly the kept
/// checkpoints and has no unfinished removals, so that it needs no repair.
bool CheckpointManager::stateAgrees(const State &state,
                                    const RestorableCheckpoint &newest) const {
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
  State state = readState(options.stateFileName);
  finishInterrupted(before, state);
  INGOT_ASSIGN_OR_RETURN(Directory directory, listDirectory());
  LatestCheckpoint latest = search(directory, state);
  std::string stagedPath = resolvePath(options.directory, stagedStateName());
  bool hasStaged = fileSystem.kindOf(stagedPath) == FileKind::Regular;
  // False if the state file needed a repair and could not be written.
  bool isWritten = true;
  if (latest.found) {
    setAsideDamaged(latest);
    takeOver(directory, state, *latest.found);
    if (hasStaged)
      adoptInterrupted(readState(stagedStateName()), *latest.found);
    if (!stateAgrees(state, *latest.found)) {
      Status status = clearStateNames();
      if (status.isOk())
        status = writeState(latest.found->prefix);
      if (!status.isOk())
        warnings.push_back(status.message());
      isWritten = status.isOk();
    }
    removeOld(latest.found->prefix);
  }
  if (hasStaged && isWritten)
    if (Status status = fileSystem.remove(stagedPath); !status.isOk())
      warnings.push_back(status.message());
  for (std::string &warning : takeWarnings())
    latest.warnings.push_back(std::move(warning));
  return latest;
}
