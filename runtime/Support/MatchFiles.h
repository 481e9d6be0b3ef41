//===- MatchFiles.h - Files that match patterns -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_MATCHFILES_H
#define INGOT_RUNTIME_SUPPORT_MATCHFILES_H

#include "runtime/Support/FileSystem.h"

#include <functional>
#include <span>

namespace ingot {

/// Returns the path of a name in the graph (resolveDataPath).
using ResolvePath = std::function<std::string(const std::string &name)>;

/// Returns true if a pattern has special characters: wildcards or escapes.
bool isWildcard(std::string_view pattern);

/// Returns the sorted names of the files and folders that match one of the
/// patterns, a name once for each pattern that it matches. In a pattern, `*`,
/// `?` and `[abc]` stand for characters of one part of a path. Names begin as
/// the patterns do, wherever `resolve` finds the files; those in the current
/// folder begin with "./", as in TensorFlow.
Expected<std::vector<std::string>>
matchFiles(FileSystem &fileSystem, std::span<const std::string> patterns,
           const ResolvePath &resolve);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_MATCHFILES_H
