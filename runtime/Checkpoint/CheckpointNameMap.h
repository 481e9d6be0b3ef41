//===- CheckpointNameMap.h - Rename tensors, find similar names -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Renames a graph's tensors to the names that a checkpoint uses, and suggests
// similar names for missing ones.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_CHECKPOINTNAMEMAP_H
#define INGOT_RUNTIME_CHECKPOINT_CHECKPOINTNAMEMAP_H

#include "runtime/Support/Expected.h"

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ingot {

/// A sequence of regular expressions with replacements, which maps names of a
/// graph's tensors to names in a checkpoint.
class CheckpointNameMap {
public:
  /// Compiles POSIX extended regular expressions. Returns InvalidArgument,
  /// quoting the expression, if one is malformed.
  static Expected<CheckpointNameMap>
  create(std::span<const std::pair<std::string, std::string>> renames);

  CheckpointNameMap(CheckpointNameMap &&);
  CheckpointNameMap &operator=(CheckpointNameMap &&);
  ~CheckpointNameMap();

  /// Replaces every match of each expression in `name`, one expression after
  /// the other. In a replacement \1 to \9 stand for groups, \0 for the whole
  /// match, and \\ for a backslash.
  std::string apply(std::string name) const;

private:
  struct Rule;
  CheckpointNameMap();
  std::vector<std::unique_ptr<Rule>> rules;
};

/// Returns up to `limit` of `candidates`, by ascending edit distance from
/// `name`. Candidates that differ in more than half of the characters are left
/// out.
std::vector<std::string> nearestNames(const std::string &name,
                                      std::span<const std::string> candidates,
                                      size_t limit = 3);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_CHECKPOINTNAMEMAP_H
