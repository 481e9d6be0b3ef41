//===- Save.cpp - Writes whole checkpoints, safe against crashes ----------===//
// SPDX-License-Identifier: Apache-2.0
//
// A save has two phases. In the first, every byte is written and synced under
// temporary names, the index last; a crash in this phase leaves an older
// checkpoint of the same name untouched. In the second, the files are renamed,
// shards first, index last (publishSave()). So a complete temporary index is
// the commit record: recoverSave() completes a save that has one, and undoes
// any other save.
//
//===----------------------------------------------------------------------===//

#include "runtime/Checkpoint/BundleWriter.h"
#include "runtime/Checkpoint/CheckpointFileSet.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/RemoteShardWriters.h"
#include "runtime/Checkpoint/SaveRestore.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/ParallelTasks.h"
#include "runtime/Support/ReplaceFile.h"

#include <algorithm>

using namespace ingot;

namespace {

/// The work of saving one checkpoint: writes its files under temporary names,
/// and then renames them.
class CheckpointSave {
public:
  CheckpointSave(FileSystem &fileSystem, const std::string &prefix,
                 uint32_t numShards, bool sharded, RemoteShardWriters *others)
      : fileSystem(fileSystem), prefix(prefix), others(others) {
    if (sharded)
      parts = partDirectory(prefix, newSaveId());
    for (uint32_t shard = 0; shard < numShards; ++shard) {
      shards.push_back(shardPath(prefix, shard, numShards));
      moves.push_back(
          {temporaryShardPath(prefix, shard, numShards, parts), shards.back()});
    }
  }

  /// Writes and syncs all files under temporary names.
  Status writeTemporaries(std::span<const TensorToSave> items, unsigned threads,
                          const std::function<Status()> &beforeIndex);

  Status publish() { return publishSave(fileSystem, prefix, moves, shards); }

  /// Removes the files that a failed save has already renamed.
  void removePublished();

private:
  Status writeShards(std::span<const TensorToSave> items, unsigned threads,
                     std::vector<BundleIndexBuilder> &written);
  Expected<BundleIndexBuilder> writeAll(std::span<const TensorToSave> items,
                                        unsigned threads);

  FileSystem &fileSystem;
  const std::string &prefix;
  RemoteShardWriters *others; // null, or the writer of all shards but the first
  std::string parts;          // directory of parts; "" if not sharded
  std::vector<ShardRename> moves;
  std::vector<std::string> shards;
};

} // namespace

Expected<BundleIndexBuilder>
ingot::writeShard(FileSystem &fileSystem, const std::string &path,
                  std::span<const TensorToSave> items, uint32_t shard) {
  INGOT_ASSIGN_OR_RETURN(std::unique_ptr<BundleWriter> writer,
                         BundleWriter::create(fileSystem, path));
  for (const TensorToSave &item : items) {
    if (item.shard != shard)
      continue;
    TensorData loaded;
    const void *data = item.data;
    if (item.load) {
      INGOT_ASSIGN_OR_RETURN(loaded, item.load());
      data = loaded.data();
    }
    INGOT_RETURN_IF_ERROR(
        writer->add(item.key, item.slice, item.dtype, item.shape, data));
    if (item.written)
      item.written();
  }
  INGOT_RETURN_IF_ERROR(writer->finish());
  return writer->index();
}

namespace {

/// Writes the data shards of this process, on up to `threads` threads, and
/// appends their indices to `written`.
Status CheckpointSave::writeShards(std::span<const TensorToSave> items,
                                   unsigned threads,
                                   std::vector<BundleIndexBuilder> &written) {
  written.resize(others ? 1 : moves.size());
  return runTasks(threads, written.size(), [&](size_t shard) -> Status {
    INGOT_ASSIGN_OR_RETURN(written[shard],
                           writeShard(fileSystem, moves[shard].from, items,
                                      static_cast<uint32_t>(shard)));
    return Status::ok();
  });
}

/// Writes all data shards, or waits for those of other processes, and returns
/// the index of the whole checkpoint.
Expected<BundleIndexBuilder>
CheckpointSave::writeAll(std::span<const TensorToSave> items,
                         unsigned threads) {
  std::vector<BundleIndexBuilder> written;
  if (others)
    INGOT_RETURN_IF_ERROR(others->begin(prefix, parts));
  Status status = writeShards(items, threads, written);
  if (others) {
    // Wait for the other processes even if this one has failed: the files of a
    // failed save are removed later, which must not happen while other
    // processes still create their files.
    auto theirs = others->finish();
    if (!theirs && status.isOk())
      status = theirs.takeStatus();
    else if (theirs)
      std::move(theirs->begin(), theirs->end(), std::back_inserter(written));
  }
  INGOT_RETURN_IF_ERROR(std::move(status));
  if (written.size() != moves.size())
    return Status(StatusCode::Internal,
                  "expected " + std::to_string(moves.size()) +
                      " shards, but got " + std::to_string(written.size()));
  BundleIndexBuilder index;
  for (uint32_t shard = 0; shard < moves.size(); ++shard)
    INGOT_RETURN_IF_ERROR(index.merge(written[shard], shard));
  return index;
}

Status
CheckpointSave::writeTemporaries(std::span<const TensorToSave> items,
                                 unsigned threads,
                                 const std::function<Status()> &beforeIndex) {
  if (!parts.empty())
    INGOT_RETURN_IF_ERROR(fileSystem.createDirectories(parts));
  INGOT_ASSIGN_OR_RETURN(BundleIndexBuilder index, writeAll(items, threads));
  INGOT_ASSIGN_OR_RETURN(std::string bytes,
                         index.serialize(static_cast<uint32_t>(moves.size())));
  if (beforeIndex)
    INGOT_RETURN_IF_ERROR(beforeIndex());
  INGOT_RETURN_IF_ERROR(
      writeDurably(fileSystem, temporaryIndexPath(prefix), contentsOf(bytes)));
  // Syncs the directories too: after a crash in the second phase, recovery must
  // find the temporary files that are not renamed yet.
  if (!parts.empty())
    INGOT_RETURN_IF_ERROR(fileSystem.syncDirectory(parts));
  return fileSystem.syncDirectory(directoryOf(prefix));
}

void CheckpointSave::removePublished() {
  if (fileSystem.exists(indexPath(prefix)))
    (void)fileSystem.remove(indexPath(prefix));
  for (const std::string &path : shards)
    if (fileSystem.exists(path))
      (void)fileSystem.remove(path);
}

Status checkItems(uint32_t numShards, bool sharded,
                  std::span<const TensorToSave> items) {
  // File names have five digits for the number of shards, which limits it to
  // 99999.
  if (numShards == 0 || numShards > 99999 || (!sharded && numShards != 1))
    return Status(StatusCode::InvalidArgument,
                  "cannot write " + std::to_string(numShards) +
                      (sharded ? " shards, expected 1 to 99999"
                               : " shards without sharding, expected 1"));
  for (const TensorToSave &item : items)
    if (item.shard >= numShards)
      return Status(
          StatusCode::InvalidArgument,
          "tensor '" + item.key + "' is assigned to shard " +
              std::to_string(item.shard) +
              ", but shards are numbered from 0, and their count is " +
              std::to_string(numShards));
  return Status::ok();
}

} // namespace

Status ingot::writeCheckpoint(FileSystem &fileSystem, const std::string &prefix,
                              uint32_t numShards, bool sharded,
                              std::span<const TensorToSave> items,
                              unsigned threads,
                              const std::function<Status()> &beforeIndex,
                              RemoteShardWriters *others) {
  auto failed = [&](Status status) {
    return std::move(status).withContext("cannot save '" + prefix + "'");
  };
  if (Status status = checkItems(numShards, sharded, items); !status.isOk())
    return failed(std::move(status));
  if (Status status = recoverSave(fileSystem, prefix); !status.isOk())
    return failed(std::move(status));

  CheckpointSave saving(fileSystem, prefix, numShards, sharded, others);
  bool replaces = fileSystem.exists(indexPath(prefix));
  Status status = saving.writeTemporaries(items, threads, beforeIndex);
  if (!status.isOk()) {
    (void)removeTemporaries(fileSystem, prefix);
    return failed(std::move(status));
  }
  status = saving.publish();
  if (!status.isOk()) {
    // If an older checkpoint of this name existed, publish() may have replaced
    // some of its shards before it failed. Do not remove the temporary files
    // then, because recoverSave() can complete the new checkpoint from them.
    if (!replaces) {
      saving.removePublished();
      (void)removeTemporaries(fileSystem, prefix);
    }
    return failed(std::move(status));
  }
  return Status::ok();
}

void ingot::spreadOverShards(std::span<TensorToSave> items,
                             uint32_t numShards) {
  auto bytesOf = [](const TensorToSave &item) -> uint64_t {
    auto count = static_cast<uint64_t>(elementCount(item.shape).value_or(0));
    if (size_t size = dtypeSize(item.dtype))
      return count * size;
    uint64_t bytes = 0;
    for (uint64_t i = 0; item.data && i < count; ++i)
      bytes += static_cast<const std::string *>(item.data)[i].size();
    return bytes;
  };
  uint64_t total = 0, before = 0;
  for (const TensorToSave &item : items)
    total += bytesOf(item);
  for (TensorToSave &item : items) {
    uint64_t bytes = bytesOf(item);
    // The bytes of all tensors, one tensor after the other, are divided into
    // `numShards` equal ranges. A tensor goes to the shard of the range that
    // has its middle byte.
    double middle =
        static_cast<double>(before) + static_cast<double>(bytes) / 2;
    auto shard = static_cast<uint32_t>(
        middle / static_cast<double>(std::max<uint64_t>(total, 1)) * numShards);
    item.shard = std::min(shard, numShards - 1);
    before += bytes;
  }
}

Status ingot::writeMetaGraph(FileSystem &fileSystem, const std::string &prefix,
                             const std::string &suffix,
                             std::string_view bytes) {
  std::string path = metaGraphPath(prefix, suffix);
  std::string temporary = temporaryMetaGraphPath(prefix);
  Status status = replaceFile(fileSystem, path, temporary, contentsOf(bytes));
  if (!status.isOk())
    return std::move(status).withContext("cannot write the meta graph '" +
                                         path + "'");
  return fileSystem.syncDirectory(directoryOf(prefix));
}
