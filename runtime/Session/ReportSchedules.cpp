//===- ReportSchedules.cpp - Tells an observer of schedules ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/ReportSchedules.h"

#include "runtime/ABI/Arena.h"

#include <algorithm>

using namespace ingot;

/// Returns whether several threads may share the grid of a launch's kernel.
static bool canShare(const CpuKernel &kernel) {
  return kernel.isParallel || kernel.iterations < 0;
}

std::vector<OneThreadPart>
ingot::partsOnOneThread(const ingot_context &context,
                        std::span<const ingot_launch> rows,
                        const LaunchSequenceTuning &sequence) {
  OneThreadPart alone, shared;
  for (size_t row = 0; row < rows.size(); ++row) {
    int64_t time = sequence.times.of(row);
    ++alone.launches;
    alone.nanoseconds += time;
    if (canShare(context.kernels[rows[row].kernel]))
      continue;
    ++shared.launches;
    shared.nanoseconds += time;
  }
  std::vector<OneThreadPart> parts = {alone, shared};
  for (const LaunchSchedule &schedule : sequence.plans)
    parts.push_back(schedule.onOneThread);
  return parts;
}

std::vector<PredictedTime>
ingot::predictedTimes(const ingot_context &context, void *const *slots,
                      std::span<const ingot_launch> rows,
                      const MeasuredLaunchTimes &times) {
  std::vector<int64_t> iterations;
  int64_t alone = 0;
  for (size_t row = 0; row < rows.size(); ++row) {
    // The iterations of a dynamic grid are taken to be many.
    int64_t count = context.kernels[rows[row].kernel].iterations;
    iterations.push_back(count < 0 ? INT64_MAX : count);
    alone += times.of(row);
  }
  const ingot_entry &entry = *context.schedules->entry;
  std::vector<PredictedTime> predicted = {{1, alone}};
  for (unsigned threads = 2; threads <= 64; threads *= 2) {
    MeasuredLaunchTimes scaled =
        times.forThreads(threads, context.threads, iterations);
    // Fewer threads may be faster.
    int64_t least = predicted.back().nanoseconds;
    for (const LaunchScheduleOptions &option :
         {LaunchScheduleOptions{.runsConcurrently = false},
          LaunchScheduleOptions{}, LaunchScheduleOptions{.isCut = true}}) {
      if (option.runsConcurrently && !option.isCut &&
          entry.arena_size > INGOT_ARENA_BYTES_SIDE_BY_SIDE)
        continue;
      LaunchSchedule schedule = scheduleLaunches(
          *context.program, context.target, context.kernels, threads, slots,
          {entry.arguments, entry.num_arguments}, rows, scaled, option);
      if (!schedule.phases.empty())
        least = std::min(least, schedule.time);
    }
    predicted.push_back({threads, least});
  }
  return predicted;
}

static ScheduledLaunches described(const ingot_context &context,
                                   std::span<const ingot_launch> rows) {
  return {context.schedules->entry->name, rows.front().arguments,
          context.program->nodes + rows.front().node, rows.size()};
}

void ingot::reportUndivided(const ingot_context &context,
                            std::span<const ingot_launch> rows) {
  if (!context.scheduleObserver)
    return;
  ChosenSchedule chosen = {.launches = described(context, rows),
                           .threads = context.threads,
                           .onOneThread = std::nullopt,
                           .predicted = {}};
  context.scheduleObserver->chose(chosen);
}

void ingot::reportTrial(const ingot_context &context,
                        std::span<const ingot_launch> rows,
                        const LaunchSequenceTuning &sequence) {
  if (!context.scheduleObserver)
    return;
  const TrialOutcome &outcome = sequence.trials.outcome();
  ChosenSchedule chosen = {.launches = described(context, rows),
                           .threads = context.threads,
                           .outcome = &outcome,
                           .onOneThread = std::nullopt,
                           .predicted = sequence.predicted};
  for (size_t i = 0; i < outcome.candidates.size(); ++i)
    if (outcome.candidates[i].kind == outcome.chosen &&
        i < sequence.onOneThread.size())
      chosen.onOneThread = sequence.onOneThread[i];
  context.scheduleObserver->chose(chosen);
}

void ingot::reportRest(const ingot_context &context,
                       std::span<const ingot_launch> rows,
                       const LaunchSequenceTuning &sequence) {
  const ContentionMonitor &monitor = sequence.trials.contention();
  if (context.scheduleObserver)
    context.scheduleObserver->rests(
        described(context, rows), monitor.meanOfSeveral(), monitor.meanOfOne());
}

void ingot::reportEntryTrial(const ingot_context &context,
                             const EntryLaunchTuning &schedules) {
  if (!context.scheduleObserver)
    return;
  const char *name = schedules.entry->name;
  ChosenSchedule chosen = {.launches = {name, std::nullopt, name},
                           .threads = context.threads,
                           .outcome = &schedules.trials.outcome(),
                           .onOneThread = std::nullopt,
                           .predicted = {}};
  context.scheduleObserver->chose(chosen);
}
