//===- CheckpointNames.h - The names of a checkpoint's files ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Makes and parses the names of all files of checkpoints. No other code knows
// these names.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_CHECKPOINTNAMES_H
#define INGOT_RUNTIME_CHECKPOINT_CHECKPOINTNAMES_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ingot {

/// Returns `<prefix>.index`, the path of a V2 checkpoint's index.
std::string indexPath(const std::string &prefix);

/// Returns the path of the meta graph, `<prefix>.<suffix>`. The shard pattern
/// of a V1 prefix like "run/model.ckpt-60-?????-of-00002" is left out.
std::string metaGraphPath(const std::string &prefix,
                          const std::string &suffix = "meta");

/// The suffix of the file with debug info that lies beside a meta graph.
inline constexpr const char *debugInfoSuffix = "debug";

/// Returns the path of a data shard, such as `<prefix>.data-00001-of-00004`.
std::string shardPath(const std::string &prefix, uint32_t shard,
                      uint32_t numShards);

/// The suffix of the names of files that are being written.
inline constexpr std::string_view temporarySuffix = ".tempstate";

/// Returns `<prefix>.index.tempstate`, the path of the index while a save runs.
std::string temporaryIndexPath(const std::string &prefix);

/// Returns `<prefix>.meta.tempstate`, even if the final name has another suffix
/// than "meta".
std::string temporaryMetaGraphPath(const std::string &prefix);

/// Returns `<prefix>_temp_<id>`, the directory in which a sharded save writes
/// its data shards ("parts").
std::string partDirectory(const std::string &prefix, const std::string &id);

/// Returns 32 random hexadecimal digits, which identify a save.
std::string newSaveId();

/// Returns the path of a shard while the save runs:
/// `<directory>/part-00001-of-00004.data-00000-of-00001` or, if `directory` is
/// "", `<prefix>.data-00000-of-00001.tempstate`.
std::string temporaryShardPath(const std::string &prefix, uint32_t shard,
                               uint32_t numShards,
                               const std::string &directory);

/// Returns the directory part of `path`, or "." if it has none.
std::string directoryOf(const std::string &path);

/// Returns the last component of `path`.
std::string baseOf(const std::string &path);

/// Returns the step at the end of a prefix: 60 for "model.ckpt-60" and for
/// "model.ckpt-60-?????-of-00002". Returns std::nullopt if it has no step.
std::optional<int64_t> stepOf(std::string_view prefix);

/// Returns the base name of the checkpoint of `step`: "model.ckpt-60" or, if
/// `padded`, with eight digits, "model.ckpt-00000060", as
/// Saver(pad_step_number=True) does.
std::string stepName(const std::string &basename, int64_t step, bool padded);

/// The role of a file in a checkpoint. In the examples of file names, `base` is
/// the checkpoint's base name.
enum class FileRole {
  Index,     // base.index
  Data,      // base.data-00000-of-00001
  MetaGraph, // base.meta
  /// base.index.tempstate, or this name followed by digits, as in TensorFlow.
  TemporaryIndex,
  /// base.data-00000-of-00001.tempstate, or this name followed by digits.
  TemporaryData,
  /// base.meta.tempstate, or this name followed by digits.
  TemporaryMetaGraph,
  PartDirectory, // base_temp_<id>, and base_temp
};

/// The parts of the name of a checkpoint's file.
struct CheckpointFileName {
  std::string base; // "model.ckpt-60"
  FileRole role;
};

/// Parses the name of a directory entry. Returns std::nullopt if it is not the
/// name of a checkpoint's file.
std::optional<CheckpointFileName> parseFileName(std::string_view name);

/// The parts of the name of a shard of a V1 checkpoint,
/// "<base>-<shard>-of-<numShards>".
struct V1ShardName {
  std::string base;
  uint32_t shard;
  uint32_t numShards;
};

/// Returns `<prefix>-00001-of-00002` or, without a shard, the pattern
/// `<prefix>-?????-of-00002` that state files contain.
std::string v1ShardPath(const std::string &prefix,
                        std::optional<uint32_t> shard, uint32_t numShards);

/// Removes the shard pattern of a V1 checkpoint's prefix: "run/model.ckpt-60"
/// for "run/model.ckpt-60-?????-of-00002". Returns other prefixes unchanged.
std::string_view withoutV1Shards(std::string_view prefix);

/// Parses the name of a V1 shard; returns std::nullopt for other names.
std::optional<V1ShardName> parseV1ShardName(std::string_view name);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_CHECKPOINTNAMES_H
