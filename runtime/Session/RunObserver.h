//===- RunObserver.h - Sees what compiled code computes ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_RUNOBSERVER_H
#define INGOT_RUNTIME_SESSION_RUNOBSERVER_H

#include <cstdint>

namespace ingot {

/// Is notified of every kernel that a session runs, for a trace or a search for
/// NaNs. Each function is called on the thread that runs the kernel: the thread
/// of an entry or of a dataset function. Several threads may call the functions
/// at the same time.
class RunObserver {
public:
  virtual ~RunObserver() = default;
  /// Called when `node` begins to compute on the calling thread. Whatever the
  /// thread computed before has ended.
  virtual void entered(const char *node) {}
  /// Reports the work of the kernel that began last on the calling thread: the
  /// operations and bytes of its whole grid.
  virtual void measures(int64_t operations, int64_t bytes) {}
  /// Says to which entry, and which sequence of its launches, the kernel
  /// belongs that began last on the calling thread (ScheduledLaunches).
  virtual void isLaunchOf(const char *entry, uint32_t sequence) {}
  /// Called when the computation that began last on the calling thread ends.
  virtual void left() {}
  /// Called when `node` has computed a tensor of `count` elements of
  /// floating-point type `dtype` at `data`.
  virtual void computed(const char *node, int32_t dtype, const void *data,
                        int64_t count) {}
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_RUNOBSERVER_H
