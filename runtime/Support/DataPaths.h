//===- DataPaths.h - Resolves file names of a graph -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_DATAPATHS_H
#define INGOT_RUNTIME_SUPPORT_DATAPATHS_H

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ingot {

/// Pairs of a prefix of file names in a graph and its replacement (--data-map).
using DataMap = std::vector<std::pair<std::string, std::string>>;

/// Parses "FROM=TO" with a non-empty FROM. Returns std::nullopt for any other
/// text.
std::optional<DataMap::value_type> parseDataMapping(std::string_view text);

/// Returns the path of `file`, a name in the graph. The first FROM of `map`
/// that equals the name, or its leading folders, is replaced by its TO. If the
/// result is relative, it is resolved against `directory` ("": the current
/// one).
std::string resolveDataPath(std::string_view directory, const DataMap &map,
                            std::string_view file);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_DATAPATHS_H
