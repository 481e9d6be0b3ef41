//===- BundleReader.h - Reads V2 checkpoints --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A V2 checkpoint is a tensor bundle: `<prefix>.index`, a sorted table from
// tensor name to type, shape, location and checksum, and data shards
// `<prefix>.data-00000-of-00001`. docs/checkpoint-format.md describes both.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_BUNDLEREADER_H
#define INGOT_RUNTIME_CHECKPOINT_BUNDLEREADER_H

#include "runtime/Checkpoint/CheckpointReader.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ingot {

/// One tensor of a bundle, as its index describes it.
struct BundleEntry : CheckpointEntry {
  /// The location of the tensor's bytes. Meaningless for a tensor that is
  /// stored in slices, each of which has an entry of its own.
  uint32_t shard = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint32_t crc32c = 0; // masked as in leveldb
};

/// A V2 checkpoint that is open for reading. Opening reads and checks the whole
/// index; a data shard is opened when it is first needed.
class BundleReader final : public CheckpointReader {
public:
  /// Opens the checkpoint `prefix` ("run/model.ckpt-60"). Returns NotFound if
  /// it has no index. Returns DataLoss, naming the index and the offset or
  /// tensor, if the index is damaged: a wrong checksum, or an entry that
  /// contradicts itself.
  static Expected<std::unique_ptr<BundleReader>> open(FileSystem &fileSystem,
                                                      std::string prefix);

  /// A function that returns the path of data shard `shard` of `numShards`.
  using ShardNamer =
      std::function<std::string(uint32_t shard, uint32_t numShards)>;

  /// Opens a checkpoint whose save is unfinished, so that its files still have
  /// temporary names: `index` is the path of its index, and `shardNamer`
  /// returns the paths of its data shards.
  static Expected<std::unique_ptr<BundleReader>>
  openFiles(FileSystem &fileSystem, std::string index, ShardNamer shardNamer);

  ~BundleReader() override;

  Format format() const override { return Format::V2; }
  const BundleEntry *find(std::string_view key) const override;
  std::vector<TensorLocation> parts(std::string_view key) const override;
  uint32_t numShards() const override { return shardCount; }
  std::string shardPath(uint32_t shard) const override;
  Status checkPlaces(std::string_view key) const override;
  std::vector<Status> findDamage(unsigned threads) const override;

protected:
  Status readPart(std::string_view key, size_t part, const TensorSlice &from,
                  const TensorSlice &box, void *destination) const override;
  const std::string &describingFile() const override { return indexFile; }

private:
  BundleReader(FileSystem &fileSystem, std::string index, ShardNamer namer);

  Status load();
  Status addHeader(std::string_view value);
  Status addEntry(std::string_view key, std::string_view value);
  Status checkEntry(const BundleEntry &entry) const;
  Status checkSlices(const std::string &name, const BundleEntry &entry) const;
  const BundleEntry &storedEntry(std::string_view key, size_t part) const;
  Expected<const RandomAccessFile *> shardFile(uint32_t shard) const;

  FileSystem &fileSystem;
  std::string indexFile;
  ShardNamer shardNamer;
  uint32_t shardCount = 0;
  std::map<std::string, BundleEntry, std::less<>> entries;
  mutable std::mutex shardMutex;
  mutable std::map<uint32_t, std::unique_ptr<RandomAccessFile>> shardFiles;
};

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_BUNDLEREADER_H
