//===- CheckpointState.h - The state file of a directory --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The state file `<directory>/checkpoint` lists the checkpoints that a saver
// keeps and names the newest, in protobuf's text format, as TensorFlow reads
// and writes it.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_CHECKPOINTSTATE_H
#define INGOT_RUNTIME_CHECKPOINT_CHECKPOINTSTATE_H

#include "runtime/Support/FileSystem.h"

#include <string>
#include <string_view>
#include <vector>

namespace ingot {

/// The contents of a state file. Paths are as the file has them: absolute, or
/// relative to its directory.
struct CheckpointState {
  std::string modelCheckpointPath;
  std::vector<std::string> allModelCheckpointPaths; // oldest first
  std::vector<double> allModelCheckpointTimestamps; // seconds since 1970
  double lastPreservedTimestamp = 0;

  /// Checkpoints that are being removed. The file has them so that recovery can
  /// finish a removal that a crash interrupted. They are written as comments,
  /// which TensorFlow skips.
  std::vector<std::string> removing;
};

/// Parses the text of a state file. Returns InvalidArgument, naming the line,
/// for unknown fields and syntax errors.
Expected<CheckpointState> parseCheckpointState(std::string_view text);

/// Returns the state file's text, as TensorFlow prints it.
std::string printCheckpointState(const CheckpointState &state);

/// Reads `<directory>/<fileName>`. Returns NotFound if it does not exist, and
/// InvalidArgument, naming file and line, if it cannot be parsed.
Expected<CheckpointState>
readCheckpointState(FileSystem &fileSystem, const std::string &directory,
                    const std::string &fileName = "checkpoint");

/// Replaces `<directory>/<fileName>` atomically and durably.
Status writeCheckpointState(FileSystem &fileSystem,
                            const std::string &directory,
                            const CheckpointState &state,
                            const std::string &fileName = "checkpoint");

/// Returns `path` if it is absolute, else `<directory>/<path>`.
std::string resolvePath(const std::string &directory, const std::string &path);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_CHECKPOINTSTATE_H
