//===- CheckpointFileSet.h - The files of a checkpoint ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds the files of a checkpoint and of unfinished saves, and defines the
// order in which a save's temporary files get their final names.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_CHECKPOINTFILESET_H
#define INGOT_RUNTIME_CHECKPOINT_CHECKPOINTFILESET_H

#include "runtime/Support/FileSystem.h"

#include <span>
#include <string>
#include <vector>

namespace ingot {

/// Returns the existing files of V1 checkpoint `prefix`: the file of that name
/// or, for a prefix like "run/model.ckpt-60-?????-of-00002", the shards that
/// match it. Some of the shards may be missing.
std::vector<std::string> findV1Files(FileSystem &fileSystem,
                                     const std::string &prefix);

/// The files that exist for one prefix: final and temporary ones, and the
/// directories in which sharded saves write their shards. Anything with such a
/// name that no save can have made, such as a link, is in `foreign`.
struct CheckpointFileSet {
  bool index = false;
  bool temporaryIndex = false;              // exists, complete or not
  bool metaGraph = false;                   // exists, with the requested suffix
  std::vector<std::string> data;            // data shards
  std::vector<std::string> temporaries;     // files being written
  std::vector<std::string> partDirectories; // where sharded saves write
  /// Links, folders and other objects that have the name of a save's file but
  /// were not created by a save.
  std::vector<std::string> foreign;
};

/// Lists the files of `prefix`.
Expected<CheckpointFileSet>
findSaveFiles(FileSystem &fileSystem, const std::string &prefix,
              const std::string &metaGraphSuffix = "meta");

/// Returns true if `path` begins like a table in leveldb's format whose first
/// key is empty: a V1 file or the index of a V2 checkpoint. Checks the first
/// bytes only, so later ones may be damaged.
bool looksLikeTable(FileSystem &fileSystem, const std::string &path);

/// Returns true if `status` says that files are damaged, missing or of an
/// unsupported format; false for I/O errors.
bool isDamage(const Status &status);

/// Removes the files of an unfinished save of `prefix`. Attempts all removals
/// and returns the first failure.
Status removeTemporaries(FileSystem &fileSystem, const std::string &prefix);

/// The rename of a data shard from its temporary to its final name.
struct ShardRename {
  std::string from;
  std::string to;
};

/// Commits a save: renames its complete files to their final names, the shards
/// in `moves` first, then the index, without which readers find no checkpoint.
/// If the save replaces a checkpoint, readers may for a moment find the old
/// index beside new shards, and report a checksum mismatch. Then removes
/// temporary files, and data shards of `prefix` that are not in `shards`.
Status publishSave(FileSystem &fileSystem, const std::string &prefix,
                   std::span<const ShardRename> moves,
                   std::span<const std::string> shards);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_CHECKPOINTFILESET_H
