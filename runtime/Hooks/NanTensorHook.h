//===- NanTensorHook.h - Ends the run when the loss is NaN ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_NANTENSORHOOK_H
#define INGOT_RUNTIME_HOOKS_NANTENSORHOOK_H

#include "runtime/Session/Reporter.h"
#include "runtime/Session/SessionRunHook.h"

#include <functional>

namespace ingot {

/// As soon as an element of the step's fetch `fetch` is NaN, fails the run
/// before anything is saved, or asks it to stop.
class NanTensorHook final : public SessionRunHook {
public:
  /// `whence` describes the origin of a step's NaN ("node 'x' made it"); null,
  /// or "": unknown.
  NanTensorHook(size_t fetch, bool failsRun, Reporter &reporter,
                std::function<std::string(int64_t step)> whence = nullptr)
      : fetch(fetch), failsRun(failsRun), reporter(reporter),
        whence(std::move(whence)) {}

  const char *name() const override { return "NanTensor"; }
  HookPriority priority() const override { return HookPriority::Check; }
  Status afterRun(RunContext &context, const RunValues &values) override;

private:
  size_t fetch;
  bool failsRun;
  Reporter &reporter;
  std::function<std::string(int64_t)> whence;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_NANTENSORHOOK_H
