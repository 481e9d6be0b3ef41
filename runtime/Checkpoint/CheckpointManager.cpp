//===- CheckpointManager.cpp - Saves, keeps and removes checkpoints -------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Checkpoint/CheckpointFileSet.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Support/ReplaceFile.h"

#include <algorithm>
#include <sys/time.h>
#include <tuple>

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
  // Removes trailing slashes: ownershipError() compares directories as text, so
  // "run/" must become "run".
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
      return refused(std::string(what) + " is '" + *name +
                     "', expected a file name");
    if (name->find('/') != std::string::npos)
      return refused(std::string(what) + " has path components: '" + *name +
                     "'; expected a name without '/'");
  }
  std::optional<CheckpointFileName> other =
      parseFileName(options.basename + "-1." + options.metaGraphSuffix);
  if (other && other->role != FileRole::MetaGraph)
    return refused("the meta graph's suffix '" + options.metaGraphSuffix +
                   "' gives the meta graph the name of another file of the "
                   "checkpoint: choose another suffix");
  const std::string &state = options.stateFileName;
  std::optional<CheckpointFileName> file = parseFileName(state);
  std::string base = file ? file->base : state;
  bool collides = base == options.basename ||
                  base.starts_with(options.basename + "-") ||
                  state.ends_with(temporarySuffix);
  if (collides)
    return refused("the state file's name '" + state +
                   "' collides with the names of checkpoints ('" +
                   options.basename +
                   "-STEP') or temporary files: choose another name");
  return Status::ok();
}

std::string CheckpointManager::prefixOf(int64_t step) const {
  if (!options.numbersSteps)
    return savePath();
  return resolvePath(options.directory,
                     stepName(options.basename, step, options.padStepNumber));
}

std::string CheckpointManager::savePath() const {
  return resolvePath(options.directory, options.basename);
}

/// Returns the step in the name of a checkpoint whose base name is
/// options.basename, with or without padding zeros. If the manager saves under
/// a name without a step, returns INT64_MAX for this name, so that it counts as
/// the newest. Returns std::nullopt for any other prefix.
std::optional<int64_t>
CheckpointManager::ownStep(const std::string &prefix) const {
  std::optional<int64_t> step = stepOf(prefix);
  std::string_view name = withoutV1Shards(prefix);
  if (!options.numbersSteps && name == savePath())
    return INT64_MAX;
  for (bool padded : {false, true})
    if (step && name == resolvePath(options.directory,
                                    stepName(options.basename, *step, padded)))
      return step;
  return std::nullopt;
}

/// Returns true if the base name of `prefix` is one of options.otherBasenames,
/// as with AdaNet's "increment.ckpt-1" beside "model.ckpt-100". Such
/// checkpoints are in the same list of kept checkpoints as those with
/// options.basename, and count towards its limit.
bool CheckpointManager::isOthers(const std::string &prefix) const {
  std::optional<int64_t> step = stepOf(prefix);
  return std::any_of(
      options.otherBasenames.begin(), options.otherBasenames.end(),
      [&](const std::string &basename) {
        return step && prefix == resolvePath(options.directory,
                                             stepName(basename, *step,
                                                      /*padded=*/false));
      });
}

/// Returns the reason why `prefix` is not a checkpoint of this manager, judging
/// by its directory and name; "" if it is one.
std::string CheckpointManager::ownershipError(const std::string &prefix) const {
  if (directoryOf(prefix) != options.directory)
    return "it is outside '" + options.directory + "'";
  // The prefix without a step is accepted, too: an earlier run that saved
  // without step numbers may have listed it in the state file.
  bool isUnnumbered = withoutV1Shards(prefix) == savePath();
  if (!ownStep(prefix) && !isOthers(prefix) && !isUnnumbered)
    return "it is not a checkpoint of '" + options.basename + "'";
  return "";
}

Status CheckpointManager::remove(const std::string &prefix) {
  if (std::string why = ownershipError(prefix); !why.empty())
    return Status(StatusCode::FailedPrecondition, why);
  INGOT_RETURN_IF_ERROR(
      removeCheckpoint(fileSystem, prefix, options.metaGraphSuffix));
  std::string debug = metaGraphPath(prefix, debugInfoSuffix);
  if (options.debugInfo && fileSystem.kindOf(debug) == FileKind::Regular)
    return fileSystem.remove(debug);
  return Status::ok();
}

std::vector<std::string> CheckpointManager::lastCheckpoints() const {
  std::vector<std::string> prefixes;
  for (const KeptCheckpoint &checkpoint : kept)
    prefixes.push_back(checkpoint.prefix);
  return prefixes;
}

std::vector<std::string> CheckpointManager::takeWarnings() {
  return std::exchange(warnings, {});
}

/// Returns the path with which the state file refers to `prefix`: relative to
/// the directory if options.saveRelativePaths is set or the directory is itself
/// a relative path, else `prefix` itself.
std::string CheckpointManager::statePath(const std::string &prefix) const {
  bool relative =
      options.saveRelativePaths || !options.directory.starts_with('/');
  std::string parent = options.directory + "/";
  if (relative && prefix.starts_with(parent))
    return prefix.substr(parent.size());
  return prefix;
}

/// Returns the name of the staged state file. A save writes the staged file
/// before it renames the checkpoint's files, and finally renames the staged
/// file to the state file. If a staged file exists after a crash, it names the
/// checkpoint of the interrupted save.
std::string CheckpointManager::stagedStateName() const {
  return options.stateFileName + ".next" + std::string(temporarySuffix);
}

CheckpointState
CheckpointManager::stateNaming(const std::string &newest) const {
  CheckpointState state;
  state.modelCheckpointPath = statePath(newest);
  for (const KeptCheckpoint &checkpoint : kept)
    state.allModelCheckpointPaths.push_back(statePath(checkpoint.prefix));
  // Adds `newest` to the list if it is missing there. This happens, for
  // instance, if the user went back to an earlier checkpoint.
  auto &listed = state.allModelCheckpointPaths;
  if (std::find(listed.begin(), listed.end(), state.modelCheckpointPath) ==
      listed.end())
    listed.push_back(state.modelCheckpointPath);
  for (const std::string &prefix : toBeRemoved)
    state.removing.push_back(statePath(prefix));
  return state;
}

Status CheckpointManager::writeState(const std::string &newest) {
  if (!options.writesState)
    return Status::ok();
  return writeCheckpointState(fileSystem, options.directory,
                              stateNaming(newest), options.stateFileName);
}

/// Adds `prefix` to the list of kept checkpoints, and removes the oldest ones
/// beyond `maxToKeep` from the list. TensorFlow's Saver._RecordLastCheckpoint
/// removes at most one; removing more also shortens a list from an earlier run
/// with a larger `maxToKeep`.
void CheckpointManager::record(const std::string &prefix) {
  if (options.maxToKeep <= 0 || !options.writesState)
    return;
  std::erase_if(
      kept, [&](const KeptCheckpoint &old) { return old.prefix == prefix; });
  kept.push_back({prefix, options.clock()});
  dropOldest(static_cast<size_t>(options.maxToKeep), prefix);
}

/// Removes the oldest checkpoints other than `except` from the list until at
/// most `limit` are left.
void CheckpointManager::dropOldest(size_t limit, const std::string &except) {
  for (auto at = kept.begin(); kept.size() > limit && at != kept.end();) {
    if (at->prefix == except) {
      ++at;
      continue;
    }
    KeptCheckpoint oldest = std::move(*at);
    at = kept.erase(at);
    // As in Saver._MaybeDeleteOldCheckpoints, a checkpoint that leaves the list
    // stays on disk if it is newer than `nextPreservation`. `nextPreservation`
    // then advances by keep_checkpoint_every_n_hours.
    if (oldest.time > nextPreservation)
      nextPreservation += options.keepCheckpointEveryNHours * 3600;
    else
      toBeRemoved.push_back(std::move(oldest.prefix));
  }
}

/// Deletes the files of the checkpoints in `toBeRemoved` that belong to this
/// manager. The state file must no longer list them, so that it never lists a
/// checkpoint without files, even after a crash. A failure only adds a warning,
/// and the next save tries again.
void CheckpointManager::removeOld(const std::string &newest) {
  if (toBeRemoved.empty())
    return;
  std::erase_if(toBeRemoved, [&](const std::string &prefix) {
    Status status = remove(prefix);
    if (!status.isOk())
      warnings.push_back("cannot remove the old checkpoint '" + prefix +
                         "': " + status.message());
    // FailedPrecondition means that a file of this prefix is not a
    // checkpoint's. Trying again would not help, so the prefix leaves
    // `toBeRemoved`.
    return status.isOk() || status.code() == StatusCode::FailedPrecondition;
  });
  if (Status status = writeState(newest); !status.isOk())
    warnings.push_back(status.message());
}

/// Renames the files of a damaged checkpoint to `<base>.damaged`. This frees
/// its name and loses no bytes. Returns the new prefix, or "" if the checkpoint
/// has no files.
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
          std::optional<CheckpointFileName> parsed = parseFileName(name);
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
      std::optional<CheckpointFileName> parsed = parseFileName(name);
      if (parsed && parsed->base == base &&
          (parsed->role == FileRole::Index || parsed->role == FileRole::Data ||
           parsed->role == FileRole::MetaGraph))
        files.push_back(parent + name);
    }
  // Renames V1 files only if there is no index: otherwise the damage is in the
  // V2 checkpoint, and a V1 checkpoint of the same name may be intact.
  if (!fileSystem.exists(indexPath(prefix)))
    for (std::string &path : findV1Files(fileSystem, prefix))
      files.push_back(std::move(path));
  if (files.empty())
    return std::string();
  for (const std::string &path : files)
    if (FileKind kind = fileSystem.kindOf(path); kind != FileKind::Regular)
      return Status(StatusCode::FailedPrecondition,
                    "'" + path + "' is " + kindText(kind) +
                        ", expected a regular file");
  for (const std::string &path : files)
    INGOT_RETURN_IF_ERROR(fileSystem.rename(
        path, parent + aside + path.substr(parent.size() + base.size())));
  INGOT_RETURN_IF_ERROR(fileSystem.syncDirectory(options.directory));
  return parent + aside;
}

/// Renames links, folders and the like whose names a save needs for its own
/// files. No save has made them, and writing through a link could overwrite a
/// file elsewhere.
Status CheckpointManager::moveAsideAll(const std::vector<std::string> &paths) {
  for (const std::string &path : paths) {
    FileKind kind = fileSystem.kindOf(path);
    INGOT_ASSIGN_OR_RETURN(std::string aside, moveAside(fileSystem, path));
    warnings.push_back("'" + path + "' is " + kindText(kind) +
                       "; to make room for a checkpoint, it was renamed to '" +
                       aside + "'");
  }
  return Status::ok();
}

Status CheckpointManager::clearStateNames() {
  std::vector<std::string> foreign;
  for (const std::string &name :
       {stagedStateName(),
        options.stateFileName + std::string(temporarySuffix)}) {
    std::string path = resolvePath(options.directory, name);
    FileKind kind = fileSystem.kindOf(path);
    if (kind != FileKind::None && kind != FileKind::Regular)
      foreign.push_back(path);
  }
  return moveAsideAll(foreign);
}

/// Writes the checkpoint's files, and adds the checkpoint to the list of kept
/// ones. Before the files get their final names, writes the staged state file,
/// which names the checkpoint. Returns the checkpoint's prefix; with V1 shards
/// this is a pattern.
Expected<std::string>
CheckpointManager::write(const std::string &prefix,
                         std::span<const TensorToSave> items) {
  std::string saved = options.writesV1 && options.sharded
                          ? v1ShardPath(prefix, std::nullopt, options.numShards)
                          : prefix;
  // The list of kept checkpoints before this save; it is restored if the save
  // fails.
  auto before = std::tuple(kept, toBeRemoved, nextPreservation);
  std::erase(toBeRemoved, saved);
  record(saved);
  std::string staged = resolvePath(options.directory, stagedStateName());
  // `stage` writes the staged state file. It is called before the checkpoint's
  // index is written: if a crash leaves a complete checkpoint that the state
  // file lacks, there is always a staged state file, from which recovery adds
  // the checkpoint to the list (adoptInterrupted()).
  std::function<Status()> stage = [&]() -> Status {
    std::string text = printCheckpointState(stateNaming(saved));
    INGOT_RETURN_IF_ERROR(writeDurably(fileSystem, staged, contentsOf(text)));
    return fileSystem.syncDirectory(options.directory);
  };
  if (!options.writesState)
    stage = nullptr;
  Status status = options.writesV1
                      ? writeV1Checkpoint(fileSystem, prefix, options.numShards,
                                          options.sharded, items, stage)
                            .takeStatus()
                      : writeCheckpoint(fileSystem, prefix, options.numShards,
                                        options.sharded, items, options.threads,
                                        stage, options.others);
  if (status.isOk())
    return saved;
  std::tie(kept, toBeRemoved, nextPreservation) = std::move(before);
  if (!checkpointExists(fileSystem, saved) && fileSystem.exists(staged))
    (void)fileSystem.remove(staged);
  return status;
}

Status CheckpointManager::createDirectory() {
  if (fileSystem.exists(options.directory))
    return Status::ok();
  INGOT_RETURN_IF_ERROR(fileSystem.createDirectories(options.directory));
  return fileSystem.syncDirectory(directoryOf(options.directory));
}

/// Writes the meta graph and its debug info beside checkpoint `prefix`, if the
/// options request them.
Status CheckpointManager::writeGraph(const std::string &prefix) {
  if (options.metaGraph) {
    INGOT_ASSIGN_OR_RETURN(std::string bytes, options.metaGraph());
    INGOT_RETURN_IF_ERROR(
        writeMetaGraph(fileSystem, prefix, options.metaGraphSuffix, bytes));
  }
  if (options.debugInfo) {
    INGOT_ASSIGN_OR_RETURN(std::string bytes, options.debugInfo());
    INGOT_RETURN_IF_ERROR(
        writeMetaGraph(fileSystem, prefix, debugInfoSuffix, bytes));
  }
  return Status::ok();
}

Status CheckpointManager::saveGraph(int64_t step) {
  INGOT_RETURN_IF_ERROR(createDirectory());
  return writeGraph(prefixOf(step));
}

Expected<std::string>
CheckpointManager::save(int64_t step, std::span<const TensorToSave> items) {
  INGOT_RETURN_IF_ERROR(createDirectory());
  std::string prefix = prefixOf(step);
  if (damaged.contains(prefix)) {
    INGOT_RETURN_IF_ERROR(setAside(prefix).takeStatus());
    damaged.erase(prefix);
  }
  INGOT_RETURN_IF_ERROR(clearStateNames());
  INGOT_ASSIGN_OR_RETURN(
      CheckpointFileSet there,
      findSaveFiles(fileSystem, prefix, options.metaGraphSuffix));
  INGOT_RETURN_IF_ERROR(moveAsideAll(there.foreign));
  std::vector<TensorToSave> spread;
  if (options.spread) {
    spread.assign(items.begin(), items.end());
    spreadOverShards(spread, options.numShards);
    items = spread;
  }
  INGOT_ASSIGN_OR_RETURN(prefix, write(prefix, items));
  INGOT_RETURN_IF_ERROR(writeGraph(prefix));
  if (!options.writesState)
    return prefix;
  // Replaces the state file as the last step, so that it never names an
  // incomplete checkpoint.
  Status status =
      fileSystem.rename(resolvePath(options.directory, stagedStateName()),
                        resolvePath(options.directory, options.stateFileName));
  if (status.isOk())
    status = fileSystem.syncDirectory(options.directory);
  if (!status.isOk())
    return std::move(status).withContext(
        "'" + prefix + "' is saved, but the state file isn't");
  removeOld(prefix);
  return prefix;
}
