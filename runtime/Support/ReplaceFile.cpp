//===- ReplaceFile.cpp - Replaces files atomically ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/ReplaceFile.h"

using namespace ingot;

FileContents ingot::contentsOf(std::string_view bytes) {
  return [bytes](WritableFile &file) { return file.append(bytes); };
}

Status ingot::writeDurably(FileSystem &fileSystem, const std::string &path,
                           const FileContents &contents) {
  INGOT_ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file,
                         createTemporary(fileSystem, path));
  INGOT_RETURN_IF_ERROR(contents(*file));
  INGOT_RETURN_IF_ERROR(file->sync());
  return file->close();
}

Status ingot::replaceFile(FileSystem &fileSystem, const std::string &path,
                          const std::string &temporary,
                          const FileContents &contents) {
  Status status = writeDurably(fileSystem, temporary, contents);
  if (status.isOk())
    status = fileSystem.rename(temporary, path);
  // Remove regular files only: a link or folder with this name was not made by
  // Ingot.
  if (!status.isOk() && fileSystem.kindOf(temporary) == FileKind::Regular)
    (void)fileSystem.remove(temporary);
  return status;
}
