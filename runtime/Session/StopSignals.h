//===- StopSignals.h - SIGINT and SIGTERM as a request to stop --*- C++ -*-===//
#ifndef INGOT_RUNTIME_SESSION_STOPSIGNALS_H
#define INGOT_RUNTIME_SESSION_STOPSIGNALS_H

namespace ingot {

/// While one exists, SIGINT and SIGTERM only leave a mark, so that the step
/// that runs and the save after it come to their end. A SIGINT more than a
/// second after another is someone who does not want to wait for that, and ends
/// the process. One at a time.
class StopSignals {
public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;
  StopSignals &operator=(const StopSignals &) = delete;

  /// The first of the two signals that came, or 0.
  static int caught();
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_STOPSIGNALS_H
