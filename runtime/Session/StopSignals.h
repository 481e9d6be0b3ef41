//===- StopSignals.h - Signals as a request to stop -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_STOPSIGNALS_H
#define INGOT_RUNTIME_SESSION_STOPSIGNALS_H

#include <csignal>

namespace ingot {

/// Signals that ask a process to stop: Ctrl-C, a scheduler, a closed terminal.
inline constexpr int signalsToStop[] = {SIGINT, SIGTERM, SIGHUP};

/// "SIGINT".
const char *signalName(int signal);

/// Whether a process stops by the signal. One that was started to ignore
/// SIGHUP, as by nohup, does not.
bool stopsBy(int signal);

/// While one exists, these signals only set a flag, so that the current step
/// and the save after it finish. A SIGINT more than a second after another one
/// is from someone who does not want to wait for that, and ends the process.
/// One at a time.
class StopSignals {
public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;
  StopSignals &operator=(const StopSignals &) = delete;

  /// The first of the signals that came, or 0.
  static int caught();
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_STOPSIGNALS_H
