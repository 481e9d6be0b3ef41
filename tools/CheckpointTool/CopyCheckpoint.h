//===- CopyCheckpoint.h - Helpers to write checkpoints ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Helpers of the verbs that write checkpoints. They use lists of tensors whose
// bytes are read only when they are written.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TOOLS_CHECKPOINTTOOL_COPYCHECKPOINT_H
#define INGOT_TOOLS_CHECKPOINTTOOL_COPYCHECKPOINT_H

#include "runtime/Checkpoint/SaveRestore.h"
#include "tools/CheckpointTool/Tool.h"

namespace ingot::ckpt {

/// Returns all tensors of `reader` in the order of their keys. A partitioned
/// tensor is one item per stored slice or, if `assembled`, one item with the
/// full tensor. Variants, which only the program that wrote them can read, are
/// items with their bytes or, if `leavesOutVariants`, are left out with a
/// warning. The items refer to `tool` and `reader`.
std::vector<TensorToSave> itemsOf(const ToolContext &tool,
                                  const CheckpointReader &reader,
                                  bool assembled = false,
                                  bool leavesOutVariants = false);

enum class CheckpointFormat { V1, V2 };

/// Writes `items` as checkpoint `prefix` with `numShards` shards; 0 keeps the
/// items' shards. Prints a summary; returns the exit code.
int writeItems(const ToolContext &tool, const std::string &prefix,
               std::vector<TensorToSave> items, uint32_t numShards,
               CheckpointFormat format = CheckpointFormat::V2);

/// Returns the value of flag -o, the output's prefix. Sets `error` if the flag
/// is missing.
std::string outputOf(const ToolContext &tool, std::optional<UsageError> &error);

/// Prints the error of a failed write to the console. Returns the exit code.
int failWriting(const ToolContext &tool, const Status &status);

/// Returns Cancelled if a signal has asked the tool to stop.
Status checkStopped();

/// Returns the value of --shards; 0 if the flag is not given.
uint32_t shardsOf(const ToolContext &tool, std::optional<UsageError> &error);

/// Flags that all verbs that write checkpoints have in common.
inline constexpr FlagSpec outputFlag = {"-o", "OUT", "write this checkpoint"};
inline constexpr FlagSpec shardsFlag = {
    "--shards", "N", "write N data shards (default: as in the input)"};
inline constexpr FlagSpec forceFlag = {"--force", nullptr,
                                       "replace OUT if it exists"};
inline constexpr FlagSpec helpFlag = {"--help", nullptr, "print this"};

} // namespace ingot::ckpt

#endif // INGOT_TOOLS_CHECKPOINTTOOL_COPYCHECKPOINT_H
