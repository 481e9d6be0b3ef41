//===- CheckpointManager.h - A directory of checkpoints ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// tf.train.Saver's model directory: checkpoints by step, the state file, how
// many checkpoints are kept and for how long; and the newest complete one after
// any crash.
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

/// Seconds since 1970.
using Clock = std::function<double()>;

/// The machine's clock.
Clock systemClock();

struct CheckpointManagerOptions {
  std::string directory;               // the model directory
  std::string basename = "model.ckpt"; // of checkpoints: "model.ckpt-60"
  /// Base names of other checkpoints that are listed beside these, and are
  /// removed as these are when they fall out of the list.
  std::vector<std::string> otherBasenames;
  bool padStepNumber = false;               // "model.ckpt-00000060"
  std::string stateFileName = "checkpoint"; // the Saver's latest_filename
  int64_t maxToKeep = 5;                    // 0: keep all
  /// Besides, one checkpoint per this number of hours is never removed.
  double keepCheckpointEveryNHours = 10000.0;
  uint32_t numShards = 1;
  bool sharded = false;
  /// Tensors go into numShards shards of about one size; false: into those that
  /// the items name.
  bool spread = false;
  unsigned threads = 0; // shards written at a time; 0: one a core, at most 8
  /// Makes the bytes of the meta graph that is written beside each checkpoint;
  /// null: none is.
  std::function<Expected<std::string>()> metaGraph;
  std::string metaGraphSuffix = "meta";
  /// Makes the contents of `<prefix>.debug`; null: no such file.
  std::function<Expected<std::string>()> debugInfo;
  /// False: no state file is written, so no checkpoint is ever removed (the
  /// Saver's write_state).
  bool writesState = true;
  /// Checkpoints in the V1 format (the Saver's write_version).
  bool writesV1 = false;
  /// Paths in the state file are relative to its directory, so that the
  /// directory can be moved. False: relative only where `directory` is, as the
  /// Saver does by default.
  bool saveRelativePaths = true;
  Clock clock = systemClock();
};

/// InvalidArgument where the names in `options` are invalid, or the state file
/// would be one of a checkpoint's files.
Status checkNames(const CheckpointManagerOptions &options);

/// A checkpoint that can be restored.
struct FoundCheckpoint {
  std::string prefix;          // path: "run/model.ckpt-60"
  std::optional<int64_t> step; // 60, where the name ends in one
};

/// The result of searching a directory.
struct LatestCheckpoint {
  std::optional<FoundCheckpoint> found;
  /// For the user: each checkpoint that came first but is damaged or
  /// incomplete, why, and the one used instead; a state file that is damaged,
  /// doesn't name the newest, or lists other directories' checkpoints.
  std::vector<std::string> warnings;
};

/// Checkpoints of one saver in one directory. Not for several threads.
class CheckpointManager {
public:
  CheckpointManager(FileSystem &fileSystem, CheckpointManagerOptions options);

  /// The checkpoint that the state file names, whatever else the directory has.
  /// If it is missing or damaged, the next one of the file's list, from the
  /// named one back; if all of these are, or without a state file, the one of
  /// the directory with the highest step. Every checksum of the result has been
  /// verified. Changes nothing on disk, so it may run beside a trainer that
  /// saves. Fails only where the directory cannot be read; a directory that
  /// does not exist has no checkpoint.
  Expected<LatestCheckpoint> latestComplete();

  /// The first action of the writing process: finishes or undoes a save and a
  /// removal that a crash interrupted, takes over the list of checkpoints as
  /// Saver.recover_last_checkpoints does, and repairs a state file that does
  /// not agree with the disk. Damaged checkpoints that came before the one
  /// found are named in the warnings and renamed to `<prefix>.damaged`, never
  /// deleted and not counted. Entries of the state file that are elsewhere, or
  /// are not checkpoints, are ignored with a warning. A directory that cannot
  /// be written is a warning here; save() will fail.
  Expected<LatestCheckpoint> recover();

  /// Writes `<directory>/<basename>-<step>`, then its meta graph, then the
  /// state file, then removes the checkpoints that fall out of the list: only
  /// `<directory>/<basename>-<step>` ever, or of another base name in the
  /// options, if its files are regular and its index is a checkpoint's. A link
  /// or a folder in place of a file to write is renamed to `<name>.aside`.
  /// Creates the directory. Returns the prefix written.
  Expected<std::string> save(int64_t step, std::span<const SaveItem> items);

  /// Trouble that isn't a failure, since the last call: an old checkpoint that
  /// couldn't be removed.
  std::vector<std::string> takeWarnings();

  /// `<directory>/<basename>-<step>`.
  std::string prefixOf(int64_t step) const;

  /// Checkpoints not yet removed, oldest first (Saver.last_checkpoints).
  std::vector<std::string> lastCheckpoints() const;

  /// A checkpoint and when it was written (seconds since 1970).
  struct Kept {
    std::string prefix;
    double time;
  };
  /// The same with times, which a new process takes from the files.
  const std::vector<Kept> &lastCheckpointsWithTimes() const { return kept; }

private:
  struct State;
  struct Directory;

  std::string statePath(const std::string &prefix) const;
  std::string stagedStateName() const;
  CheckpointState stateNaming(const std::string &newest) const;
  Status writeState(const std::string &newest);
  Expected<std::string> write(const std::string &prefix,
                              std::span<const SaveItem> items);
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
  void adoptInterrupted(const State &staged, const FoundCheckpoint &newest);
  void takeOver(const Directory &directory, const State &state,
                const FoundCheckpoint &newest);
  bool stateAgrees(const State &state, const FoundCheckpoint &newest) const;

  FileSystem &fileSystem;
  CheckpointManagerOptions options;
  std::vector<Kept> kept;
  double nextPreservation;              // seconds since 1970
  std::vector<std::string> toBeRemoved; // fell out of the list
  std::set<std::string> damaged;        // unusable checkpoints,
  std::set<std::string> unreadable; // and those of them that could not be read
  std::vector<std::string> warnings;
};

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_CHECKPOINTMANAGER_H
