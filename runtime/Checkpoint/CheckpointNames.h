//===- CheckpointNames.h - The names of a checkpoint's files ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Every file name of checkpoints is made and taken apart here.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_CHECKPOINTNAMES_H
#define INGOT_RUNTIME_CHECKPOINT_CHECKPOINTNAMES_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ingot {

/// `<prefix>.index`.
std::string indexPath(const std::string &prefix);

/// `<prefix>.meta`, or with another suffix than "meta"; that of a V1 checkpoint
/// in several files is named without them.
std::string metaGraphPath(const std::string &prefix,
                          const std::string &suffix = "meta");

/// The suffix of the file of debug info beside a meta graph.
inline constexpr const char *debugInfoSuffix = "debug";

/// `<prefix>.data-00001-of-00004`.
std::string shardPath(const std::string &prefix, uint32_t shard,
                      uint32_t numShards);

/// The suffix of a file's name while it isn't complete.
inline constexpr std::string_view temporarySuffix = ".tempstate";

/// `<prefix>.index.tempstate`.
std::string temporaryIndexPath(const std::string &prefix);

/// `<prefix>.meta.tempstate`, whatever the meta graph will be called.
std::string temporaryMetaGraphPath(const std::string &prefix);

/// `<prefix>_temp_<id>`, where a sharded save puts its parts.
std::string partDirectory(const std::string &prefix, const std::string &id);

/// 32 hexadecimal digits that no other save has.
std::string newSaveId();

/// The path of a shard while the save runs:
/// `<directory>/part-00001-of-00004.data-00000-of-00001`, or, where `directory`
/// is "", `<prefix>.data-00000-of-00001.tempstate`.
std::string temporaryShardPath(const std::string &prefix, uint32_t shard,
                               uint32_t numShards,
                               const std::string &directory);

/// The directory part of `path`: "." where it has none.
std::string directoryOf(const std::string &path);

/// The last component of `path`.
std::string baseOf(const std::string &path);

/// The step that a prefix ends in: 60 of "model.ckpt-60", and of
/// "model.ckpt-60-?????-of-00002".
std::optional<int64_t> stepOf(std::string_view prefix);

/// The base name of a checkpoint of `step`: "model.ckpt-60", or "padded" to
/// eight digits "model.ckpt-00000060", as Saver(pad_step_number=True) does.
std::string stepName(const std::string &basename, int64_t step, bool padded);

/// The role of a file beside the checkpoints named `base`.
enum class FileRole {
  Index,              // base.index
  Data,               // base.data-00000-of-00001
  MetaGraph,          // base.meta
  TemporaryIndex,     // base.index.tempstate, and TensorFlow's with digits
  TemporaryData,      // base.data-00000-of-00001.tempstate, and with digits
  TemporaryMetaGraph, // base.meta.tempstate, and with digits
  PartDirectory,      // base_temp_<id>, and base_temp
};

/// A file's name taken apart.
struct FileName {
  std::string base; // "model.ckpt-60"
  FileRole role;
};

/// Parses the name of a directory entry; nothing where it doesn't belong to a
/// checkpoint.
std::optional<FileName> parseFileName(std::string_view name);

/// The name of one of a V1 checkpoint's files, taken apart.
struct V1ShardName {
  std::string base;
  uint32_t shard;
  uint32_t numShards;
};

/// `<prefix>-00001-of-00002`; without a shard `<prefix>-?????-of-00002`, as
/// state files have it.
std::string v1ShardPath(const std::string &prefix,
                        std::optional<uint32_t> shard, uint32_t numShards);

/// "run/model.ckpt-60" of "run/model.ckpt-60-?????-of-00002"; any other prefix
/// as it is.
std::string_view withoutV1Shards(std::string_view prefix);

/// Parses such a name; nothing for other names.
std::optional<V1ShardName> parseV1ShardName(std::string_view name);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_CHECKPOINTNAMES_H
