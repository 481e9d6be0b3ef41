//===- SaveRestore.h - Whole checkpoints, written and restored --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Writing is safe against any crash: a checkpoint either has an index that
// describes complete data, or isn't there. Restoring reports all that doesn't
// fit at once.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_SAVERESTORE_H
#define INGOT_RUNTIME_CHECKPOINT_SAVERESTORE_H

#include "runtime/Checkpoint/CheckpointReader.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ingot {

/// One tensor, or slice of one, to be saved.
struct SaveItem {
  std::string key;   // name in the checkpoint
  std::string slice; // "", or a saver's slice text: "10 4 0,4:-"
  int32_t dtype = 0;
  Shape shape;                // of `data`: for a slice, the slice's
  const void *data = nullptr; // row-major; std::string[] for string tensors
  uint32_t shard = 0;
  /// If set, loads the elements when they are written, so that a checkpoint
  /// need not fit into memory; `data` isn't used.
  std::function<Expected<TensorData>()> load = nullptr;
};

/// Puts `items` into `numShards` shards of about as many bytes, in their order.
void spreadOverShards(std::span<SaveItem> items, uint32_t numShards);

/// Writes `items` as V2 checkpoint `prefix`, data in the order given, up to
/// `threads` shards at a time (0: one per core, at most 8). A `sharded` saver's
/// shards are written as parts under `<prefix>_temp_<id>/`, as TensorFlow's
/// Saver does; otherwise `numShards` must be 1. Files get their final names
/// only when every byte is on disk, the index last. A failed write removes its
/// files and leaves all others untouched. An existing `prefix` is replaced; a
/// crash in between leaves files from which recoverSave() completes the new
/// one. `beforeIndex` (may be null) is called when all data is written, and
/// before the index from which recoverSave() would complete the save. Its
/// failure is the write's.
Status writeCheckpoint(FileSystem &fileSystem, const std::string &prefix,
                       uint32_t numShards, bool sharded,
                       std::span<const SaveItem> items, unsigned threads = 0,
                       const std::function<Status()> &beforeIndex = {});

/// Writes `items` as V1 checkpoint `prefix`: a file of that name, or of a
/// `sharded` saver one a shard, `<prefix>-00000-of-00002`. Returns how state
/// files call it: `prefix`, or `<prefix>-?????-of-00002`. Each file appears
/// when all are on the disk and `beforeNames`, where there is such, has
/// succeeded; a V2 checkpoint of this name is replaced. A slice may have 2 GiB.
Expected<std::string>
writeV1Checkpoint(FileSystem &fileSystem, const std::string &prefix,
                  uint32_t numShards, bool sharded,
                  std::span<const SaveItem> items,
                  const std::function<Status()> &beforeNames = nullptr);

/// Puts a meta graph beside checkpoint `prefix`, atomically and durably.
Status writeMetaGraph(FileSystem &fileSystem, const std::string &prefix,
                      const std::string &suffix, std::string_view bytes);

/// Cleans up after a save of `prefix` that a crash interrupted: completes it if
/// every byte had reached the disk, else removes its temporary files. Must not
/// run beside a save.
Status recoverSave(FileSystem &fileSystem, const std::string &prefix);

/// Removes checkpoint `prefix`, V2 or V1: the index first, then data and meta
/// graph, so that a crash never leaves an index without its data.
/// FailedPrecondition, and nothing is removed, where one of its files is a link
/// or not a regular file, or the index or a V1 file does not belong to a
/// checkpoint.
Status removeCheckpoint(FileSystem &fileSystem, const std::string &prefix,
                        const std::string &metaGraphSuffix = "meta");

/// Whether there is a checkpoint `prefix`, V2 or V1 (in one file, or in several
/// that `prefix` names as "run/model.ckpt-60-?????-of-00002"), as
/// tf.train.checkpoint_exists says; nothing of it is read.
bool checkpointExists(FileSystem &fileSystem, const std::string &prefix);

/// When it was written (tf.train.get_checkpoint_mtimes), in seconds since 1970.
Expected<double> checkpointTime(FileSystem &fileSystem,
                                const std::string &prefix);

/// Reads every byte of checkpoint `prefix`, V2 or V1, and verifies every
/// checksum.
Status verifyCheckpoint(FileSystem &fileSystem, const std::string &prefix);

/// One tensor, or slice of one, to be restored.
struct RestoreItem {
  std::string key;   // name in the checkpoint, before renames
  std::string slice; // "", or a saver's slice text
  int32_t dtype = 0;
  Shape shape;          // of `data`
  void *data = nullptr; // row-major; std::string[] for string tensors
  /// No error where the checkpoint lacks it or has it as a variant (an
  /// iterator's state, which other programs keep in another form).
  bool optional = false;
  /// The key does not belong to a variable: renames leave it as it is.
  bool keepsName = false;
  /// A whole tensor of another shape will do if it has as many elements.
  bool reshape = false;
};

/// Titles of the lists of names in the message of a failed restore.
inline constexpr std::string_view
    missingTitle = "not in the checkpoint",
    unfitTitle = "with another type or shape in the checkpoint",
    unusedTitle = "in the checkpoint, but not in the program";

struct RestoreOptions {
  /// Items that the checkpoint lacks keep their values.
  bool allowMissing = false;
  /// Treats every item as if it had `reshape`.
  bool reshape = false;
  /// Allows tensors in the checkpoint that no item reads.
  bool allowUnused = false;
  /// Applied to each item's key in turn: every match of a POSIX extended
  /// regular expression is replaced, \1 to \9 and \0 standing for its groups
  /// and the match. The result is the name looked up in the checkpoint.
  std::vector<std::pair<std::string, std::string>> renames;
  /// How many tensors are read at once; 0: one a core, at most 8.
  unsigned threads = 0;
};

/// Notes of a successful restore.
struct RestoreReport {
  std::vector<size_t> missing;       // indices of items left as they were
  std::vector<std::string> unused;   // the checkpoint's, that nothing asks for
  std::vector<std::string> notes;    // for the user: variants skipped
  std::vector<std::string> warnings; // an object-based one, restored by names
};

/// Restores every item from checkpoint `prefix`, of any format that
/// CheckpointReader opens; in an object-based one variables are also found by
/// their names. Names, types and shapes are all checked before the first byte
/// is read; one message lists all that are missing (with the nearest names),
/// unused, or of another type or shape. A damaged file leaves items partly
/// restored, and the message says where. The result doesn't depend on the
/// number of threads.
Expected<RestoreReport> restoreCheckpoint(FileSystem &fileSystem,
                                          const std::string &prefix,
                                          std::span<const RestoreItem> items,
                                          const RestoreOptions &options = {});

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_SAVERESTORE_H
