//===- CheckpointSaverListener.h - Listener of a saver ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_CHECKPOINTSAVERLISTENER_H
#define INGOT_RUNTIME_HOOKS_CHECKPOINTSAVERLISTENER_H

#include "runtime/Session/SessionRunHook.h"

#include <string>

namespace ingot {

/// A listener whose functions a CheckpointSaverHook calls before and after each
/// checkpoint, like TensorFlow's CheckpointSaverListener. If a function fails,
/// the hook fails with the same status.
class CheckpointSaverListener {
public:
  virtual ~CheckpointSaverListener() = default;
  virtual Status begin(Session &session) { return Status::ok(); }
  /// Called if the run continues from checkpoint `prefix`, which was saved at
  /// step `step`. May request a stop.
  virtual Status afterRestore(SessionRunContext &context, int64_t step,
                              const std::string &prefix) {
    return Status::ok();
  }
  /// Called before the state of `step` is copied for a checkpoint.
  virtual Status beforeSave(SessionRunContext &context, int64_t step) {
    return Status::ok();
  }
  /// Called when checkpoint `prefix` of step `step` is complete on disk.
  /// Training may have made further steps meanwhile. May request a stop.
  virtual Status afterSave(SessionRunContext &context, int64_t step,
                           const std::string &prefix) {
    return Status::ok();
  }
  /// Called at the end of the run, after its last step was saved.
  virtual Status end(SessionRunContext &context, int64_t step) {
    return Status::ok();
  }
};

} // namespace ingot

#endif // INGOT_RUNTIME_HOOKS_CHECKPOINTSAVERLISTENER_H
