//===- CallerFeedsHook.h - A caller's feeds and fetches ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_EMBEDDING_CALLERFEEDSHOOK_H
#define INGOT_RUNTIME_EMBEDDING_CALLERFEEDSHOOK_H

#include "runtime/Session/SessionRunHook.h"

namespace ingot::embedding {

/// Adds the caller's feeds to each step, and remembers the step's fetches.
class CallerFeedsHook final : public SessionRunHook {
public:
  explicit CallerFeedsHook(const ingot_entry &step) : step(step) {}

  const char *name() const override { return "Caller"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status beforeRun(SessionRunContext &context,
                   SessionRunArgs &request) override {
    // `feeds` has an element for each feed of the step. dtype 0 marks those
    // that the caller has not set.
    for (size_t i = 0; i < feeds.size(); ++i)
      if (feeds[i].dtype != 0)
        request.feeds.push_back({step.feeds[i].name, feeds[i]});
    return Status::ok();
  }
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &ran) override {
    values = &ran.step;
    return Status::ok();
  }

  /// The caller's feeds, in the order of the step entry's feeds.
  std::vector<ingot_tensor> feeds;
  const BoundEntryPoint *values = nullptr;

private:
  const ingot_entry &step;
};

} // namespace ingot::embedding

#endif // INGOT_RUNTIME_EMBEDDING_CALLERFEEDSHOOK_H
