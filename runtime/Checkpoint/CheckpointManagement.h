//===- CheckpointManagement.h - A directory's checkpoints -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The functions of tf.train's checkpoint_management, and the functions of
// tf.train.Saver for the list of kept checkpoints. They are for tools and
// programs that manage a directory while no trainer runs in it.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_CHECKPOINTMANAGEMENT_H
#define INGOT_RUNTIME_CHECKPOINT_CHECKPOINTMANAGEMENT_H

#include "runtime/Checkpoint/CheckpointState.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ingot {

/// Returns the prefix of the checkpoint that the state file names as newest
/// (tf.train.latest_checkpoint). Only checks that its files exist. Returns
/// NotFound if there is no state file or the checkpoint has no files, and
/// InvalidArgument if the state file cannot be parsed or names none.
Expected<std::string>
latestCheckpoint(FileSystem &fileSystem, const std::string &directory,
                 const std::string &latestFilename = "checkpoint");

/// Returns the contents of a directory's state file
/// (tf.train.get_checkpoint_state), with the directory prepended to relative
/// paths. Returns NotFound if there is no state file, and InvalidArgument if it
/// cannot be parsed or names no newest checkpoint.
Expected<CheckpointState>
checkpointState(FileSystem &fileSystem, const std::string &directory,
                const std::string &latestFilename = "checkpoint");

/// Returns when the checkpoints were written, in whole seconds since 1970
/// (tf.train.get_checkpoint_mtimes). This is the time of the index for a V2
/// checkpoint, otherwise the time of the file that has the prefix as its name.
/// Prefixes without files are left out of the result.
std::vector<double> checkpointTimes(FileSystem &fileSystem,
                                    std::span<const std::string> prefixes);

/// An entry of a Saver's list of kept checkpoints.
struct LastCheckpointsEntry {
  std::string prefix;
  /// When the checkpoint was written, in seconds since 1970. Infinity means
  /// that the checkpoint stays on disk when it leaves the list, as after
  /// Saver.set_last_checkpoints.
  double time;
};

/// Returns the checkpoints that the state file lists and that have files,
/// oldest first (Saver.last_checkpoints, once a Saver has recovered the list).
/// If the state file has no time for a checkpoint, its time is that of its
/// files. Fails like checkpointState().
Expected<std::vector<LastCheckpointsEntry>>
lastCheckpoints(FileSystem &fileSystem, const std::string &directory,
                const std::string &latestFilename = "checkpoint");

/// Replaces the state file's list of kept checkpoints by `list`, oldest first
/// (Saver.set_last_checkpoints_with_time). A trainer that starts in the
/// directory continues with this list. The checkpoint that the state file names
/// as newest stays the newest, and is appended if `list` lacks it; if no state
/// file names one, the last of `list` becomes the newest. Returns
/// InvalidArgument if no state file names one and `list` is empty. Does not
/// check whether the checkpoints have files.
Status setLastCheckpoints(FileSystem &fileSystem, const std::string &directory,
                          std::span<const LastCheckpointsEntry> list,
                          const std::string &latestFilename = "checkpoint");

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_CHECKPOINTMANAGEMENT_H
