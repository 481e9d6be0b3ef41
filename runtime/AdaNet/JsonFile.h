//===- JsonFile.h - AdaNet's small JSON files -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANET_JSONFILE_H
#define INGOT_RUNTIME_ADANET_JSONFILE_H

#include "runtime/Support/FileSystem.h"

#include <nlohmann/json.hpp>

namespace ingot::adanet {

/// Reads a file that holds one JSON object. Returns NotFound if the file does
/// not exist, and DataLoss, with file, offset and remedy, if it holds anything
/// else.
Expected<nlohmann::json> readJsonFile(FileSystem &fileSystem,
                                      const std::string &path);

/// readSmallFile() returns the contents of a file of at most 16 MiB.
/// parseJson() parses `text`, the part of file `path` that starts at byte
/// `offset`, as JSON. Both return errors as readJsonFile() does.
Expected<std::string> readSmallFile(FileSystem &fileSystem,
                                    const std::string &path);
Expected<nlohmann::json> parseJson(const std::string &path,
                                   const std::string &text, size_t offset = 0);

/// Returns a DataLoss status that names `path` and the byte `offset` of the
/// error, and says how to repair the file.
Status damagedJson(const std::string &path, size_t offset,
                   const std::string &what);

/// Writes `text` to the file `<directory>/<name>` durably: replaces the file by
/// an atomic rename, and syncs the directory. Creates the directory if it is
/// missing.
Status writeSmallFile(FileSystem &fileSystem, const std::string &directory,
                      const std::string &name, const std::string &text);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_JSONFILE_H
