//===- RunObserver.h - Sees what compiled code computes ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_RUNOBSERVER_H
#define INGOT_RUNTIME_SESSION_RUNOBSERVER_H

#include <cstdint>

namespace ingot {

/// Told of every kernel of a session: a trace, a search for NaNs. Called on the
/// threads that run entries and functions of datasets, at once on several.
class RunObserver {
public:
  virtual ~RunObserver() = default;
  /// `node` begins; whatever began before on this thread has ended.
  virtual void entered(const char *node) {}
  /// The work of what began last on this thread: a kernel's operations and
  /// bytes, for all of its grid.
  virtual void measures(int64_t operations, int64_t bytes) {}
  /// The latest work on this thread has ended.
  virtual void left() {}
  /// `node` has computed `count` elements of floating type `dtype`.
  virtual void computed(const char *node, int32_t dtype, const void *data,
                        int64_t count) {}
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_RUNOBSERVER_H
