//===- ReplaceFile.h - Files that appear whole or not at all ----*- C++ -*-===//
#ifndef INGOT_RUNTIME_SUPPORT_REPLACEFILE_H
#define INGOT_RUNTIME_SUPPORT_REPLACEFILE_H

#include "runtime/Support/FileSystem.h"

#include <functional>

namespace ingot {

/// Appends to a file what it is to hold.
using FileContents = std::function<Status(WritableFile &)>;

/// What is `bytes` long, which outlive the result.
FileContents contentsOf(std::string_view bytes);

/// Creates `path`, a temporary name, and has its bytes on the disk when it
/// returns. What a failure leaves stays there.
Status writeDurably(FileSystem &fileSystem, const std::string &path,
                    const FileContents &contents);

/// Writes `path` as `temporary`, a name beside it, which it loses when all
/// bytes are on the disk. What a failure leaves is removed, and a file `path`
/// is as before. The new name outlasts a crash of the machine only when its
/// directory has been synced.
Status replaceFile(FileSystem &fileSystem, const std::string &path,
                   const std::string &temporary, const FileContents &contents);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_REPLACEFILE_H
