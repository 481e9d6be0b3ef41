//===- BundleWriter.h - Writes V2 checkpoints -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Writes the index and the data shards of a V2 checkpoint, byte for byte as
// TensorFlow's BundleWriter does.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_BUNDLEWRITER_H
#define INGOT_RUNTIME_CHECKPOINT_BUNDLEWRITER_H

#include "runtime/Checkpoint/TensorSlice.h"
#include "runtime/Support/FileSystem.h"

#include "proto/TensorBundle.pb.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ingot {

/// The index of a bundle that is being written: an entry for each tensor and
/// each slice.
class BundleIndexBuilder {
public:
  /// Adds an entry for data in shard 0. It is the entry of a slice if `key` is
  /// from encodeSliceKey(), otherwise the entry of the whole tensor `key`.
  /// Returns InvalidArgument if the index has `key` already.
  Status addStored(const std::string &key, int32_t dtype, const Shape &shape,
                   uint64_t offset, uint64_t size, uint32_t maskedCrc);

  /// Records that partitioned tensor `key`, whose shape is `fullShape`, has
  /// slice `slice`. The slice's data needs an entry of its own (addStored()).
  /// Returns InvalidArgument if the index has the whole tensor, or an earlier
  /// slice of another type or full shape.
  Status addSlice(const std::string &key, int32_t dtype, const Shape &fullShape,
                  const TensorSlice &slice);

  /// Adds the entries of `part`, the index of one data shard, to this index;
  /// the shard becomes shard `shard` of this bundle. A tensor may be in both
  /// indices only if both have slices of it, with the same type and full shape;
  /// otherwise returns InvalidArgument.
  Status merge(const BundleIndexBuilder &part, uint32_t shard);

  /// Returns the contents of the index file of a bundle with `numShards` data
  /// shards. Returns InvalidArgument if slices of a tensor overlap.
  Expected<std::string> serialize(uint32_t numShards) const;

  /// Returns the entries as a list of strings that alternates between keys and
  /// serialized entries. Another process that receives this list can read it
  /// with fromTexts().
  std::vector<std::string> texts() const;
  static Expected<BundleIndexBuilder>
  fromTexts(std::span<const std::string> texts);

private:
  std::map<std::string, proto::BundleEntryProto> entries;
};

/// Writes the data file of one shard of a checkpoint bundle, and collects the
/// shard's entries of the index.
class BundleWriter {
public:
  /// Creates the shard's file.
  static Expected<std::unique_ptr<BundleWriter>>
  create(FileSystem &fileSystem, const std::string &path);

  /// Appends a tensor: row-major elements of shape `shape` and type `dtype` at
  /// `data`, or an array of std::string for string tensors. If `slice` is set
  /// (in the Saver's format, "10 4 0,4:-"), `data` is that slice of a larger
  /// tensor. Returns InvalidArgument if checkpoints do not support the type, or
  /// if `shape` is not the slice's.
  Status add(const std::string &key, std::string_view slice, int32_t dtype,
             const Shape &shape, const void *data);

  /// Syncs the file to disk and closes it.
  Status finish();

  /// The entries of the tensors added so far. All are in shard 0; the caller
  /// gives them the number of this shard when it merges indices
  /// (BundleIndexBuilder::merge()).
  const BundleIndexBuilder &index() const { return theIndex; }

private:
  BundleWriter(std::unique_ptr<WritableFile> file) : file(std::move(file)) {}

  Status append(const void *bytes, size_t size, uint32_t &crc);
  Status appendVariants(const std::string *variants, int64_t count,
                        uint32_t &crc);
  Status appendStrings(const std::string *strings, int64_t count,
                       uint32_t &crc);
  Status addStored(const std::string &key, int32_t dtype, const Shape &shape,
                   const void *data);

  std::unique_ptr<WritableFile> file;
  uint64_t written = 0;
  BundleIndexBuilder theIndex;
};

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_BUNDLEWRITER_H
