//===- DataPaths.cpp - Resolves file names of a graph -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/DataPaths.h"

namespace ingot {

std::optional<DataMap::value_type> parseDataMapping(std::string_view text) {
  size_t at = text.find('=');
  if (at == 0 || at == text.npos)
    return std::nullopt;
  return DataMap::value_type(text.substr(0, at), text.substr(at + 1));
}

/// Returns the part of `file` after the prefix `from`. Returns std::nullopt if
/// `file` does not begin with `from`, or if `from` ends inside a component of
/// the path.
static std::optional<std::string_view> restAfter(std::string_view file,
                                                 std::string_view from) {
  if (!file.starts_with(from))
    return std::nullopt;
  file.remove_prefix(from.size());
  if (file.empty() || file.front() == '/' || from.back() == '/')
    return file;
  return std::nullopt;
}

std::string resolveDataPath(std::string_view directory, const DataMap &map,
                            std::string_view file) {
  std::string path(file);
  for (const auto &[from, to] : map)
    if (auto rest = restAfter(file, from)) {
      path = to;
      path += *rest;
      break;
    }
  if (directory.empty() || path.starts_with('/'))
    return path;
  std::string whole(directory);
  if (!whole.ends_with('/'))
    whole += '/';
  return whole + path;
}

} // namespace ingot
