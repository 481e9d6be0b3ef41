//===- ContentionMonitor.h - Notices contention for cores -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// LaunchTuner chooses a schedule by the shortest of several runs, which no
// other process has disturbed. But if another process then keeps using a core,
// one of the schedule's threads waits for that core again and again, and all
// other threads wait for this thread. As long as such contention lasts, one
// thread alone is faster.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_DEVICE_CONTENTIONMONITOR_H
#define INGOT_RUNTIME_DEVICE_CONTENTIONMONITOR_H

#include <algorithm>
#include <cstdint>

namespace ingot {

/// Returns the time of a run of which `usual` is the undisturbed time, without
/// most of the time for which the process was stopped: by a signal, a debugger,
/// or with its virtual machine. Other processes take a core for a few
/// milliseconds at a time, which counts.
inline int64_t withoutStops(int64_t nanoseconds, int64_t usual) {
  constexpr int64_t longestWait = 20'000'000, longestRatio = 4;
  return std::min(nanoseconds,
                  std::max(longestRatio * usual, usual + longestWait));
}

/// Monitors the times, in nanoseconds, of runs (executions of the same
/// launches) on several threads, and decides when one thread should run alone
/// for a while (a rest), because other processes want the same cores. A monitor
/// is off until it is started.
class ContentionMonitor {
public:
  /// Starts to monitor a schedule on several threads that was faster than one
  /// thread. `alone` is the time of an undisturbed run on one thread. If runs
  /// are so short that reading the clock would slow them down, the monitor
  /// stays off.
  void start(int64_t alone);
  void stop() { undisturbed = 0; }

  /// Returns true if the caller has to time the next execution of the launches,
  /// and pass the time to add().
  bool isOn() const { return undisturbed != 0; }
  /// Returns true if one thread alone should execute the launches next time.
  bool isResting() const { return rest > 0; }
  void add(int64_t nanoseconds);

  /// Return, for the trace, the mean times of a run that began the last rest:
  /// on several threads, and on one. Times are in nanoseconds.
  int64_t meanOfSeveral() const { return disturbed; }
  int64_t meanOfOne() const { return alone; }

private:
  void endWindow(int64_t mean, int64_t time);

  /// Times of a run on one thread. `undisturbed` is the time that was passed to
  /// start(), or 0 if the monitor is off. `alone` is the mean time in the last
  /// window in which one thread ran alone, but not less than `undisturbed`.
  int64_t undisturbed = 0, alone = 0;
  /// The mean time of a run on several threads when they were last slower than
  /// one thread.
  int64_t disturbed = 0;
  /// A window is a series of runs whose mean time is taken. `sum` is the time
  /// of the current window's runs, `count` their number, and `windows` the
  /// number of windows since one thread last ran alone.
  int64_t sum = 0, count = 0, windows = 0;
  /// During a rest, in which one thread runs alone, `rest` is the remaining
  /// time of the rest; while several threads run, it is zero or negative.
  /// `nextRest` is the length of the next rest.
  int64_t rest = 0, nextRest = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_CONTENTIONMONITOR_H
