//===- JsonFile.h - AdaNet's small JSON files -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANET_JSONFILE_H
#define INGOT_RUNTIME_ADANET_JSONFILE_H

#include "runtime/Support/FileSystem.h"

#include <nlohmann/json.hpp>

namespace ingot::adanet {

/// Reads a JSON object. NotFound if the file does not exist; DataLoss, naming
/// file, offset and remedy, where it holds something else.
Expected<nlohmann::json> readJsonFile(FileSystem &fileSystem,
                                      const std::string &path);

/// The text of such a file, and the JSON value that it has; failures as above,
/// at an offset that is `offset` into `path`.
Expected<std::string> readSmallFile(FileSystem &fileSystem,
                                    const std::string &path);
Expected<nlohmann::json> parseJson(const std::string &path,
                                   const std::string &text, size_t offset = 0);

/// DataLoss with the offset of the error in `path`, and the remedy.
Status damagedJson(const std::string &path, size_t offset,
                   const std::string &what);

/// Replaces `path` durably by `text`.
Status writeSmallFile(FileSystem &fileSystem, const std::string &directory,
                      const std::string &name, const std::string &text);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_JSONFILE_H
