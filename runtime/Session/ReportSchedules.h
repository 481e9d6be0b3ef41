//===- ReportSchedules.h - Tells an observer of schedules -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Collects what a ScheduleObserver is told of schedules. Without an observer,
// each function only tests a pointer.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_REPORTSCHEDULES_H
#define INGOT_RUNTIME_SESSION_REPORTSCHEDULES_H

#include "runtime/Session/Context.h"
#include "runtime/Session/ScheduleObserver.h"

#include <span>

namespace ingot {

/// Returns, from the measured times of a sequence's launches, what one thread
/// runs by itself in each candidate schedule: the two fixed ones, then
/// `sequence.plans`.
std::vector<OneThreadPart>
partsOnOneThread(const ingot_context &context,
                 std::span<const ingot_launch> rows,
                 const LaunchSequenceTuning &sequence);

/// Returns how long the launches would take on at most 1, 2, 4 and up to 64
/// threads, with the best schedule for each number.
std::vector<PredictedTime> predictedTimes(const ingot_context &context,
                                          void *const *slots,
                                          std::span<const ingot_launch> rows,
                                          const MeasuredLaunchTimes &times);

/// Reports that no launch of the sequence can be divided among threads.
void reportUndivided(const ingot_context &context,
                     std::span<const ingot_launch> rows);
/// Reports the last trial of a sequence of launches.
void reportTrial(const ingot_context &context,
                 std::span<const ingot_launch> rows,
                 const LaunchSequenceTuning &sequence);
/// Reports that one thread begins to run the sequence because of contention.
void reportRest(const ingot_context &context,
                std::span<const ingot_launch> rows,
                const LaunchSequenceTuning &sequence);
/// Reports the last trial of an entry as a whole.
void reportEntryTrial(const ingot_context &context,
                      const EntryLaunchTuning &schedules);

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_REPORTSCHEDULES_H
