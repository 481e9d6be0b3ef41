//===- DataPaths.h - Where a graph's data lies on this machine --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_DATAPATHS_H
#define INGOT_RUNTIME_SUPPORT_DATAPATHS_H

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ingot {

/// Prefixes of file names in a graph, and their replacements.
using DataMap = std::vector<std::pair<std::string, std::string>>;

/// "FROM=TO" with a non-empty FROM; nothing for any other text.
std::optional<DataMap::value_type> parseDataMapping(std::string_view text);

/// A file that a graph names: the first FROM of `map` that is its name, or the
/// folders that its name begins with, gives way to its TO. A name that is then
/// relative starts in `directory` ("": the current one).
std::string resolveDataPath(std::string_view directory, const DataMap &map,
                            std::string_view file);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_DATAPATHS_H
