//===- CheckpointState.h - The text file that names the newest --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// `<directory>/checkpoint`: which checkpoints a saver keeps and which is the
// newest, in protobuf's text format, as TensorFlow reads and writes it.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_CHECKPOINTSTATE_H
#define INGOT_RUNTIME_CHECKPOINT_CHECKPOINTSTATE_H

#include "runtime/Support/FileSystem.h"

#include <string>
#include <string_view>
#include <vector>

namespace ingot {

/// The contents of a state file. Paths are as in the file.
struct CheckpointState {
  std::string modelCheckpointPath;
  std::vector<std::string> allModelCheckpointPaths; // oldest first
  std::vector<double> allModelCheckpointTimestamps; // seconds since 1970
  double lastPreservedTimestamp = 0;

  /// Checkpoints that are being removed: kept in comments, which TensorFlow
  /// skips, so that a removal which a crash interrupted can be finished.
  std::vector<std::string> removing;
};

/// Parses the text of a state file. Unknown fields are refused. InvalidArgument
/// names the line.
Expected<CheckpointState> parseCheckpointState(std::string_view text);

/// The text, as TensorFlow prints it.
std::string printCheckpointState(const CheckpointState &state);

/// Reads `<directory>/<fileName>`. NotFound if it does not exist.
Expected<CheckpointState>
readCheckpointState(FileSystem &fileSystem, const std::string &directory,
                    const std::string &fileName = "checkpoint");

/// Replaces `<directory>/<fileName>` atomically and durably.
Status writeCheckpointState(FileSystem &fileSystem,
                            const std::string &directory,
                            const CheckpointState &state,
                            const std::string &fileName = "checkpoint");

/// `path`, or `<directory>/<path>` where it is relative.
std::string resolvePath(const std::string &directory, const std::string &path);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_CHECKPOINTSTATE_H
