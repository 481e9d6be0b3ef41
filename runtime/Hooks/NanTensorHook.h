//===- NanTensorHook.h - Fails the run when the loss is NaN -----*- C++ -*-===//
#ifndef INGOT_RUNTIME_HOOKS_NANTENSORHOOK_H
#define INGOT_RUNTIME_HOOKS_NANTENSORHOOK_H

#include "runtime/Hooks/SessionRunHook.h"

namespace ingot {

/// Fails the run, before anything is saved, as soon as an element of the step's
/// fetch `fetch` is NaN.
class NanTensorHook final : public SessionRunHook {
public:
  explicit NanTensorHook(size_t fetch) : fetch(fetch) {}

  const char *name() const override { return "NanTensor"; }
  HookPriority priority() const override { return HookPriority::Check; }
  Status afterRun(RunContext &context, const RunValues &values) override;

private:
  size_t fetch;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_NANTENSORHOOK_H
