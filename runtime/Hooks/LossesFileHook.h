//===- LossesFileHook.h - A JSON line for every step ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Writes the file of --losses: one line per step with the loss and all further
// fetches, such as {"step":1,"loss":2.345616340637207}. The file is the same
// whether or not the run was killed and resumed.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_HOOKS_LOSSESFILEHOOK_H
#define INGOT_RUNTIME_HOOKS_LOSSESFILEHOOK_H

#include "runtime/Session/SessionRunHook.h"

#include <memory>

namespace ingot {

/// Writes a line with the fetches of each step. When a run resumes from a
/// checkpoint, removes the lines of later steps, which the run repeats.
class LossesFileHook final : public SessionRunHook {
public:
  /// A value of each line: a fetch of the step entry, and its key in the JSON
  /// object.
  struct LoggedFetch {
    std::string key;
    size_t fetch;
  };

  LossesFileHook(FileSystem &fileSystem, std::string path,
                 std::vector<LoggedFetch> columns)
      : fileSystem(fileSystem), path(std::move(path)),
        columns(std::move(columns)) {}

  const char *name() const override { return "Losses"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  /// Removes the lines of steps that the resumed run repeats.
  Status afterCreateSession(SessionRunContext &context) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;
  Status end(SessionRunContext &context) override;

private:
  FileSystem &fileSystem;
  std::string path;
  std::vector<LoggedFetch> columns;
  std::unique_ptr<WritableFile> file;
  std::string line; // reused to save allocations
};

/// Returns how many bytes the complete lines of steps up to `step` take up at
/// the start of a losses file. Finds them by binary search, so only a few lines
/// are read. Returns InvalidArgument if one of these lines is not from a losses
/// file.
Expected<uint64_t> lossesUpTo(const RandomAccessFile &file, int64_t step);

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_LOSSESFILEHOOK_H
