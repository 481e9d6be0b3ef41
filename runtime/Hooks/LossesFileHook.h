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
#include <optional>

namespace ingot {

/// Writes a line with the fetches of each step. When a run resumes from a
/// checkpoint, removes the lines of later steps, which the run repeats. The
/// global step may stay the same over several runs of the step, as where
/// gradients accumulate, so checkpoints have the number of lines with their
/// step.
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
  /// The state is the number of lines with the current global step. It is "" in
  /// the usual case: no line at step 0, one line at any other step.
  Expected<std::string> saveState() override;
  Status restoreState(std::string_view state) override;

private:
  FileSystem &fileSystem;
  std::string path;
  std::vector<LoggedFetch> columns;
  std::unique_ptr<WritableFile> file;
  std::string line; // reused to save allocations
  /// The global step, and the number of lines with it.
  int64_t step = 0;
  uint64_t lines = 0;
  /// The number of such lines that the restored checkpoint states.
  std::optional<uint64_t> restored;
};

/// The lines at the start of a losses file that a resumed run keeps: how many
/// bytes they take up, and how many of them have the checkpoint's step.
struct KeptLosses {
  uint64_t bytes = 0, lines = 0;
};

/// Returns the complete lines of steps before `step` at the start of a losses
/// file, and at most `lines` complete lines of `step` after them. Finds them by
/// binary search, so only a few lines are read. Returns InvalidArgument if one
/// of these lines is not from a losses file.
Expected<KeptLosses> lossesUpTo(const RandomAccessFile &file, int64_t step,
                                uint64_t lines);

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_LOSSESFILEHOOK_H
