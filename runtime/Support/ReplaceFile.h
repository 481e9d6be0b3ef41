//===- ReplaceFile.h - Replaces files atomically ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_REPLACEFILE_H
#define INGOT_RUNTIME_SUPPORT_REPLACEFILE_H

#include "runtime/Support/FileSystem.h"

#include <functional>

namespace ingot {

/// A function that appends contents to a file.
using FileContents = std::function<Status(WritableFile &)>;

/// Returns a function that appends `bytes`. The bytes must outlive the
/// function.
FileContents contentsOf(std::string_view bytes);

/// Creates a file with the temporary name `path`, writes its contents, and
/// waits until they are on disk. On failure, the file is not removed.
Status writeDurably(FileSystem &fileSystem, const std::string &path,
                    const FileContents &contents);

/// Writes the contents to `temporary`, a name in the same directory, and
/// renames it to `path` when all bytes are on disk. On failure, the temporary
/// file is removed and `path` is unchanged. The rename survives a crash of the
/// machine only once the directory has been synced.
Status replaceFile(FileSystem &fileSystem, const std::string &path,
                   const std::string &temporary, const FileContents &contents);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_REPLACEFILE_H
