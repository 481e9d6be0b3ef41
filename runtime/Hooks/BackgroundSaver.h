//===- BackgroundSaver.h - Writes checkpoints beside the steps --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_BACKGROUNDSAVER_H
#define INGOT_RUNTIME_HOOKS_BACKGROUNDSAVER_H

#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Session/SavedState.h"

#include <atomic>
#include <thread>

namespace ingot {

/// A finished save.
struct FinishedSave {
  int64_t step;
  Expected<std::string> prefix;      // or why it failed
  std::vector<std::string> warnings; // of the checkpoint manager
};

/// Writes one checkpoint at a time on a thread of its own, from a copy of the
/// variables that the step's thread made between two steps: steps may change
/// the variables while it writes. Destroying it waits for the save under way.
class BackgroundSaver {
public:
  /// Nothing else uses `checkpoints` while a save is under way.
  explicit BackgroundSaver(CheckpointManager &checkpoints)
      : checkpoints(checkpoints) {}
  ~BackgroundSaver();

  /// The prefix of a step's checkpoint.
  std::string prefixOf(int64_t step) const {
    return checkpoints.prefixOf(step);
  }

  bool isBusy() const { return thread.joinable(); }

  /// Begins to write `state`, which owns all its bytes. Not while busy.
  void start(int64_t step, StateToSave state);

  /// The memory of the last save's copy, for the next one's. Not while busy.
  AlignedBuffer takeBuffer() { return std::move(state.copy); }

  /// The save under way, if it has come to its end; with `wait`, when it has.
  /// Nothing where none is under way.
  std::optional<FinishedSave> finish(bool wait);

private:
  CheckpointManager &checkpoints;
  StateToSave state;
  int64_t step = 0;
  std::optional<FinishedSave> result; // owned by the thread until `done`
  std::atomic<bool> done = false;
  std::thread thread;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_BACKGROUNDSAVER_H
