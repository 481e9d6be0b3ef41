//===- CheckpointFileSet.cpp - The files of a checkpoint ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/CheckpointFileSet.h"
#include "runtime/Checkpoint/BundleReader.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/SaveRestore.h"
#include "runtime/Checkpoint/TableReader.h"

#include <algorithm>

using namespace ingot;

namespace {

/// Collects the results of several steps that are all attempted, and returns
/// the first failure.
class FirstFailureCollector {
public:
  void add(Status status) {
    if (first.isOk())
      first = std::move(status);
  }
  Status take() { return std::move(first); }

private:
  Status first;
};

Status removePartDirectory(FileSystem &fileSystem, const std::string &path) {
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> names, fileSystem.list(path));
  FirstFailureCollector failure;
  for (const std::string &name : names)
    if (std::string file = path + "/" + name;
        name.starts_with("part-") &&
        fileSystem.kindOf(file) == FileKind::Regular)
      failure.add(fileSystem.remove(file));
  // Fails if the directory is not empty, which means that it contains a file
  // that is not from a save.
  failure.add(fileSystem.removeDirectory(path));
  return failure.take();
}

/// The data shards of an interrupted save whose temporary index is complete.
struct PendingSave {
  std::vector<ShardRename> moves;  // shards that are not renamed yet
  std::vector<std::string> shards; // final names of all shards
};

/// Verifies all checksums of an interrupted save: those of its temporary index
/// and of each data shard. A shard has its final name if it was renamed
/// already, and otherwise its temporary name. `parts` is the directory with the
/// shards of a sharded save that are not renamed yet. It is "" if the save is
/// not sharded, or if there is no such directory.
Expected<PendingSave> verifyPending(FileSystem &fileSystem,
                                    const std::string &prefix,
                                    const std::string &parts) {
  auto locate = [&](uint32_t shard, uint32_t numShards) {
    std::string path = temporaryShardPath(prefix, shard, numShards, parts);
    return fileSystem.exists(path) ? path : shardPath(prefix, shard, numShards);
  };
  INGOT_ASSIGN_OR_RETURN(
      std::unique_ptr<BundleReader> reader,
      BundleReader::openFiles(fileSystem, temporaryIndexPath(prefix), locate));
  INGOT_RETURN_IF_ERROR(reader->verify());
  PendingSave pending;
  for (uint32_t shard = 0; shard < reader->numShards(); ++shard) {
    std::string to = shardPath(prefix, shard, reader->numShards());
    std::string from = reader->shardPath(shard);
    if (from != to)
      pending.moves.push_back({from, to});
    pending.shards.push_back(to);
  }
  return pending;
}

} // namespace

std::vector<std::string> ingot::findV1Files(FileSystem &fileSystem,
                                            const std::string &prefix) {
  std::vector<std::string> files;
  std::string pattern = baseOf(prefix);
  std::string parent = prefix.substr(0, prefix.size() - pattern.size());
  if (withoutV1Shards(pattern) == pattern) {
    // A V1 checkpoint is a file; a folder named `prefix` is something else.
    if (fileSystem.exists(prefix) && !fileSystem.list(prefix))
      files.push_back(prefix);
    return files;
  }
  auto names = fileSystem.list(directoryOf(prefix));
  if (!names)
    return files;
  for (const std::string &name : *names) {
    std::optional<V1ShardName> shard = parseV1ShardName(name);
    if (shard &&
        v1ShardPath(shard->base, std::nullopt, shard->numShards) == pattern)
      files.push_back(parent + name);
  }
  return files;
}

Expected<CheckpointFileSet>
ingot::findSaveFiles(FileSystem &fileSystem, const std::string &prefix,
                     const std::string &metaGraphSuffix) {
  std::string base = baseOf(prefix);
  std::string parent = prefix.substr(0, prefix.size() - base.size());
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> names,
                         fileSystem.list(directoryOf(prefix)));
  CheckpointFileSet found;
  for (const std::string &name : names) {
    std::string path = parent + name;
    bool isMetaGraph = path == metaGraphPath(prefix, metaGraphSuffix);
    std::optional<CheckpointFileName> parsed = parseFileName(name);
    if (parsed && parsed->base != base)
      parsed.reset();
    if (!isMetaGraph && !parsed)
      continue;
    FileKind expected = parsed && parsed->role == FileRole::PartDirectory
                            ? FileKind::Directory
                            : FileKind::Regular;
    if (fileSystem.kindOf(path) != expected) {
      found.foreign.push_back(path);
      continue;
    }
    found.metaGraph |= isMetaGraph;
    if (!parsed)
      continue;
    switch (parsed->role) {
    case FileRole::Index:
      found.index = true;
      break;
    case FileRole::Data:
      found.data.push_back(path);
      break;
    case FileRole::MetaGraph:
      break;
    case FileRole::TemporaryIndex:
      // Inserts the temporary index at the front, so that it is removed first:
      // as long as it exists, recovery tries to complete the save.
      found.temporaryIndex |= path == temporaryIndexPath(prefix);
      found.temporaries.insert(found.temporaries.begin(), path);
      break;
    case FileRole::TemporaryData:
    case FileRole::TemporaryMetaGraph:
      found.temporaries.push_back(path);
      break;
    case FileRole::PartDirectory:
      found.partDirectories.push_back(path);
      break;
    }
  }
  return found;
}

bool ingot::looksLikeTable(FileSystem &fileSystem, const std::string &path) {
  auto file = fileSystem.openForReading(path);
  if (!file)
    return false;
  // Reads the start of the first record. In leveldb's format a record starts
  // with two lengths: how many bytes of the key are shared with the previous
  // key, and how many follow. Both are 0 here, because the first key in
  // TensorFlow's tables is empty.
  char start[2];
  Expected<size_t> size = (*file)->read(0, sizeof(start), start);
  return size && *size == sizeof(start) && start[0] == 0 && start[1] == 0;
}

/// Checks that no file of checkpoint `prefix` is a link or a folder, and that
/// the index and V1 files really are a checkpoint's by their contents.
/// Otherwise returns FailedPrecondition with the reason; the caller must then
/// remove none of the files.
static Status checkRemovable(FileSystem &fileSystem, const std::string &prefix,
                             const CheckpointFileSet &found,
                             const std::vector<std::string> &v1) {
  auto leftAlone = [&](const std::string &why) {
    return Status(
        StatusCode::FailedPrecondition,
        "'" + prefix +
            "' is not removed, because one of its files does not belong to a "
            "checkpoint: " +
            why);
  };
  std::vector<std::string> files = found.foreign;
  files.insert(files.end(), v1.begin(), v1.end());
  for (const std::string &path : files)
    if (FileKind kind = fileSystem.kindOf(path); kind != FileKind::Regular)
      return leftAlone("'" + path + "' is " + kindText(kind));
  Status status = Status::ok();
  if (found.index)
    status = BundleReader::open(fileSystem, prefix).takeStatus();
  for (const std::string &path : v1) {
    if (!status.isOk())
      break;
    INGOT_ASSIGN_OR_RETURN(auto file, fileSystem.openForReading(path));
    INGOT_ASSIGN_OR_RETURN(bool isTable, hasTableFooter(*file));
    if (!isTable)
      return leftAlone("'" + path + "' is not a checkpoint");
  }
  return isDamage(status) ? leftAlone(status.message()) : std::move(status);
}

bool ingot::isDamage(const Status &status) {
  return status.code() == StatusCode::DataLoss ||
         status.code() == StatusCode::NotFound ||
         status.code() == StatusCode::Unimplemented;
}

Status ingot::removeTemporaries(FileSystem &fileSystem,
                                const std::string &prefix) {
  INGOT_ASSIGN_OR_RETURN(CheckpointFileSet found,
                         findSaveFiles(fileSystem, prefix));
  FirstFailureCollector failure;
  for (const std::string &path : found.temporaries)
    failure.add(fileSystem.remove(path));
  for (const std::string &path : found.partDirectories)
    failure.add(removePartDirectory(fileSystem, path));
  return failure.take();
}

Status ingot::publishSave(FileSystem &fileSystem, const std::string &prefix,
                          std::span<const ShardRename> moves,
                          std::span<const std::string> shards) {
  std::string directory = directoryOf(prefix);
  for (const ShardRename &move : moves)
    INGOT_RETURN_IF_ERROR(fileSystem.rename(move.from, move.to));
  // Syncs before the index is renamed. File systems may reorder renames: after
  // a crash the index could have its final name and a shard not, so that the
  // index would describe data of another save.
  INGOT_RETURN_IF_ERROR(fileSystem.syncDirectory(directory));
  INGOT_RETURN_IF_ERROR(
      fileSystem.rename(temporaryIndexPath(prefix), indexPath(prefix)));
  INGOT_RETURN_IF_ERROR(fileSystem.syncDirectory(directory));

  // Now the checkpoint is complete. Remove the directory that held the
  // unrenamed shards and is empty now. If the replaced checkpoint had another
  // number of shards, also remove the old shards. Failures are ignored, as the
  // next recovery tries again.
  if (Expected<CheckpointFileSet> found = findSaveFiles(fileSystem, prefix)) {
    for (const std::string &path : found->data)
      if (std::find(shards.begin(), shards.end(), path) == shards.end())
        (void)fileSystem.remove(path);
    for (const std::string &path : found->partDirectories)
      (void)removePartDirectory(fileSystem, path);
  }
  return Status::ok();
}

Status ingot::recoverSave(FileSystem &fileSystem, const std::string &prefix) {
  INGOT_ASSIGN_OR_RETURN(CheckpointFileSet found,
                         findSaveFiles(fileSystem, prefix));
  if (found.temporaryIndex) {
    // Decides between completing and undoing the save. The temporary index is
    // written after all data is on disk. If it is complete and all shards match
    // it, the save may already have renamed shards over those of an older
    // checkpoint of this name, so it must be completed. Otherwise nothing was
    // renamed, and removing the temporary files undoes the save. This function
    // may be interrupted as well: the next call skips renames that are done.
    std::vector<std::string> parts = found.partDirectories;
    parts.push_back(""); // "": not sharded, or all are renamed
    for (const std::string &directory : parts) {
      Expected<PendingSave> pending =
          verifyPending(fileSystem, prefix, directory);
      if (pending) {
        INGOT_RETURN_IF_ERROR(
            publishSave(fileSystem, prefix, pending->moves, pending->shards));
        break;
      }
      if (!isDamage(pending.status()))
        return pending.takeStatus();
    }
  }
  if (found.temporaries.empty() && found.partDirectories.empty())
    return Status::ok();
  return removeTemporaries(fileSystem, prefix);
}

Status ingot::removeCheckpoint(FileSystem &fileSystem,
                               const std::string &prefix,
                               const std::string &metaGraphSuffix) {
  INGOT_ASSIGN_OR_RETURN(CheckpointFileSet found,
                         findSaveFiles(fileSystem, prefix, metaGraphSuffix));
  std::vector<std::string> v1 = findV1Files(fileSystem, prefix);
  INGOT_RETURN_IF_ERROR(checkRemovable(fileSystem, prefix, found, v1));
  if (found.index) {
    INGOT_RETURN_IF_ERROR(fileSystem.remove(indexPath(prefix)));
    INGOT_RETURN_IF_ERROR(fileSystem.syncDirectory(directoryOf(prefix)));
  }
  FirstFailureCollector failure;
  for (const std::string &path : found.data)
    failure.add(fileSystem.remove(path));
  if (found.metaGraph)
    failure.add(fileSystem.remove(metaGraphPath(prefix, metaGraphSuffix)));
  for (const std::string &path : v1)
    failure.add(fileSystem.remove(path));
  // Syncs the removal before returning. The caller then no longer tries to
  // remove this checkpoint, so after a crash nothing would repeat a lost
  // removal.
  if (!found.data.empty() || found.metaGraph || !v1.empty())
    failure.add(fileSystem.syncDirectory(directoryOf(prefix)));
  return failure.take();
}

bool ingot::checkpointExists(FileSystem &fileSystem,
                             const std::string &prefix) {
  return fileSystem.exists(indexPath(prefix)) ||
         !findV1Files(fileSystem, prefix).empty();
}

Expected<double> ingot::checkpointTime(FileSystem &fileSystem,
                                       const std::string &prefix) {
  if (!fileSystem.exists(indexPath(prefix)))
    for (const std::string &path : findV1Files(fileSystem, prefix))
      return fileSystem.modificationTime(path);
  return fileSystem.modificationTime(indexPath(prefix));
}

Status ingot::verifyCheckpoint(FileSystem &fileSystem,
                               const std::string &prefix) {
  if (!fileSystem.exists(indexPath(prefix)) &&
      !findV1Files(fileSystem, prefix).empty()) {
    INGOT_ASSIGN_OR_RETURN(std::unique_ptr<CheckpointReader> reader,
                           CheckpointReader::open(fileSystem, prefix));
    return reader->verify();
  }
  INGOT_ASSIGN_OR_RETURN(std::unique_ptr<BundleReader> reader,
                         BundleReader::open(fileSystem, prefix));
  return reader->verify();
}
