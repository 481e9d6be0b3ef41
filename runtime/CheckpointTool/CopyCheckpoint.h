//===- CopyCheckpoint.h - Tensors on their way to a new file ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The common part of the verbs that write: a list of tensors that are read one
// by one while they are written.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINTTOOL_COPYCHECKPOINT_H
#define INGOT_RUNTIME_CHECKPOINTTOOL_COPYCHECKPOINT_H

#include "runtime/Checkpoint/SaveRestore.h"
#include "runtime/CheckpointTool/Tool.h"

namespace ingot::ckpt {

/// All tensors of `reader`, sorted by name as a Saver has them; of partitioned
/// ones each stored slice, or with `assembled` the full tensor. Variants, which
/// only the program that wrote them can read, are left out with a warning.
std::vector<SaveItem> itemsOf(const Tool &tool, const CheckpointReader &reader,
                              bool assembled = false);

enum class CheckpointFormat { V1, V2 };

/// Writes `items` as checkpoint `prefix`, spread over `numShards` shards; 0: as
/// many as they are in. Prints a summary; returns the exit code.
int writeItems(const Tool &tool, const std::string &prefix,
               std::vector<SaveItem> items, uint32_t numShards,
               CheckpointFormat format = CheckpointFormat::V2);

/// The value of -o, or a mistake in `error`.
std::string outputOf(const Tool &tool, std::optional<UsageError> &error);

/// Prints why something couldn't be written; returns the exit code.
int failWriting(const Tool &tool, const Status &status);

/// A failure with a message for a tool's work that a signal has stopped.
Status checkStopped();

/// The number of shards that --shards asks for; 0 where it isn't given.
uint32_t shardsOf(const Tool &tool, std::optional<UsageError> &error);

/// Flags of all verbs that write checkpoints.
inline constexpr FlagSpec outputFlag = {"-o", "OUT", "write this checkpoint"};
inline constexpr FlagSpec shardsFlag = {
    "--shards", "N", "write N data shards (default: as many as it has)"};
inline constexpr FlagSpec forceFlag = {"--force", nullptr,
                                       "replace OUT if it exists"};
inline constexpr FlagSpec helpFlag = {"--help", nullptr, "print this"};

} // namespace ingot::ckpt

#endif // INGOT_RUNTIME_CHECKPOINTTOOL_COPYCHECKPOINT_H
