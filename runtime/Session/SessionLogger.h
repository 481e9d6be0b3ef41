//===- SessionLogger.h - Messages and progress of a run ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_SESSIONLOGGER_H
#define INGOT_RUNTIME_SESSION_SESSIONLOGGER_H

#include "runtime/Support/Status.h"

#include <cstdint>
#include <string>

namespace ingot {

/// How far a run has come, for a progress bar.
struct Progress {
  int64_t first = 0; // global step at which the run began
  int64_t step = 0;
  int64_t last = -1;         // last global step; -1: unknown
  std::string text;          // beside the bar: "  loss 0.512"
  double stepsPerSecond = 0; // speed of this run; 0: unknown
};

/// Receives the messages of a running session for its user. The base class
/// ignores them.
class SessionLogger {
public:
  virtual ~SessionLogger() = default;
  virtual void note(const std::string &message) {}
  virtual void warning(const std::string &message) {}
  /// Writes a line to the run's log.
  virtual void log(const std::string &line) {}
  /// Returns the error if the log could not be written, for instance because
  /// the disk is full. If the log is a pipe whose reader has ended, that is not
  /// an error: nobody reads the log.
  virtual Status logStatus() const { return Status::ok(); }
  /// Updates the progress bar, if there is one. Called after every step.
  virtual void progress(const Progress &progress) {}
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_SESSIONLOGGER_H
