//===- BackgroundSaver.h - Writes checkpoints on a thread -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_BACKGROUNDSAVER_H
#define INGOT_RUNTIME_HOOKS_BACKGROUNDSAVER_H

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Session/CheckpointContents.h"
#include "runtime/Support/Thread.h"

#include <atomic>

namespace ingot {

/// The outcome of saving the checkpoint of step `step` on the saver's thread.
struct CheckpointSaveOutcome {
  int64_t step;
  /// The prefix of the checkpoint, or the error if the save has failed.
  Expected<std::string> prefix;
  /// The CheckpointManager's warnings.
  std::vector<std::string> warnings;
};

/// Writes one checkpoint at a time on a thread of its own, while steps change
/// the variables. What they may change is copied before: by the training thread
/// between two steps or, beyond the memory that a copy may take, by the writes
/// to the file, for which start() waits. The destructor waits for a save in
/// progress.
class BackgroundSaver {
public:
  /// `checkpoints` must outlive this object, and nothing else may use it while
  /// a save is in progress.
  explicit BackgroundSaver(CheckpointManager &checkpoints)
      : checkpoints(checkpoints) {}

  /// Returns the prefix of the checkpoint of `step`.
  std::string prefixOf(int64_t step) const {
    return checkpoints.prefixOf(step);
  }

  /// Returns the checkpoints' path without the step, such as DIR/model.ckpt.
  std::string savePath() const { return checkpoints.savePath(); }

  bool isBusy() const { return isSaving; }
  /// Returns true if finish() need not wait.
  bool isDone() const { return !isSaving || done; }
  /// Sets a function that is called after each save, whether the save has
  /// failed or not. If a function is set, a save waits for other ranks. Only
  /// the training thread communicates with these ranks, so the save needs a
  /// thread of its own, and fails if none can be started.
  void afterSaves(std::function<void()> function) {
    after = std::move(function);
  }

  /// Starts to write `state`, and returns once no byte of it is read from the
  /// session's variables any more (StateToSave::pendingReads). If no thread can
  /// be started, writes the whole checkpoint before it returns, or fails
  /// (afterSaves()). Must not be called while isBusy().
  void start(int64_t step, StateToSave state);

  /// Returns the memory that held the copy of the last saved state, so that the
  /// next copy can reuse it. Must not be called while isBusy().
  AlignedBuffer takeBuffer() { return std::move(state.copy); }

  /// Returns the result of the save in progress if it is finished. If `wait` is
  /// true, first waits until it is finished. Returns std::nullopt if the save
  /// is not finished or none is in progress.
  std::optional<CheckpointSaveOutcome> finish(bool wait);

private:
  CheckpointManager &checkpoints;
  StateToSave state;
  int64_t step = 0;
  /// Written by `thread`, which then sets `done`.
  std::optional<CheckpointSaveOutcome> result;
  std::atomic<bool> done = false;
  std::function<void()> after;
  bool isSaving = false; // from start() to the finish() that returns the result
  Thread thread;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_BACKGROUNDSAVER_H
