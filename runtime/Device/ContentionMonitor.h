//===- ContentionMonitor.h - Notices contention for cores -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Trials of schedules take the minimum of several runs, the time of undisturbed
// code. But if another process keeps using a core, one of the threads waits for
// that core again and again, and all other threads wait for this thread. One
// thread alone is faster as long as such contention lasts.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_CONTENTIONMONITOR_H
#define INGOT_RUNTIME_DEVICE_CONTENTIONMONITOR_H

#include <cstdint>

namespace ingot {

/// Monitors the times, in nanoseconds, of runs on several threads, and decides
/// when one thread should run alone for a while (a rest). A monitor is off
/// until it is started.
class ContentionMonitor {
public:
  /// Starts to monitor. `alone` is the time of an undisturbed run on one
  /// thread, and several threads were faster. Does nothing if runs are too
  /// short for reading the clock.
  void start(int64_t alone);
  void stop() { undisturbed = 0; }

  /// Returns true if the time of the next run must be passed to add().
  bool isOn() const { return undisturbed != 0; }
  /// Returns true if one thread should do the next run alone.
  bool isResting() const { return rest > 0; }
  void add(int64_t nanoseconds);

private:
  void endWindow(int64_t mean, int64_t time);

  /// The time of one thread: in the trials, and in the latest rest.
  int64_t undisturbed = 0, alone = 0;
  /// The time of several threads when they were last slower than one.
  int64_t disturbed = 0;
  /// The current window: the sum of its times and its number of runs. Then the
  /// number of windows since the last rest.
  int64_t sum = 0, count = 0, windows = 0;
  /// The time left of the current rest, and the length of the next one.
  int64_t rest = 0, nextRest = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_CONTENTIONMONITOR_H
