//===- RemoteShardWriters.h - Shards that other processes write -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_CHECKPOINT_REMOTESHARDWRITERS_H
#define INGOT_RUNTIME_CHECKPOINT_REMOTESHARDWRITERS_H

#include "runtime/Checkpoint/BundleWriter.h"
#include "runtime/Checkpoint/SaveRestore.h"

#include <span>
#include <string>
#include <vector>

namespace ingot {

/// The other processes that write shards of a sharded checkpoint. This process
/// writes shard 0 and the index, and they write all other shards. Both
/// functions may be called on any thread.
class RemoteShardWriters {
public:
  virtual ~RemoteShardWriters() = default;

  /// Called when the directory `parts` exists. From then on, the other
  /// processes may create their shards of checkpoint `prefix` there
  /// (temporaryShardPath()).
  virtual Status begin(const std::string &prefix, const std::string &parts) = 0;

  /// Waits until all other shards are written and synced. Returns their index
  /// entries, those of shard 1 first. Fails with the first failure of a
  /// process.
  virtual Expected<std::vector<BundleIndexBuilder>> finish() = 0;
};

/// Writes the data of all `items` in shard `shard` to the file `path`, and
/// syncs the file. Returns the index entries of these items.
Expected<BundleIndexBuilder> writeShard(FileSystem &fileSystem,
                                        const std::string &path,
                                        std::span<const TensorToSave> items,
                                        uint32_t shard);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_REMOTESHARDWRITERS_H
