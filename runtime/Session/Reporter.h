//===- Reporter.h - Messages and progress of a run --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_REPORTER_H
#define INGOT_RUNTIME_SESSION_REPORTER_H

#include "runtime/Support/Status.h"

#include <cstdint>
#include <string>

namespace ingot {

/// A run's position, for a progress bar.
struct Progress {
  int64_t first = 0; // step at which this run began
  int64_t step = 0;
  int64_t last = -1;         // -1: no end is known
  std::string text;          // beside the bar: "  loss 0.512"
  double stepsPerSecond = 0; // of this run; 0: not known yet
};

/// The way of a running session to its user. The base class keeps quiet.
class Reporter {
public:
  virtual ~Reporter() = default;
  virtual void note(const std::string &message) {}
  virtual void warning(const std::string &message) {}
  /// A line of the run's log.
  virtual void log(const std::string &line) {}
  /// Why the log can't be written, once it can't: a full disk, say. A reader
  /// that has left is not an error.
  virtual Status logStatus() const { return Status::ok(); }
  /// Redraws the progress bar where there is one; called after every step.
  virtual void progress(const Progress &progress) {}
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_REPORTER_H
