//===- NanFinder.h - Which node made the first NaN --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_NANFINDER_H
#define INGOT_RUNTIME_HOOKS_NANFINDER_H

#include "runtime/Session/RunObserver.h"
#include "runtime/Session/SessionRunHook.h"

#include <mutex>

namespace ingot {

/// Returns the index of the first NaN among `count` elements of floating-point
/// type `dtype`, or -1 if there is none.
int64_t findNan(int32_t dtype, const void *data, int64_t count);

/// Checks every tensor that a session computes for NaN elements. After it has
/// found a NaN, it checks no further tensors.
class NanFinder final : public RunObserver {
public:
  void computed(const char *node, int32_t dtype, const void *data,
                int64_t count) override;
  bool hasFound() const;
  /// Returns for example "node 'loss/Log' produced it: element 3 of 64", or ""
  /// if no NaN was found.
  std::string describe() const;

private:
  mutable std::mutex mutex;
  const char *node = nullptr;
  int64_t element = 0, elements = 0;
};

/// Implements --check-numerics: fails the run after the step in which a node
/// first computes a NaN.
class CheckNumericsHook final : public SessionRunHook {
public:
  const char *name() const override { return "CheckNumerics"; }
  HookPriority priority() const override { return HookPriority::Check; }
  Status afterCreateSession(SessionRunContext &context) override;
  Status afterRun(SessionRunContext &context,
                  const SessionRunValues &values) override;

private:
  NanFinder finder;
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_NANFINDER_H
