//===- StepHook.h - A caller's feeds and fetches ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_EMBEDDING_STEPHOOK_H
#define INGOT_RUNTIME_EMBEDDING_STEPHOOK_H

#include "runtime/Session/SessionRunHook.h"

namespace ingot::embedding {

/// Adds the caller's feeds to each step, and remembers the step's fetches.
class StepHook final : public SessionRunHook {
public:
  explicit StepHook(const ingot_entry &step) : step(step) {}

  const char *name() const override { return "Caller"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status beforeRun(RunContext &context, RunRequest &request) override {
    // A feed that the caller did not set has dtype 0.
    for (size_t i = 0; i < feeds.size(); ++i)
      if (feeds[i].dtype != 0)
        request.feeds.push_back({step.feeds[i].name, feeds[i]});
    return Status::ok();
  }
  Status afterRun(RunContext &context, const RunValues &ran) override {
    values = &ran.step;
    return Status::ok();
  }

  std::vector<ingot_tensor> feeds; // in the order of the step's feeds
  const BoundEntry *values = nullptr;

private:
  const ingot_entry &step;
};

} // namespace ingot::embedding

#endif // INGOT_RUNTIME_EMBEDDING_STEPHOOK_H
