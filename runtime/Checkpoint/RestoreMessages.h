//===- RestoreMessages.h - TensorFlow's words for failures ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The sentences with which TensorFlow's restore fails. Users' scripts search
// for them, so the error message of a failed restore begins with them.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_RESTOREMESSAGES_H
#define INGOT_RUNTIME_CHECKPOINT_RESTOREMESSAGES_H

#include "runtime/Checkpoint/CheckpointReader.h"
#include "runtime/Checkpoint/SaveRestore.h"

#include <span>

namespace ingot {

/// An item that a restore cannot read: the key that was looked up, and the
/// checkpoint's entry of that key, null if there is none.
struct UnrestorableItem {
  const TensorToRestore *item;
  std::string key;
  const CheckpointEntry *entry;
};

/// How the names of the items match those in an object-based checkpoint:
/// `unused` has the names in the checkpoint that no item requests, and
/// `numMatched` is the number of items whose names the checkpoint has.
struct ObjectCheckpointNameMatch {
  std::vector<std::string> unused;
  size_t numMatched = 0;
};

/// Returns TensorFlow 2.15's error message for the failure to restore the items
/// `unfit` from checkpoint `prefix`; "" if `unfit` is empty. The message has
/// the text of Saver.restore, then that of the restore op. The op names the
/// first missing tensor. If none is missing, it names the tensors whose types
/// differ from the checkpoint's (for a V1 checkpoint only the first one). If
/// all types agree, it names the first tensor whose shape differs. For an
/// object-based checkpoint, the message names all missing tensors; `objects` is
/// null for other checkpoints.
std::string mismatchSentence(const CheckpointReader &reader,
                             const std::string &prefix,
                             const ObjectCheckpointNameMatch *objects,
                             std::span<const UnrestorableItem> unfit);

/// Returns the sentence with which TensorFlow fails to open checkpoint
/// `prefix`: it does not exist, or its V2 index is damaged. Returns "" for
/// other failures.
std::string openSentence(FileSystem &fileSystem, const std::string &prefix);

/// Returns TensorFlow's error message for tensor `key` if its shard is missing,
/// too short or damaged; "" for other failures. The tensor must be numeric and
/// stored whole, without slices, in a V2 checkpoint.
std::string readSentence(FileSystem &fileSystem, const CheckpointReader &reader,
                         const std::string &prefix, const std::string &key);

/// Returns `status` with `sentence` before its message. Returns `status`
/// unchanged if `sentence` is "".
Status afterSentence(std::string sentence, Status status);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_RESTOREMESSAGES_H
