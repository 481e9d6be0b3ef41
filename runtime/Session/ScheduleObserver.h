//===- ScheduleObserver.h - Sees which schedules are chosen -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_SCHEDULEOBSERVER_H
#define INGOT_RUNTIME_SESSION_SCHEDULEOBSERVER_H

#include "runtime/Device/LaunchTuner.h"
#include "runtime/Device/StaticLaunchSchedules.h"

#include <optional>
#include <string>
#include <vector>

namespace ingot {

/// A sequence of launches of an entry, or an entry as a whole.
struct ScheduledLaunches {
  const char *entry;
  /// Identifies the sequence among those of the entry: the argument slot of its
  /// first launch. None for the whole entry.
  std::optional<uint32_t> sequence;
  /// The nodes of the first launch; the entry's name for the whole entry.
  const char *node;
  size_t numLaunches = 0;
};

/// A schedule that was chosen for a sequence of launches, or for an entry.
struct ChosenSchedule {
  ScheduledLaunches launches;
  unsigned threads;
  /// The trial that chose the schedule. Null if there was none, because no
  /// launch of the sequence can be divided among threads.
  const TrialOutcome *outcome = nullptr;
  /// What one thread runs by itself, by the measured times of the launches.
  /// None for a whole entry, and without measured times.
  std::optional<OneThreadPart> onOneThread;
  /// The times, in nanoseconds, of the best schedules for other numbers of
  /// threads, by the costs that schedules are planned with.
  std::vector<PredictedTime> predicted;
};

/// Is notified of each choice of a schedule. Functions are called on the thread
/// that runs the entry.
class ScheduleObserver {
public:
  virtual ~ScheduleObserver() = default;
  /// Called when a trial of candidate schedules has ended.
  virtual void chose(const ChosenSchedule &schedule) = 0;
  /// Called when one thread begins to run the launches for a while, because
  /// another process wants a core: runs on several threads took `several`
  /// nanoseconds, and `one` on one thread.
  virtual void rests(const ScheduledLaunches &launches, int64_t several,
                     int64_t one) = 0;
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_SCHEDULEOBSERVER_H
