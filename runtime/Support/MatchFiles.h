//===- MatchFiles.h - Files that match patterns -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_MATCHFILES_H
#define INGOT_RUNTIME_SUPPORT_MATCHFILES_H

#include "runtime/Support/FileSystem.h"

#include <functional>
#include <span>

namespace ingot {

/// A function that returns the path of a file that the graph names, such as one
/// that calls resolveDataPath().
using ResolvePath = std::function<std::string(const std::string &name)>;

/// Returns true if a pattern has special characters: wildcards or escapes.
bool isWildcard(std::string_view pattern);

/// Returns the sorted names of the files and folders that match at least one of
/// the patterns. A name that matches several patterns occurs once for each of
/// them. `*`, `?` and `[abc]` match characters within one component of a path.
/// `resolve` maps names to the paths where files are found, but the returned
/// names begin like the patterns; those in the current folder begin with "./",
/// as in TensorFlow.
Expected<std::vector<std::string>>
matchFiles(FileSystem &fileSystem, std::span<const std::string> patterns,
           const ResolvePath &resolve);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_MATCHFILES_H
