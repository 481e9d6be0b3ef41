//===- NanTensorHook.h - Ends the run when the loss is NaN ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_NANTENSORHOOK_H
#define INGOT_RUNTIME_HOOKS_NANTENSORHOOK_H

#include "runtime/Session/SessionLogger.h"
#include "runtime/Session/SessionRunHook.h"

#include <functional>

namespace ingot {

/// Checks the loss, which is fetch `fetch` of the step, for NaN after every
/// step. If an element is NaN, either fails the run before anything is saved
/// (`failsRun`), or warns and requests a stop.
class NanTensorHook final : public SessionRunHook {
public:
  /// `whence` returns a text that names the node which produced the NaN of a
  /// step ("node 'x' produced it"), or "" if the node is unknown. `whence` may
  /// be null.
  NanTensorHook(size_t fetch, bool failsRun, SessionLogger &reporter,
                std::function<std::string(int64_t step)> whence = nullptr)
      : fetch(fetch), failsRun(failsRun), reporter(reporter),
        whence(std::move(whence)) {}

  /// Makes an infinite loss count like NaN. Messages then do not name the node
  /// that produced the value, since `whence` finds the origin of a NaN only.
  void stopAtInfinity() {
    includesInfinity = true;
    whence = nullptr;
  }

  const char *name() const override { return "NanTensor"; }
  HookPriority priority() const override { return HookPriority::Check; }
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;

private:
  size_t fetch;
  bool failsRun;
  bool includesInfinity = false;
  SessionLogger &reporter;
  std::function<std::string(int64_t)> whence;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_NANTENSORHOOK_H
