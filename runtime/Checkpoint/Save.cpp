//===- Save.cpp - Writes whole checkpoints, safe against crashes ----------===//

#include "runtime/Checkpoint/BundleWriter.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Checkpoint/SaveFiles.h"
#include "runtime/Checkpoint/SaveRestore.h"

using namespace ingot;

namespace {

/// One save of one checkpoint.
class Saving {
public:
  Saving(FileSystem &fileSystem, const std::string &prefix, uint32_t numShards,
         bool sharded)
      : fileSystem(fileSystem), prefix(prefix), sharded(sharded) {
    for (uint32_t shard = 0; shard < numShards; ++shard) {
      shards.push_back(shardPath(prefix, shard, numShards));
      moves.push_back({temporaryShardPath(prefix, shard, numShards, sharded),
                       shards.back()});
    }
  }

  /// Puts every byte on the disk, under temporary names.
  Status writeTemporaries(std::span<const SaveItem> items);

  Status publish() { return publishSave(fileSystem, prefix, moves, shards); }

  /// Removes what a failed save left under final names.
  void removePublished();

private:
  FileSystem &fileSystem;
  const std::string &prefix;
  bool sharded;
  std::vector<ShardMove> moves;
  std::vector<std::string> shards;
};

Status Saving::writeTemporaries(std::span<const SaveItem> items) {
  if (sharded)
    INGOT_RETURN_IF_ERROR(fileSystem.createDirectories(partDirectory(prefix)));
  BundleIndex index;
  for (uint32_t shard = 0; shard < moves.size(); ++shard) {
    INGOT_ASSIGN_OR_RETURN(std::unique_ptr<BundleWriter> writer,
                           BundleWriter::create(fileSystem, moves[shard].from));
    for (const SaveItem &item : items)
      if (item.shard == shard)
        INGOT_RETURN_IF_ERROR(writer->add(item.key, item.slice, item.dtype,
                                          item.shape, item.data));
    INGOT_RETURN_IF_ERROR(writer->finish());
    INGOT_RETURN_IF_ERROR(index.merge(writer->index(), shard));
  }
  INGOT_ASSIGN_OR_RETURN(std::string bytes,
                         index.serialize(static_cast<uint32_t>(moves.size())));
  INGOT_RETURN_IF_ERROR(
      writeDurably(fileSystem, temporaryIndexPath(prefix), bytes));
  // A crash must find the temporary files, whichever rename it interrupts.
  if (sharded)
    INGOT_RETURN_IF_ERROR(fileSystem.syncDirectory(partDirectory(prefix)));
  return fileSystem.syncDirectory(directoryOf(prefix));
}

void Saving::removePublished() {
  if (fileSystem.exists(indexPath(prefix)))
    (void)fileSystem.remove(indexPath(prefix));
  for (const std::string &path : shards)
    if (fileSystem.exists(path))
      (void)fileSystem.remove(path);
}

Status checkItems(uint32_t numShards, bool sharded,
                  std::span<const SaveItem> items) {
  // File names have five digits for the number of shards.
  if (numShards == 0 || numShards > 99999 || (!sharded && numShards != 1))
    return Status(StatusCode::InvalidArgument,
                  "there can't be " + std::to_string(numShards) +
                      (sharded ? " shards" : " shards without sharding"));
  for (const SaveItem &item : items)
    if (item.shard >= numShards)
      return Status(StatusCode::InvalidArgument,
                    "tensor '" + item.key + "' belongs to shard " +
                        std::to_string(item.shard) + ", there are " +
                        std::to_string(numShards));
  return Status::ok();
}

} // namespace

Status ingot::writeCheckpoint(FileSystem &fileSystem, const std::string &prefix,
                              uint32_t numShards, bool sharded,
                              std::span<const SaveItem> items) {
  auto failed = [&](Status status) {
    return std::move(status).withContext("cannot save '" + prefix + "'");
  };
  if (Status status = checkItems(numShards, sharded, items); !status.isOk())
    return failed(std::move(status));
  if (Status status = recoverSave(fileSystem, prefix); !status.isOk())
    return failed(std::move(status));

  Saving saving(fileSystem, prefix, numShards, sharded);
  bool replaces = fileSystem.exists(indexPath(prefix));
  Status status = saving.writeTemporaries(items);
  if (!status.isOk()) {
    (void)removeTemporaries(fileSystem, prefix);
    return failed(std::move(status));
  }
  status = saving.publish();
  if (!status.isOk()) {
    // Shards of an older checkpoint of this name may be replaced already; then
    // the temporary files stay, from which recoverSave() completes this one.
    if (!replaces) {
      saving.removePublished();
      (void)removeTemporaries(fileSystem, prefix);
    }
    return failed(std::move(status));
  }
  return Status::ok();
}
