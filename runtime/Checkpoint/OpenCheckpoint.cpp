//===- OpenCheckpoint.cpp - Which format a checkpoint has -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/BundleReader.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/CheckpointState.h"
#include "runtime/Checkpoint/SafetensorsReader.h"
#include "runtime/Checkpoint/V1CheckpointReader.h"

#include <map>
#include <set>

using namespace ingot;

namespace {

using OpenReader = Expected<std::unique_ptr<CheckpointReader>>;

/// Finds the files of a V1 checkpoint with shards, "<base>-00000-of-00002".
/// `pattern` is the base or "<base>-?????-of-00002". Returns the indices of the
/// shards that exist, keyed by the number of shards in the files' names.
std::map<uint32_t, std::set<uint32_t>>
findV1Shards(FileSystem &fileSystem, const std::string &pattern) {
  std::map<uint32_t, std::set<uint32_t>> shards;
  auto names = fileSystem.list(directoryOf(pattern));
  if (!names)
    return shards;
  std::string wanted = baseOf(pattern);
  for (const std::string &name : *names) {
    std::optional<V1ShardName> shard = parseV1ShardName(name);
    if (!shard)
      continue;
    if (shard->base == wanted ||
        v1ShardPath(shard->base, std::nullopt, shard->numShards) == wanted)
      shards[shard->numShards].insert(shard->shard);
  }
  return shards;
}

/// Opens a V1 checkpoint from the shards in `found`, which findV1Shards() has
/// returned. Returns NotFound, naming the file, if a shard is missing, and
/// InvalidArgument if there are shards of checkpoints with different numbers of
/// shards.
OpenReader openV1(FileSystem &fileSystem, const std::string &path,
                  const std::map<uint32_t, std::set<uint32_t>> &found) {
  if (found.size() > 1) {
    std::string sets;
    for (const auto &[numShards, shards] : found)
      sets += (sets.empty() ? "" : " and of ") + std::to_string(numShards);
    return Status(StatusCode::InvalidArgument,
                  "'" + path + "' names several V1 checkpoints, of " + sets +
                      " files: name one of them, for example '" +
                      v1ShardPath(path, std::nullopt, found.begin()->first) +
                      "'");
  }
  const auto &[numShards, shards] = *found.begin();
  std::string base = path;
  if (size_t marker = base.rfind("-" + std::string(5, '?') + "-of-");
      marker != std::string::npos)
    base.resize(marker);
  std::vector<std::string> files;
  for (uint32_t shard = 0; shard < numShards; ++shard) {
    files.push_back(v1ShardPath(base, shard, numShards));
    if (!shards.contains(shard))
      return Status(StatusCode::NotFound,
                    "'" + files.back() + "' is missing, one of the " +
                        std::to_string(numShards) + " files of '" + base + "'");
  }
  auto reader = V1CheckpointReader::open(fileSystem, files);
  if (!reader)
    return reader.takeStatus();
  return std::unique_ptr<CheckpointReader>(std::move(*reader));
}

/// Opens `path` as a V1 table or as a safetensors file, depending on its
/// contents.
OpenReader openFile(FileSystem &fileSystem, const std::string &path) {
  INGOT_ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file,
                         fileSystem.openForReading(path));
  INGOT_ASSIGN_OR_RETURN(bool isTable, hasTableFooter(*file));
  char start[9] = {};
  INGOT_ASSIGN_OR_RETURN(size_t found, file->read(0, sizeof(start), start));
  bool looksLikeJson = found == sizeof(start) && start[8] == '{';
  if (path.ends_with(".safetensors") || (!isTable && looksLikeJson)) {
    auto reader = SafetensorsReader::open(fileSystem, path);
    if (!reader)
      return reader.takeStatus();
    return std::unique_ptr<CheckpointReader>(std::move(*reader));
  }
  auto reader = V1CheckpointReader::open(fileSystem, {path});
  if (!reader)
    return reader.takeStatus();
  return std::unique_ptr<CheckpointReader>(std::move(*reader));
}

OpenReader openBundle(FileSystem &fileSystem, const std::string &prefix) {
  auto reader = BundleReader::open(fileSystem, prefix);
  if (!reader)
    return reader.takeStatus();
  return std::unique_ptr<CheckpointReader>(std::move(*reader));
}

} // namespace

Expected<std::unique_ptr<CheckpointReader>>
CheckpointReader::open(FileSystem &fileSystem, const std::string &path) {
  if (fileSystem.exists(indexPath(path)))
    return openBundle(fileSystem, path);
  // If `path` is the index or a data shard of a V2 checkpoint, opens this
  // checkpoint.
  std::optional<CheckpointFileName> name = parseFileName(baseOf(path));
  if (name && (name->role == FileRole::Index || name->role == FileRole::Data)) {
    std::string prefix =
        path.substr(0, path.size() - baseOf(path).size()) + name->base;
    if (fileSystem.exists(indexPath(prefix)))
      return openBundle(fileSystem, prefix);
  }
  if (auto shards = findV1Shards(fileSystem, path); !shards.empty())
    return openV1(fileSystem, path, shards);
  if (fileSystem.exists(path + ".safetensors"))
    return openFile(fileSystem, path + ".safetensors");
  if (!fileSystem.exists(path))
    return Status(StatusCode::NotFound,
                  "no checkpoint '" + path + "': there is neither '" +
                      indexPath(path) + "' (V2) nor '" + path + "' or '" +
                      v1ShardPath(path, 0, 1) + "' (V1) nor '" + path +
                      ".safetensors'");
  // From here on `path` exists, and is a file or a folder. A file must be a V1
  // table or a safetensors file; for any other file openFile() returns the
  // error.
  if (!fileSystem.list(path))
    return openFile(fileSystem, path);
  std::string variables = path + "/variables/variables";
  if (fileSystem.exists(indexPath(variables)))
    return openBundle(fileSystem, variables);
  if (!fileSystem.exists(path + "/checkpoint"))
    return Status(StatusCode::NotFound,
                  "no checkpoint in the folder '" + path +
                      "': it has neither a state file 'checkpoint' nor the "
                      "variables of a SavedModel");
  INGOT_ASSIGN_OR_RETURN(CheckpointState state,
                         readCheckpointState(fileSystem, path));
  std::string newest = resolvePath(path, state.modelCheckpointPath);
  if (fileSystem.exists(newest) && fileSystem.list(newest))
    return Status(StatusCode::DataLoss,
                  "'" + path + "/checkpoint' names a folder, '" + newest +
                      "', as its newest checkpoint: expected a prefix such as "
                      "'" +
                      path + "/model.ckpt-100'");
  return open(fileSystem, newest);
}
