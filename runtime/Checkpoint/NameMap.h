//===- NameMap.h - Renaming tensors, and names that are near ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Maps the names of a graph to different names in a checkpoint, for restores.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_NAMEMAP_H
#define INGOT_RUNTIME_CHECKPOINT_NAMEMAP_H

#include "runtime/Support/Expected.h"

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ingot {

/// A list of regular expressions with replacements, ready to use.
class NameMap {
public:
  /// Compiles POSIX extended regular expressions. InvalidArgument quotes one
  /// that is malformed.
  static Expected<NameMap>
  create(std::span<const std::pair<std::string, std::string>> renames);

  NameMap(NameMap &&);
  NameMap &operator=(NameMap &&);
  ~NameMap();

  /// `name` with every match of each expression replaced, in order; \1 to \9
  /// in a replacement stand for groups, \0 for the match, \\ for a backslash.
  std::string apply(std::string name) const;

private:
  struct Rule;
  NameMap();
  std::vector<std::unique_ptr<Rule>> rules;
};

/// The up to `limit` of `candidates` that differ least from `name`, nearest
/// first; none that have little in common with it.
std::vector<std::string> nearestNames(const std::string &name,
                                      std::span<const std::string> candidates,
                                      size_t limit = 3);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_NAMEMAP_H
