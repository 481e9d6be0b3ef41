//===- ContentionMonitor.h - Notices contention for cores -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Trials take the minimum of several runs, the time of undisturbed code. Where
// another process keeps using a core, one of several threads waits for it again
// and again, and all others for that thread: one thread is faster while that
// contention lasts.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_CONTENTIONMONITOR_H
#define INGOT_RUNTIME_DEVICE_CONTENTIONMONITOR_H

#include <cstdint>

namespace ingot {

/// Monitors the times of runs on several threads, in nanoseconds, and decides
/// when one thread should run them for a while (a rest). Off until it is
/// started.
class ContentionMonitor {
public:
  /// One thread takes `alone` for an undisturbed run, several take less. Runs
  /// too short for reading the clock are not monitored.
  void start(int64_t alone);
  void stop() { undisturbed = 0; }

  /// Whether the next run's time is to be passed to add().
  bool isOn() const { return undisturbed != 0; }
  /// Whether one thread should run the next one.
  bool isResting() const { return rest > 0; }
  void add(int64_t nanoseconds);

private:
  void endWindow(int64_t mean, int64_t time);

  /// One thread's time: in the trials, and in the latest rest.
  int64_t undisturbed = 0, alone = 0;
  /// Several threads' time when they were last found slower.
  int64_t disturbed = 0;
  /// The current window of runs, and the number of windows since a rest.
  int64_t sum = 0, count = 0, windows = 0;
  /// The time left of the current rest, and the length of the next one.
  int64_t rest = 0, nextRest = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_CONTENTIONMONITOR_H
