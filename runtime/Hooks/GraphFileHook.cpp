//===- GraphFileHook.cpp - Writes the graph to the model directory --------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/GraphFileHook.h"

#include "runtime/Support/ReplaceFile.h"

using namespace ingot;

/// Returns true if the file's contents are `text`.
static bool hasContents(FileSystem &fileSystem, const std::string &path,
                        const std::string &text) {
  if (fileSystem.kindOf(path) != FileKind::Regular)
    return false;
  auto file = fileSystem.openForReading(path);
  if (!file || (*file)->size() != text.size())
    return false;
  std::string found(text.size(), '\0');
  Expected<size_t> size = (*file)->read(0, found.size(), found.data());
  return size && *size == text.size() && found == text;
}

Status GraphFileHook::write() {
  INGOT_ASSIGN_OR_RETURN(std::string text, contents());
  if (text.empty() || hasContents(fileSystem, path, text))
    return Status::ok();
  // A folder or link with the name of the file belongs to the user, so leave it
  // alone.
  if (FileKind kind = fileSystem.kindOf(path);
      kind != FileKind::None && kind != FileKind::Regular)
    return Status(StatusCode::FailedPrecondition,
                  "'" + path + "' is " + kindText(kind));
  return replaceFile(fileSystem, path, path + ".tmp", contentsOf(text));
}

Status GraphFileHook::afterCreateSession(SessionRunContext &) {
  // If a session is created again, the program's graph is still the same, so
  // the file need not be written again.
  if (std::exchange(isDone, true))
    return Status::ok();
  if (Status status = write(); !status.isOk())
    reporter.warning("'" + path + "' is not written: " + status.message());
  return Status::ok();
}
