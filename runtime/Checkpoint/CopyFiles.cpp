//===- CopyFiles.cpp - Copies a checkpoint's files ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/CopyFiles.h"

#include "runtime/Checkpoint/CheckpointFileSet.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Support/ReplaceFile.h"

using namespace ingot;

/// Copies file `from` in chunks of 1 MiB to a temporary name, and renames the
/// copy to `to`. So `to` is never incomplete.
static Status copyFile(FileSystem &fileSystem, const std::string &from,
                       const std::string &to) {
  INGOT_ASSIGN_OR_RETURN(auto source, fileSystem.openForReading(from));
  auto copy = [&](WritableFile &file) -> Status {
    std::string bytes(1 << 20, '\0');
    for (uint64_t at = 0; at < source->size();) {
      INGOT_ASSIGN_OR_RETURN(size_t size,
                             source->read(at, bytes.size(), bytes.data()));
      if (size == 0)
        return Status(StatusCode::DataLoss,
                      "'" + from +
                          "' became shorter while it was copied: copy it when "
                          "no other process writes it");
      INGOT_RETURN_IF_ERROR(
          file.append(std::string_view(bytes).substr(0, size)));
      at += size;
    }
    return Status::ok();
  };
  return replaceFile(fileSystem, to, to + std::string(temporarySuffix), copy);
}

Status ingot::copyCheckpointFiles(FileSystem &fileSystem,
                                  const std::string &from,
                                  const std::string &to) {
  INGOT_ASSIGN_OR_RETURN(CheckpointFileSet files,
                         findSaveFiles(fileSystem, from));
  for (const std::string &path : files.data)
    INGOT_RETURN_IF_ERROR(
        copyFile(fileSystem, path, to + path.substr(from.size())));
  INGOT_RETURN_IF_ERROR(copyFile(fileSystem, from + ".index", to + ".index"));
  return fileSystem.syncDirectory(directoryOf(to));
}
