//===- SaveFiles.h - The files of a save, on their way ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The files of a checkpoint, and the one order in which a save's temporary
// files get their final names.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_SAVEFILES_H
#define INGOT_RUNTIME_CHECKPOINT_SAVEFILES_H

#include "runtime/Support/FileSystem.h"

#include <span>
#include <string>
#include <vector>

namespace ingot {

/// The files of V1 checkpoint `prefix`: the one of that name, or those that a
/// prefix like "run/model.ckpt-60-?????-of-00002" matches, which may lack some.
/// None if the checkpoint does not exist.
std::vector<std::string> findV1Files(FileSystem &fileSystem,
                                     const std::string &prefix);

/// Paths of the files of one prefix, final and temporary. Only files are a
/// save's, and only a folder is where its parts lie.
struct SaveFiles {
  bool index = false;
  bool temporaryIndex = false;              // of ours, complete or not
  bool metaGraph = false;                   // of the suffix that was asked for
  std::vector<std::string> data;            // data shards
  std::vector<std::string> temporaries;     // files being written
  std::vector<std::string> partDirectories; // of a sharded save
  /// Links and whatever else no save makes, under names that a save's files
  /// have.
  std::vector<std::string> foreign;
};

/// Lists the files of `prefix`.
Expected<SaveFiles> findSaveFiles(FileSystem &fileSystem,
                                  const std::string &prefix,
                                  const std::string &metaGraphSuffix = "meta");

/// True where `path` begins as a table does that has the empty key first, as
/// each V1 file and each index has; damage further on doesn't count.
bool looksLikeTable(FileSystem &fileSystem, const std::string &path);

/// True for damaged files; false for failures to read them.
bool isDamage(const Status &status);

/// Removes the files of an unfinished save of `prefix`; tries all and returns
/// the first failure.
Status removeTemporaries(FileSystem &fileSystem, const std::string &prefix);

/// The temporary name of a data shard, and its final one.
struct ShardMove {
  std::string from;
  std::string to;
};

/// Commits a save: gives its complete files their final names, the shards in
/// `moves` first, then the index. A reader opens the index first, so it never
/// finds one beside data that isn't its own. Data of `prefix` that isn't in
/// `shards` is removed with the temporary files.
Status publishSave(FileSystem &fileSystem, const std::string &prefix,
                   std::span<const ShardMove> moves,
                   std::span<const std::string> shards);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_SAVEFILES_H
