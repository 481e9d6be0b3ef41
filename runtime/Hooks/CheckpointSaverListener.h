//===- CheckpointSaverListener.h - Told of checkpoints ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_CHECKPOINTSAVERLISTENER_H
#define INGOT_RUNTIME_HOOKS_CHECKPOINTSAVERLISTENER_H

#include "runtime/Session/SessionRunHook.h"

#include <string>

namespace ingot {

/// TensorFlow's CheckpointSaverListener: runs before and after each checkpoint
/// of a CheckpointSaverHook. A failure is the hook's.
class CheckpointSaverListener {
public:
  virtual ~CheckpointSaverListener() = default;
  virtual Status begin(Session &session) { return Status::ok(); }
  /// The run continues checkpoint `prefix`, of `step`. Listeners may request a
  /// stop.
  virtual Status afterRestore(RunContext &context, int64_t step,
                              const std::string &prefix) {
    return Status::ok();
  }
  /// The state of `step` is about to be copied.
  virtual Status beforeSave(RunContext &context, int64_t step) {
    return Status::ok();
  }
  /// Checkpoint `prefix` of `step` is complete. Steps may have run since;
  /// listeners may request a stop.
  virtual Status afterSave(RunContext &context, int64_t step,
                           const std::string &prefix) {
    return Status::ok();
  }
  /// The run is at its end, and its last step is saved.
  virtual Status end(RunContext &context, int64_t step) { return Status::ok(); }
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_CHECKPOINTSAVERLISTENER_H
