//===- ReplaceFile.h - Files that appear whole or not at all ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_REPLACEFILE_H
#define INGOT_RUNTIME_SUPPORT_REPLACEFILE_H

#include "runtime/Support/FileSystem.h"

#include <functional>

namespace ingot {

/// Appends the contents to a file.
using FileContents = std::function<Status(WritableFile &)>;

/// The given bytes, which must outlive the result.
FileContents contentsOf(std::string_view bytes);

/// Creates `path`, a temporary name; its bytes are on disk when it returns. A
/// failure leaves the file.
Status writeDurably(FileSystem &fileSystem, const std::string &path,
                    const FileContents &contents);

/// Writes `path` as `temporary`, a name beside it, which is renamed when all
/// bytes are on disk. After a failure the temporary file is removed, and `path`
/// is as before. The new name survives a crash of the machine only once its
/// directory has been synced.
Status replaceFile(FileSystem &fileSystem, const std::string &path,
                   const std::string &temporary, const FileContents &contents);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_REPLACEFILE_H
