//===- BackgroundSaver.cpp - Writes checkpoints on a thread ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/BackgroundSaver.h"

#include "runtime/Support/ThreadActivity.h"

using namespace ingot;

BackgroundSaver::~BackgroundSaver() {
  if (thread.joinable())
    thread.join();
}

void BackgroundSaver::start(int64_t atStep, StateToSave toSave) {
  step = atStep;
  state = std::move(toSave);
  done = false;
  thread = std::thread([this] {
    ThreadActivity::ActivityScope activity("writes a checkpoint", nullptr);
    Expected<std::string> prefix = checkpoints.save(step, state.items);
    result.emplace(
        FinishedSave{step, std::move(prefix), checkpoints.takeWarnings()});
    done = true;
  });
}

std::optional<FinishedSave> BackgroundSaver::finish(bool wait) {
  if (!thread.joinable() || (!wait && !done))
    return std::nullopt;
  thread.join();
  return std::exchange(result, std::nullopt);
}
