//===- CheckpointManager.h - A directory of checkpoints ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Manages a model directory as tf.train.Saver does: checkpoints named by step,
// the state file, how many checkpoints are kept and for how long. After a crash
// it finds the newest complete checkpoint.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_CHECKPOINTMANAGER_H
#define INGOT_RUNTIME_CHECKPOINT_CHECKPOINTMANAGER_H

#include "runtime/Checkpoint/CheckpointState.h"
#include "runtime/Checkpoint/SaveRestore.h"

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace ingot {

/// Returns the current time in seconds since 1970.
using Clock = std::function<double()>;

/// Returns a clock that reads the system time.
Clock systemClock();

/// The options of a CheckpointManager; most of them are arguments of
/// tf.train.Saver.
struct CheckpointManagerOptions {
  std::string directory;               // the model directory
  std::string basename = "model.ckpt"; // of checkpoints: "model.ckpt-60"
  /// Base names of further checkpoints in the directory. These are in the same
  /// list of kept checkpoints as those of `basename`, and their files are
  /// deleted, too, when they leave that list.
  std::vector<std::string> otherBasenames;
  bool padStepNumber = false; // "model.ckpt-00000060"
  /// If false, checkpoints are named without their step, "model.ckpt", so each
  /// save replaces the previous one (Saver.save without a global_step).
  bool numbersSteps = true;
  std::string stateFileName = "checkpoint"; // the Saver's latest_filename
  int64_t maxToKeep = 5;                    // 0: keep all
  /// In each period of this many hours, one checkpoint is kept on disk for
  /// ever.
  double keepCheckpointEveryNHours = 10000.0;
  uint32_t numShards = 1;
  bool sharded = false;
  /// If true, save() distributes the tensors over `numShards` shards of about
  /// equal size; if false, TensorToSave::shard says where each tensor goes.
  bool spread = false;
  /// If this is set, other processes write all shards but the first. The object
  /// must outlive the manager.
  RemoteShardWriters *others = nullptr;
  /// The number of threads that write shards. 0 means one thread per core, but
  /// at most 8.
  unsigned threads = 0;
  /// Returns the bytes of the meta graph that is written beside each
  /// checkpoint. If null, no meta graph is written.
  std::function<Expected<std::string>()> metaGraph;
  std::string metaGraphSuffix = "meta";
  /// Returns the contents of `<prefix>.debug`. If null, that file is not
  /// written.
  std::function<Expected<std::string>()> debugInfo;
  /// If false, no state file is written (the Saver's write_state). Then no
  /// checkpoint is ever removed, because a checkpoint is removed when it leaves
  /// the list in the state file.
  bool writesState = true;
  /// If true, checkpoints have the V1 format (the Saver's write_version).
  bool writesV1 = false;
  /// If true, paths in the state file are relative to its directory, so that
  /// the directory can be moved. If false, as is the Saver's default, they are
  /// relative only if `directory` is.
  bool saveRelativePaths = true;
  Clock clock = systemClock();
};

/// Checks the base names and the state file's name in `options`. Returns
/// InvalidArgument if a name is not a valid file name, or if the state file
/// would have the name of a checkpoint's file.
Status checkNames(const CheckpointManagerOptions &options);

/// A checkpoint that can be restored.
struct RestorableCheckpoint {
  std::string prefix;          // path: "run/model.ckpt-60"
  std::optional<int64_t> step; // 60, if the name ends in a step
};

/// The newest usable checkpoint of a directory, if there is one, and warnings
/// about checkpoints that take precedence over it but cannot be used.
struct LatestCheckpoint {
  std::optional<RestorableCheckpoint> found;
  /// Warnings for the user. They name each checkpoint that takes precedence but
  /// is damaged or incomplete, and the reason. They also report a state file
  /// that is damaged, does not name the newest checkpoint, or lists checkpoints
  /// of other directories.
  std::vector<std::string> warnings;
};

/// Saves, lists and finds the checkpoints of one saver in one directory. Not
/// thread-safe.
class CheckpointManager {
public:
  CheckpointManager(FileSystem &fileSystem, CheckpointManagerOptions options);

  /// Finds the checkpoint to restore. This is the checkpoint that the state
  /// file names, even if the directory has newer ones. If it is missing or
  /// damaged, the older checkpoints in the state file's list are tried, newest
  /// first. If none of these is usable, or without a state file, the
  /// directory's other checkpoints are tried by descending step. Every checksum
  /// of the result is verified.
  ///
  /// Nothing on disk is changed, so this function may be called while a trainer
  /// saves checkpoints. Fails only if the directory cannot be read; a directory
  /// that does not exist has no checkpoint.
  Expected<LatestCheckpoint> latestComplete();

  /// Must be the first call of a process that saves. After a crash, finishes or
  /// undoes the interrupted save, and finishes an interrupted removal. Reads
  /// the list of kept checkpoints as Saver.recover_last_checkpoints does, and
  /// repairs a state file that disagrees with the disk.
  ///
  /// Damaged checkpoints that were tried before a usable one was found are
  /// renamed to `<prefix>.damaged`, with a warning; they are never deleted, and
  /// do not count towards `maxToKeep`. Entries of the state file that lie in
  /// other directories or are not checkpoints are ignored with a warning. A
  /// directory that cannot be written causes only a warning here, but save()
  /// will fail.
  Expected<LatestCheckpoint> recover();

  /// Writes checkpoint `<directory>/<basename>-<step>`, then its meta graph,
  /// then the state file, and then deletes checkpoints that have left the list
  /// of kept ones. Creates the directory if needed. Returns the prefix written.
  ///
  /// Only checkpoints of the base names in the options are ever deleted, and
  /// only if their files are regular and the index is a checkpoint's. A link or
  /// a folder that has the name of a file to write is renamed to
  /// `<name>.aside`.
  Expected<std::string> save(int64_t step, std::span<const TensorToSave> items);

  /// Writes only what save() writes beside a checkpoint: the meta graph and its
  /// debug info, if the options request them. TensorFlow's Saver does the same
  /// if it has no variables.
  Status saveGraph(int64_t step);

  /// Returns the warnings since the last call, such as an old checkpoint that
  /// could not be removed.
  std::vector<std::string> takeWarnings();

  /// Returns `<directory>/<basename>-<step>`, or `<directory>/<basename>` if
  /// options.numbersSteps is false.
  std::string prefixOf(int64_t step) const;
  /// Returns `<directory>/<basename>`, the Saver's save_path.
  std::string savePath() const;

  /// Returns the prefixes of kept checkpoints, oldest first
  /// (Saver.last_checkpoints).
  std::vector<std::string> lastCheckpoints() const;

  /// A checkpoint and when it was written (seconds since 1970).
  struct KeptCheckpoint {
    std::string prefix;
    double time;
  };
  /// The kept checkpoints with their times. A new process reads the times from
  /// the state file, or else from the checkpoints' files.
  const std::vector<KeptCheckpoint> &lastCheckpointsWithTimes() const {
    return kept;
  }

private:
  struct State;
  struct Directory;

  std::string statePath(const std::string &prefix) const;
  std::string stagedStateName() const;
  CheckpointState stateNaming(const std::string &newest) const;
  Status writeState(const std::string &newest);
  Expected<std::string> write(const std::string &prefix,
                              std::span<const TensorToSave> items);
  Status createDirectory();
  Status writeGraph(const std::string &prefix);
  Status moveAsideAll(const std::vector<std::string> &paths);
  Status clearStateNames();
  void record(const std::string &prefix);
  void dropOldest(size_t limit, const std::string &except);
  void removeOld(const std::string &newest);
  Expected<std::string> setAside(const std::string &prefix);
  void setAsideDamaged(LatestCheckpoint &latest);

  State readState(const std::string &fileName) const;
  Expected<Directory> listDirectory() const;
  std::optional<int64_t> ownStep(const std::string &prefix) const;
  bool isOthers(const std::string &prefix) const;
  std::string locate(const std::string &path) const;
  std::string ownershipError(const std::string &prefix) const;
  std::string whyNotListed(const std::string &prefix) const;
  double timeOf(const std::string &prefix) const;
  std::vector<std::string> listedOrder(const CheckpointState &state) const;
  LatestCheckpoint search(const Directory &directory, const State &state);
  void finishInterrupted(const Directory &directory, const State &state);
  Status remove(const std::string &prefix);
  void adoptInterrupted(const State &staged,
                        const RestorableCheckpoint &newest);
  void takeOver(const Directory &directory, const State &state,
                const RestorableCheckpoint &newest);
  bool stateAgrees(const State &state,
                   const RestorableCheckpoint &newest) const;

  FileSystem &fileSystem;
  CheckpointManagerOptions options;
  std::vector<KeptCheckpoint> kept;
  /// A checkpoint that leaves the list of kept ones stays on disk if it is
  /// newer than this time (in seconds since 1970).
  double nextPreservation;
  std::vector<std::string> toBeRemoved; // unlisted, not yet deleted
  std::set<std::string> damaged;        // prefixes that search() found unusable
  std::set<std::string> unreadable;     // those of `damaged` with I/O errors
  std::vector<std::string> warnings;
};

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_CHECKPOINTMANAGER_H
