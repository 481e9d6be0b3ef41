//===- SetStamp.h - Stamps of what was saved together -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Model, iterators, random states and hooks that one save wrote are one set. A
// tensor of the checkpoint names the set, and each position in it carries the
// set's stamp, so that positions which a tool has put beside another step's
// variables are found out.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_SETSTAMP_H
#define INGOT_RUNTIME_CHECKPOINT_SETSTAMP_H

#include <optional>
#include <string>
#include <string_view>

namespace ingot {

/// The key of the tensor that names the set: a scalar string, as text().
inline constexpr std::string_view setKey = "ingot/set";

/// The prefix of the keys of hooks' states, before the hook's name.
inline constexpr std::string_view hookKeyPrefix = "ingot/hook/";

/// Names a set.
struct SetStamp {
  int64_t step = 0;
  /// A checksum of the set's other parts; distinguishes sets of one step.
  uint32_t id = 0;
  /// The states of random ops have no room for a stamp: how many there are, and
  /// a checksum of them.
  uint32_t numRandom = 0;
  uint32_t random = 0;

  bool isSameSet(const SetStamp &other) const {
    return step == other.step && id == other.id;
  }

  /// "step 60, id 01234567, random 89abcdef of 2".
  std::string text() const;
  /// Nothing where `text` isn't one.
  static std::optional<SetStamp> parse(std::string_view text);
};

/// `state` followed by the stamp: "INGOTSET", the step and the id, little
/// endian, 20 bytes.
std::string withStamp(std::string state, const SetStamp &stamp);

/// Takes the stamp off a state that has one.
std::optional<SetStamp> takeStamp(std::string &state);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_SETSTAMP_H
