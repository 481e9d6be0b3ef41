//===- BackgroundSaver.cpp - Writes checkpoints on a thread ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/BackgroundSaver.h"

#include "runtime/Support/ThreadActivity.h"

using namespace ingot;

void BackgroundSaver::start(int64_t atStep, StateToSave toSave) {
  step = atStep;
  state = std::move(toSave);
  done = false;
  isSaving = true;
  std::shared_ptr<PendingReads> reads = state.pendingReads;
  auto finish = [this, reads](Expected<std::string> prefix) {
    result.emplace(CheckpointSaveOutcome{step, std::move(prefix),
                                         checkpoints.takeWarnings()});
    if (after)
      after();
    if (reads)
      reads->finishAll();
    done = true;
  };
  auto save = [this, finish] {
    ThreadActivity::ActivityScope activity("writes a checkpoint", nullptr);
    finish(checkpoints.save(step, state.items));
  };
  if (auto started = Thread::start("saver", save))
    thread = std::move(*started);
  else if (after)
    finish(started.takeStatus().withContext(
        "cannot save '" + checkpoints.prefixOf(step) + "' by all ranks"));
  else
    save();
  if (!reads)
    return;
  ThreadActivity::ActivityScope activity("waits until variables are written",
                                         nullptr);
  reads->wait();
}

std::optional<CheckpointSaveOutcome> BackgroundSaver::finish(bool wait) {
  if (!isSaving || (!wait && !done))
    return std::nullopt;
  thread.join();
  isSaving = false;
  return std::exchange(result, std::nullopt);
}
