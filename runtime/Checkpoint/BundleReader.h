//===- BundleReader.h - Reads V2 checkpoints --------------------*- C++ -*-===//
//
// A V2 checkpoint is a tensor bundle: `<prefix>.index`, a sorted table from
// tensor name to type, shape, place and checksum, and data shards
// `<prefix>.data-00000-of-00001`. docs/checkpoint-format.md describes both.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_BUNDLEREADER_H
#define INGOT_RUNTIME_CHECKPOINT_BUNDLEREADER_H

#include "runtime/Checkpoint/TensorSlice.h"
#include "runtime/Support/FileSystem.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ingot {

/// One tensor of a bundle, as its index describes it.
struct BundleEntry {
  int32_t dtype = 0;
  Shape shape; // of the full tensor
  /// Where the bytes lie. Meaningless for a tensor stored in slices.
  uint32_t shard = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint32_t crc32c = 0; // masked
  /// The stored slices of a partitioned tensor; empty for one stored whole.
  std::vector<TensorSlice> slices;
};

/// A bundle open for reading. Opening reads and checks the whole index; data
/// shards are opened when first needed. read() and verify() may be called from
/// several threads.
class BundleReader {
public:
  /// Opens the checkpoint `prefix` ("run/model.ckpt-60"). NotFound if it has
  /// no index; DataLoss, naming the index and the place, if the index is
  /// damaged: a checksum that doesn't hold, an entry that contradicts itself.
  static Expected<std::unique_ptr<BundleReader>> open(FileSystem &fileSystem,
                                                      std::string prefix);

  /// The path of a data shard, of so many.
  using ShardNamer =
      std::function<std::string(uint32_t shard, uint32_t numShards)>;

  /// The same for files that don't bear their final names.
  static Expected<std::unique_ptr<BundleReader>>
  openFiles(FileSystem &fileSystem, std::string index, ShardNamer shardNamer);

  ~BundleReader();

  /// Names of all tensors, sorted; a partitioned tensor appears once.
  const std::vector<std::string> &keys() const { return names; }

  /// The entry of tensor `key`, or null.
  const BundleEntry *find(std::string_view key) const;

  uint32_t numShards() const { return shardCount; }

  /// Path of data shard `shard`.
  std::string shardPath(uint32_t shard) const;

  /// Reads tensor `key`, or its part `slice` (a saver's text, "10 4 0,4:-"; ""
  /// for all of it), into `destination`: `shape` row-major elements of type
  /// `dtype`, or that many std::string for string tensors. The bytes' checksum
  /// is verified always; after a failure `destination` holds anything.
  /// NotFound: no such tensor, or a shard is missing. InvalidArgument: another
  /// type or shape than stored. DataLoss: damage; the message names file,
  /// tensor, offset, what was found and what was expected.
  Status read(std::string_view key, std::string_view slice, int32_t dtype,
              const Shape &shape, void *destination) const;

  /// Whether read() would find what it is asked for; reads only the index, and
  /// leaves file and tensor to the caller's message.
  Status check(std::string_view key, std::string_view slice, int32_t dtype,
               const Shape &shape) const;

  /// Reads every byte that the index speaks of and verifies its checksum.
  Status verify() const;

private:
  BundleReader(FileSystem &fileSystem, std::string index, ShardNamer namer);

  Status load();
  Status addHeader(std::string_view value);
  Status addEntry(std::string_view key, std::string_view value);
  Status checkEntry(const BundleEntry &entry) const;
  Status checkSlices(const std::string &name, const BundleEntry &entry) const;
  Expected<TensorSlice> locate(std::string_view key, std::string_view slice,
                               int32_t dtype, const Shape &shape) const;
  Expected<const RandomAccessFile *> shardFile(uint32_t shard) const;

  FileSystem &fileSystem;
  std::string indexFile;
  ShardNamer shardNamer;
  uint32_t shardCount = 0;
  std::vector<std::string> names;
  std::map<std::string, BundleEntry, std::less<>> entries;
  mutable std::mutex shardMutex;
  mutable std::map<uint32_t, std::unique_ptr<RandomAccessFile>> shardFiles;
};

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_BUNDLEREADER_H
