//===- GraphFileHook.cpp - Writes the graph to the model directory --------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/GraphFileHook.h"

using namespace ingot;

namespace {

/// Compares what is appended with the contents of a file.
class FileComparer final : public WritableFile {
public:
  explicit FileComparer(const RandomAccessFile &file) : file(file) {}

  Status append(std::string_view data) override {
    std::string found(data.size(), '\0');
    INGOT_ASSIGN_OR_RETURN(size_t size,
                           file.read(offset, found.size(), found.data()));
    offset += size;
    if (size != data.size() || found != data)
      return Status(StatusCode::Cancelled, "the contents differ");
    return Status::ok();
  }
  Status flush() override { return Status::ok(); }
  Status sync() override { return Status::ok(); }
  Status close() override { return Status::ok(); }

  bool isAtEnd() const { return offset == file.size(); }

private:
  const RandomAccessFile &file;
  uint64_t offset = 0;
};

} // namespace

/// Returns true if `contents` appends what the file contains.
static bool hasContents(FileSystem &fileSystem, const std::string &path,
                        const FileContents &contents) {
  if (fileSystem.kindOf(path) != FileKind::Regular)
    return false;
  auto file = fileSystem.openForReading(path);
  if (!file)
    return false;
  FileComparer found(**file);
  return contents(found).isOk() && found.isAtEnd();
}

Status GraphFileHook::write() {
  INGOT_ASSIGN_OR_RETURN(FileContents append, contents());
  if (!append || hasContents(fileSystem, path, append))
    return Status::ok();
  // A folder or link with the name of the file belongs to the user, so leave it
  // alone.
  if (FileKind kind = fileSystem.kindOf(path);
      kind != FileKind::None && kind != FileKind::Regular)
    return Status(StatusCode::FailedPrecondition,
                  "'" + path + "' is " + kindText(kind));
  return replaceFile(fileSystem, path, path + ".tmp", append);
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
