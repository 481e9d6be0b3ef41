//===- StopSignals.h - Signals as a request to stop -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_STOPSIGNALS_H
#define INGOT_RUNTIME_SESSION_STOPSIGNALS_H

#include <csignal>

namespace ingot {

/// The signals that ask a process to stop: from Ctrl-C, from a scheduler, or
/// because the terminal was closed.
inline constexpr int signalsToStop[] = {SIGINT, SIGTERM, SIGHUP};

/// Returns the signal's name, such as "SIGINT".
const char *signalName(int signal);

/// Returns true if this process is to stop on the signal. If the process was
/// started with SIGHUP ignored, for instance by nohup, it does not stop on
/// SIGHUP.
bool stopsBy(int signal);

/// While an object of this class exists, the signals in `signalsToStop` only
/// set a flag, so that the current step and the save after it can finish. A
/// second SIGINT, more than a second after the first, ends the process at once,
/// as the user does not want to wait. Only one object may exist at a time.
class StopSignals {
public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;
  StopSignals &operator=(const StopSignals &) = delete;

  /// Returns the first signal that has arrived since construction, or 0.
  static int caught();
  /// Returns the signal that may interrupt the current step: caught(), or 0
  /// after stopTogether(). All ranks must run the same steps, so no rank may
  /// abandon a step that other ranks complete.
  static int interrupting();
  static void stopTogether();
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_STOPSIGNALS_H
