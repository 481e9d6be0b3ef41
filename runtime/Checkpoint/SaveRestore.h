//===- SaveRestore.h - Whole checkpoints, written and restored --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Writes and restores whole checkpoints. Writing is safe against crashes: a
// checkpoint either has an index that describes complete data, or does not
// exist. Restoring reports all mismatches at once.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_SAVERESTORE_H
#define INGOT_RUNTIME_CHECKPOINT_SAVERESTORE_H

#include "runtime/Checkpoint/CheckpointReader.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ingot {

class RemoteShardWriters;

/// One tensor to save, or a slice of a tensor.
struct TensorToSave {
  std::string key;   // name in the checkpoint
  std::string slice; // "", or the Saver's text: "10 4 0,4:-"
  int32_t dtype = 0;
  Shape shape; // shape of `data`, which may be a slice
  /// The elements in row-major order, as std::string[] if they are strings or
  /// serialized variants.
  const void *data = nullptr;
  uint32_t shard = 0;
  /// If set, this function is called to load the elements when they are
  /// written, and `data` is ignored. This makes it possible to write a
  /// checkpoint that does not fit into memory.
  std::function<Expected<TensorData>()> load = nullptr;
  /// If set, this function is called when the elements have been written to the
  /// file and `data` will not be read again. It may be called on any thread,
  /// and is not called if the save fails first.
  std::function<void()> written = nullptr;
};

/// Distributes `items` over `numShards` shards of about equal size, without
/// changing their order.
void spreadOverShards(std::span<TensorToSave> items, uint32_t numShards);

/// Writes `items` as V2 checkpoint `prefix`. The data of a shard has the order
/// of `items`. Up to `threads` shards are written at a time; 0 means one per
/// core, but at most 8. The shards of a `sharded` save are written as parts
/// under `<prefix>_temp_<id>/`, as TensorFlow's Saver does; otherwise
/// `numShards` must be 1.
///
/// Files get their final names only after every byte is on disk, the index
/// last. A failed write removes its files and leaves all others untouched. An
/// existing `prefix` is replaced; a crash during the replacement leaves files
/// from which recoverSave() completes the new checkpoint.
///
/// `beforeIndex` (may be null) is called when all data is written but the index
/// is not. After a crash during the call, recoverSave() undoes the save, as it
/// completes only saves with an index. If the function fails, the write fails
/// with its status.
///
/// If `others` is set, this process writes shard 0 only. It waits for the
/// shards of the other processes before it writes the index.
Status writeCheckpoint(FileSystem &fileSystem, const std::string &prefix,
                       uint32_t numShards, bool sharded,
                       std::span<const TensorToSave> items,
                       unsigned threads = 0,
                       const std::function<Status()> &beforeIndex = {},
                       RemoteShardWriters *others = nullptr);

/// Writes `items` as V1 checkpoint `prefix`: one file of that name or, if
/// `sharded`, one file per shard, `<prefix>-00000-of-00002`. Files get their
/// final names when all of them are on disk and `beforeNames`, if not null, has
/// succeeded. A V2 checkpoint of this name is replaced. A slice is limited to 2
/// GiB.
///
/// Returns the path to write into state files: `prefix`, or the pattern
/// `<prefix>-?????-of-00002`.
Expected<std::string>
writeV1Checkpoint(FileSystem &fileSystem, const std::string &prefix,
                  uint32_t numShards, bool sharded,
                  std::span<const TensorToSave> items,
                  const std::function<Status()> &beforeNames = nullptr);

/// Writes a meta graph beside checkpoint `prefix`, atomically and durably.
Status writeMetaGraph(FileSystem &fileSystem, const std::string &prefix,
                      const std::string &suffix, std::string_view bytes);

/// Cleans up after a save of `prefix` that a crash interrupted: completes the
/// save if all its bytes had reached the disk, else removes its temporary
/// files. Must not run while another process saves.
Status recoverSave(FileSystem &fileSystem, const std::string &prefix);

/// Removes checkpoint `prefix`, V2 or V1: the index first, then data and meta
/// graph, so that a crash never leaves an index without its data. Removes
/// nothing and returns FailedPrecondition if one of the files is a link or not
/// a regular file, or if the index or a V1 file is not a checkpoint's.
Status removeCheckpoint(FileSystem &fileSystem, const std::string &prefix,
                        const std::string &metaGraphSuffix = "meta");

/// Returns true if there is a checkpoint `prefix`, V2 or V1 (in one file, or in
/// several that `prefix` names as "run/model.ckpt-60-?????-of-00002"), like
/// tf.train.checkpoint_exists. Only checks that files exist.
bool checkpointExists(FileSystem &fileSystem, const std::string &prefix);

/// Returns when the checkpoint was written, in seconds since 1970
/// (tf.train.get_checkpoint_mtimes).
Expected<double> checkpointTime(FileSystem &fileSystem,
                                const std::string &prefix);

/// Reads every byte of checkpoint `prefix`, V2 or V1, and verifies every
/// checksum.
Status verifyCheckpoint(FileSystem &fileSystem, const std::string &prefix);

/// One tensor to restore, or a slice of a tensor.
struct TensorToRestore {
  std::string key;   // name in the checkpoint, before renames
  std::string slice; // "", or the Saver's slice text
  int32_t dtype = 0;
  Shape shape;          // shape of `data`
  void *data = nullptr; // row-major; std::string[] for string tensors
  /// If true, it is not an error if the checkpoint lacks the tensor. Nor is it
  /// an error if the checkpoint has the tensor as a variant, which is how
  /// TensorFlow stores an iterator's state.
  bool optional = false;
  /// If set, receives the serialized elements of a variant tensor, instead of
  /// `data`.
  std::vector<std::string> *variants = nullptr;
  /// If set, receives the tensor instead of `data`. Its shape need not be known
  /// in advance: a dimension of -1 in `shape` matches any size.
  TensorData *whole = nullptr;
  /// If true, RestoreOptions::renames do not apply to the key. Renames are
  /// meant for the keys of variables, and this key belongs to something else,
  /// such as an iterator.
  bool keepsName = false;
  /// If true, and `slice` is "", a stored tensor of another shape is accepted
  /// if it has the same number of elements.
  bool reshape = false;
};

/// The headings of the lists of names in the error message of
/// restoreCheckpoint().
inline constexpr std::string_view
    missingTitle = "not in the checkpoint",
    unfitTitle = "with another type or shape in the checkpoint",
    unusedTitle = "in the checkpoint, but not in the program";

/// The options of restoreCheckpoint(). Most of them say which differences
/// between the requested tensors (items) and the checkpoint are accepted.
struct RestoreOptions {
  /// Allows items that the checkpoint lacks; they keep their values.
  bool allowMissing = false;
  /// Accepts for every item a tensor of another shape with the same number of
  /// elements, as if all items had TensorToRestore::reshape.
  bool reshape = false;
  /// Allows tensors in the checkpoint that no item reads.
  bool allowUnused = false;
  /// Renames that are applied to each item's key, one after the other; the
  /// result is looked up in the checkpoint. Each rename replaces all matches of
  /// a POSIX extended regular expression in the key. In the replacement, \1 to
  /// \9 stand for groups, \0 for the match.
  std::vector<std::pair<std::string, std::string>> renames;
  /// The number of threads that read tensors; 0 stands for one thread per core,
  /// but at most 8.
  unsigned threads = 0;
  /// A function that is called after all items were looked up, and before any
  /// of them is read; may be null. `missing` has the indices of the items that
  /// the checkpoint lacks; these keep their values. If the function fails, the
  /// restore fails with the same status.
  std::function<Status(std::span<const size_t> missing)> beforeReading;
};

/// The report of a successful restoreCheckpoint().
struct RestoreReport {
  std::vector<size_t> missing;     // indices of items that kept their values
  std::vector<std::string> unused; // tensors that no item reads
  std::vector<std::string> notes; // about skipped variant tensors, for the user
  /// Warnings: that an object-based checkpoint is restored by variable names,
  /// and which variables got no value.
  std::vector<std::string> warnings;
  /// The step at which the checkpoint was saved, as its tensor "ingot/set"
  /// states it; std::nullopt if the checkpoint has no such tensor.
  std::optional<int64_t> step;
};

/// Restores every item from checkpoint `prefix`, of any format that
/// CheckpointReader opens. In an object-based checkpoint variables are also
/// found by their names.
///
/// Names, types and shapes are all checked before the first byte is read. One
/// message lists all tensors that are missing (and similar names in the
/// checkpoint), unused, or of another type or shape. If a file is damaged,
/// items may be partly restored; the message says where the damage is. The
/// result does not depend on the number of threads.
Expected<RestoreReport>
restoreCheckpoint(FileSystem &fileSystem, const std::string &prefix,
                  std::span<const TensorToRestore> items,
                  const RestoreOptions &options = {});

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_SAVERESTORE_H
