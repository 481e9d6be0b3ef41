//===- CheckpointSaveId.h - States saved together ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// One save writes the model, iterators, random states and hooks as one set. A
// tensor of the checkpoint identifies the set, and the saved state of each
// iterator ends with the set's stamp. If a tool has combined files of different
// saves, such as iterators of one step with variables of another, the stamps
// differ, and a restore reports this.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_CHECKPOINTSAVEID_H
#define INGOT_RUNTIME_CHECKPOINT_CHECKPOINTSAVEID_H

#include <optional>
#include <string>
#include <string_view>

namespace ingot {

/// The key of the scalar string tensor that identifies the set of states which
/// one save has written, in the form of CheckpointSaveId::text().
inline constexpr std::string_view setKey = "ingot/set";

/// The prefix of the keys under which hooks' states are saved:
/// "ingot/hook/NAME".
inline constexpr std::string_view hookKeyPrefix = "ingot/hook/";

/// Identifies the set of states that one save has written together.
struct CheckpointSaveId {
  int64_t step = 0;
  /// A checksum of the step and of the states of random ops, iterators and
  /// hooks. It distinguishes sets of the same step.
  uint32_t id = 0;
  /// The number of states of random ops, and a checksum of them. These states
  /// are tensors of fixed size, to which no stamp can be appended, so text()
  /// contains number and checksum.
  uint32_t numRandom = 0;
  uint32_t random = 0;

  bool isSameSet(const CheckpointSaveId &other) const {
    return step == other.step && id == other.id;
  }

  /// Prints the stamp as "step 60, id 01234567, random 89abcdef of 2".
  std::string text() const;
  /// Parses a text of this form; returns std::nullopt for any other text.
  static std::optional<CheckpointSaveId> parse(std::string_view text);
};

/// Returns `state` followed by the stamp of 20 bytes: "INGOTSET", the step (64
/// bits) and the id (32 bits), little-endian.
std::string withStamp(std::string state, const CheckpointSaveId &stamp);

/// Removes the stamp at the end of `state` and returns it; returns std::nullopt
/// if `state` has none.
std::optional<CheckpointSaveId> takeStamp(std::string &state);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_CHECKPOINTSAVEID_H
