//===- MatchFiles.cpp - Files that match patterns -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/MatchFiles.h"

#include <algorithm>
#include <fnmatch.h>

using namespace ingot;

constexpr char special[] = "*?[\\";

bool ingot::isWildcard(std::string_view pattern) {
  return pattern.find_first_of(special) != pattern.npos;
}

/// Returns false if no file's name can match `pattern`. `fixed` is the index of
/// the pattern's first special character. No name matches if the pattern ends
/// in a slash, or if two slashes precede the component with that character or a
/// later component.
static bool canMatch(std::string_view pattern, size_t fixed) {
  size_t slash = pattern.substr(0, fixed).rfind('/');
  size_t start = slash == pattern.npos || slash == 0 ? 0 : slash - 1;
  return !pattern.ends_with('/') && pattern.find("//", start) == pattern.npos;
}

namespace {

class FilePatternMatcher {
public:
  FilePatternMatcher(FileSystem &fileSystem, const ResolvePath &resolve)
      : fileSystem(fileSystem), resolve(resolve) {}

  /// Adds all files that match the path of folder `found` (with a trailing
  /// slash) followed by `pattern`, the part of the pattern that is not yet
  /// expanded. The depth of the recursion is the number of folders that match
  /// wildcards; the length of a pattern alone does not bound it.
  Status expand(std::string found, std::string_view pattern) {
    size_t wildcard = pattern.find_first_of(special);
    if (wildcard == pattern.npos) {
      found += pattern;
      if (fileSystem.exists(resolve(found)))
        files.push_back(std::move(found));
      return Status::ok();
    }
    if (size_t end = pattern.rfind('/', wildcard); end != pattern.npos) {
      found += pattern.substr(0, end + 1);
      pattern.remove_prefix(end + 1);
    }
    size_t slash = pattern.find('/');
    std::string part(pattern.substr(0, slash));
    bool isLast = slash == pattern.npos;
    std::string_view rest =
        isLast ? std::string_view() : pattern.substr(slash + 1);
    auto entries = fileSystem.list(resolve(found));
    if (!entries && entries.status().code() == StatusCode::NotFound)
      return Status::ok();
    if (!entries)
      return entries.takeStatus();
    for (const std::string &entry : *entries) {
      if (fnmatch(part.c_str(), entry.c_str(), FNM_PATHNAME))
        continue;
      if (isLast)
        files.push_back(found + entry);
      else
        INGOT_RETURN_IF_ERROR(expand(found + entry + "/", rest));
    }
    return Status::ok();
  }

  std::vector<std::string> files;

private:
  FileSystem &fileSystem;
  const ResolvePath &resolve;
};

} // namespace

Expected<std::vector<std::string>>
ingot::matchFiles(FileSystem &fileSystem, std::span<const std::string> patterns,
                  const ResolvePath &resolve) {
  FilePatternMatcher matcher(fileSystem, resolve);
  for (const std::string &pattern : patterns) {
    size_t fixed = pattern.find_first_of(special);
    if (fixed != pattern.npos && !canMatch(pattern, fixed))
      continue;
    bool isHere = pattern.find('/') >= fixed;
    INGOT_RETURN_IF_ERROR(matcher.expand(isHere ? "./" : "", pattern));
  }
  std::ranges::sort(matcher.files);
  return std::move(matcher.files);
}
