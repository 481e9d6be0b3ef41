//===- BundleWriter.h - Writes V2 checkpoints -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A bundle's index in memory, and the data shards it speaks of, byte for byte
// as TensorFlow's writer leaves them.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_BUNDLEWRITER_H
#define INGOT_RUNTIME_CHECKPOINT_BUNDLEWRITER_H

#include "runtime/Checkpoint/TensorSlice.h"
#include "runtime/Support/FileSystem.h"

#include "proto/TensorBundle.pb.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace ingot {

/// The index of a bundle: an entry for each tensor and slice.
class BundleIndex {
public:
  /// Adds a tensor, or a slice with the key that encodeSliceKey() made, whose
  /// bytes are in shard 0. InvalidArgument for a duplicate `key`.
  Status addStored(const std::string &key, int32_t dtype, const Shape &shape,
                   uint64_t offset, uint64_t size, uint32_t maskedCrc);

  /// Records slice `slice` of partitioned tensor `key` of shape `fullShape`;
  /// its bytes are added separately. InvalidArgument where this contradicts
  /// earlier slices.
  Status addSlice(const std::string &key, int32_t dtype, const Shape &fullShape,
                  const TensorSlice &slice);

  /// Adds the entries of `part`, whose data becomes shard `shard` of this
  /// bundle. A partitioned tensor may have slices in both; another tensor in
  /// both is InvalidArgument.
  Status merge(const BundleIndex &part, uint32_t shard);

  /// The bytes of the index file of a bundle with `numShards` data shards.
  /// InvalidArgument if slices of a tensor overlap.
  Expected<std::string> serialize(uint32_t numShards) const;

private:
  std::map<std::string, proto::BundleEntryProto> entries;
};

/// Writes one data shard.
class BundleWriter {
public:
  /// Creates the shard's file.
  static Expected<std::unique_ptr<BundleWriter>>
  create(FileSystem &fileSystem, const std::string &path);

  /// Appends a tensor: `shape` row-major elements of type `dtype` at `data`, or
  /// that many std::string for string tensors. With `slice` (a saver's text,
  /// "10 4 0,4:-") it is that part of a larger tensor. InvalidArgument for a
  /// type that has no form in files, or a shape that the slice hasn't.
  Status add(const std::string &key, std::string_view slice, int32_t dtype,
             const Shape &shape, const void *data);

  /// Waits until all bytes are on the disk and closes the file.
  Status finish();

  /// The entries so far, in shard 0.
  const BundleIndex &index() const { return theIndex; }

private:
  BundleWriter(std::unique_ptr<WritableFile> file) : file(std::move(file)) {}

  Status append(const void *bytes, size_t size, uint32_t &crc);
  Status appendStrings(const std::string *strings, int64_t count,
                       uint32_t &crc);
  Status addStored(const std::string &key, int32_t dtype, const Shape &shape,
                   const void *data);

  std::unique_ptr<WritableFile> file;
  uint64_t written = 0;
  BundleIndex theIndex;
};

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_BUNDLEWRITER_H
