//===- FinalOpsHook.h - An entry that runs at the end -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_FINALOPSHOOK_H
#define INGOT_RUNTIME_HOOKS_FINALOPSHOOK_H

#include "runtime/Session/SessionLogger.h"
#include "runtime/Session/SessionRunHook.h"

#include <functional>

namespace ingot {

/// Runs an entry (compiled function) exactly once, after the last step. The
/// entry must have no feeds.
class FinalOpsHook final : public SessionRunHook {
public:
  /// After the entry has run, calls `use` with it, so that `use` can read the
  /// entry's fetches.
  FinalOpsHook(const ingot_entry &entry, SessionLogger &reporter,
               std::function<Status(const BoundEntryPoint &)> use)
      : entry(entry), reporter(reporter), use(std::move(use)) {}

  const char *name() const override { return "FinalOps"; }
  HookPriority priority() const override { return HookPriority::Observer; }
  Status end(SessionRunContext &context) override;

private:
  const ingot_entry &entry;
  SessionLogger &reporter;
  std::function<Status(const BoundEntryPoint &)> use;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_FINALOPSHOOK_H
