//===- ExecuteLaunches.cpp - Runs the launches of launch tables -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// Executes launches. Traces, the watchdog and the search for the origin of a
// NaN are notified of each kernel from here. If none of them is active, a
// launch costs one indirect call.
//
//===----------------------------------------------------------------------===//

#include "runtime/ABI/Arena.h"
#include "runtime/ABI/Calls.h"
#include "runtime/Device/LaunchSetup.h"
#include "runtime/Device/ParallelLoops.h"
#include "runtime/Session/Context.h"
#include "runtime/Session/ReportSchedules.h"
#include "runtime/Session/RunObserver.h"
#include "runtime/Support/ThreadActivity.h"

#include <algorithm>
#include <chrono>
#include <span>

using namespace ingot;

static void runDynamic(ingot_context &context, uint32_t kernel,
                       void *const *arguments, bool isShared) {
  const ingot_kernel_code &code =
      context.program->kernels[kernel].code[context.target];
  int64_t iterations = countIterations(code, arguments);
  if (isShared && context.threads > 1 &&
      isWorthParallelizing(iterations, code.flops, code.bytes))
    parallelFor(context.threads, code.run, iterations, arguments);
  else
    code.run(arguments, 0, iterations);
}

/// Runs one launch. If `isShared` is true and the launch has enough work, the
/// iterations of its grid are distributed among all threads.
static inline void runRow(ingot_context &context, const ingot_launch &row,
                          void *const *slots, bool isShared = true) {
  const CpuKernel &plan = context.kernels[row.kernel];
  void *const *arguments = slots + row.arguments;
  if (plan.iterations < 0)
    runDynamic(context, row.kernel, arguments, isShared);
  else if (isShared && plan.isParallel)
    parallelFor(context.threads, plan.run, plan.iterations, arguments);
  else
    plan.run(arguments, 0, plan.iterations);
}

/// Runs a batched launch: the same kernel on the arguments of several members.
/// Decides by the work of all members together whether all threads run it.
static void runLaunch(const ingot_context &context,
                      std::span<const ingot_launch> rows, void *const *slots,
                      bool isShared) {
  KernelLaunchBatch members = {context.kernels[rows.front().kernel], rows,
                               slots};
  const ingot_kernel_code &code =
      context.program->kernels[rows.front().kernel].code[context.target];
  int64_t count = members.countIterations();
  if (!isShared || context.threads == 1 ||
      !isWorthParallelizing(count, code.flops, code.bytes))
    return members.run(0, count);
  void *data = &members;
  parallelFor(
      context.threads,
      [](void *const *data, int64_t begin, int64_t end) {
        static_cast<const KernelLaunchBatch *>(*data)->run(begin, end);
      },
      count, &data);
}

/// Runs launches one after the other. If `isShared` is true, the iterations of
/// each launch may be distributed among all threads.
static inline void runRows(ingot_context &context,
                           std::span<const ingot_launch> rows,
                           void *const *slots, bool isShared = true) {
  for (size_t i = 0; i < rows.size();) {
    if (rows[i].members <= 1 ||
        context.kernels[rows[i].kernel].iterations <= 0) {
      runRow(context, rows[i++], slots, isShared);
      continue;
    }
    runLaunch(context, rows.subspan(i, rows[i].members), slots, isShared);
    i += rows[i].members;
  }
}

/// Passes each output of a floating-point type to the observer, which may check
/// it for NaN.
static void reportOutputs(RunObserver &observer, const ingot_kernel_info &info,
                          const char *node, void *const *arguments) {
  uint32_t slot = 0;
  for (uint32_t i = 0; i < info.num_arguments; ++i) {
    const ingot_tensor_spec &spec = info.arguments[i];
    const void *data = arguments[slot++];
    int64_t elements = 1;
    for (uint32_t dim = 0; dim < spec.rank; ++dim)
      elements *= spec.dims[dim] >= 0
                      ? spec.dims[dim]
                      : reinterpret_cast<intptr_t>(arguments[slot++]);
    bool isFloating = spec.dtype == INGOT_FLOAT || spec.dtype == INGOT_DOUBLE ||
                      spec.dtype == INGOT_HALF || spec.dtype == INGOT_BFLOAT16;
    if (i >= info.num_inputs && isFloating)
      observer.computed(node, spec.dtype, data, elements);
  }
}

/// Returns true if launches with this `arena` run on a device: the session has
/// one, and the arena is that of the compiled function (entry) that is running.
/// Dataset functions have other arenas; their launches always run on the host.
static inline bool runsOnDevice(const ingot_context &context,
                                const uint8_t *arena) {
  return context.device &&
         context.entryArena.load(std::memory_order_relaxed) == arena;
}

[[gnu::noinline, gnu::cold]] static void
runOnDevice(ingot_context &context, uint8_t *arena,
            std::span<const ingot_launch> rows, bool showsAll) {
  auto *slots = reinterpret_cast<void *const *>(arena);
  context.device->run(rows, showsAll, [&](const ingot_launch &row) {
    runRow(context, row, slots);
  });
}

static void beginRow(const ingot_context &context, const ingot_launch &row,
                     const char *node, void *const *slots) {
  const ingot_kernel_code &code =
      context.program->kernels[row.kernel].code[context.target];
  int64_t iterations = countIterations(code, slots + row.arguments);
  context.observer->entered(node);
  context.observer->measures(iterations * code.flops, iterations * code.bytes);
}

/// Runs the launches one by one, and notifies the observer and the watchdog of
/// each. A batched launch is run as one launch for each member.
[[gnu::noinline, gnu::cold]] static void walkObserved(ingot_context &context,
                                                      uint8_t *arena,
                                                      const ingot_launch *rows,
                                                      int64_t count) {
  const ingot_program &program = *context.program;
  bool isOnDevice = runsOnDevice(context, arena);
  // Launches of dataset functions have no schedule.
  bool isOfEntry = context.entryArena.load(std::memory_order_relaxed) == arena;
  auto *slots = reinterpret_cast<void *const *>(arena);
  for (const ingot_launch *row = rows; row != rows + count; ++row) {
    const char *node = program.nodes + row->node;
    ThreadActivity::current().set("computes", node);
    if (context.observer) {
      beginRow(context, *row, node, slots);
      if (isOfEntry)
        context.observer->isLaunchOf(context.schedules->entry->name,
                                     rows->arguments);
    }
    if (isOnDevice)
      runOnDevice(context, arena, {row, 1}, /*showsAll=*/true);
    else
      runRow(context, *row, slots);
    if (!context.observer)
      continue;
    context.observer->left();
    reportOutputs(*context.observer, program.kernels[row->kernel], node,
                  slots + row->arguments);
  }
}

/// Returns true if launches of the entry may run concurrently: if its arena has
/// at most INGOT_ARENA_BYTES_SIDE_BY_SIDE bytes. In a larger arena many buffers
/// share bytes, so launches would have to wait for each other
/// (runtime/ABI/Arena.h).
static bool runsConcurrently(const ingot_context &context) {
  return context.schedules->entry->arena_size <= INGOT_ARENA_BYTES_SIDE_BY_SIDE;
}

/// Returns the measured times and candidate schedules of these launches.
/// Returns null if no schedule is to be chosen: if there is only one thread, if
/// the launches belong to a dataset function, or if none of them can be divided
/// among threads.
static LaunchSequenceTuning *sequenceOf(ingot_context &context,
                                        const uint8_t *arena,
                                        std::span<const ingot_launch> rows) {
  if (context.threads <= 1 ||
      context.entryArena.load(std::memory_order_relaxed) != arena)
    return nullptr;
  ++context.schedules->numSequences;
  auto [found, isNew] = context.schedules->byRow.try_emplace(rows.data());
  LaunchSequenceTuning &sequence = found->second;
  if (isNew) {
    sequence.times = MeasuredLaunchTimes(rows.size());
    sequence.isForOne = true;
    for (uint32_t i = 0; i < rows.size(); ++i) {
      const CpuKernel &plan = context.kernels[rows[i].kernel];
      bool isCut = rows.size() > 1 && plan.iterations > 1;
      sequence.isForOne &= !plan.isParallel && plan.iterations >= 0 && !isCut;
      if (plan.iterations < 0)
        sequence.dynamicGridRows.push_back(i);
    }
    sequence.isForOne &= rows.size() == 1 || !runsConcurrently(context);
    if (sequence.isForOne)
      reportUndivided(context, rows);
  }
  return sequence.isForOne ? nullptr : &sequence;
}

bool EntryLaunchTuning::areSettled() const {
  return std::all_of(byRow.begin(), byRow.end(), [](const auto &sequence) {
    return sequence.second.isForOne || sequence.second.trials.isOver();
  });
}

/// Returns a hash of the sizes of all dynamic grids in the sequence. The tuner
/// chooses a schedule for each hash, as the fastest one depends on the input's
/// size.
static uint64_t sizeOf(const ingot_context &context, void *const *slots,
                       std::span<const ingot_launch> rows,
                       const LaunchSequenceTuning &sequence) {
  uint64_t size = 0;
  for (uint32_t i : sequence.dynamicGridRows) {
    const ingot_kernel_info &info = context.program->kernels[rows[i].kernel];
    size = size * 31 + countIterations(info.code[context.target],
                                       slots + rows[i].arguments);
  }
  return size;
}

/// Runs the launches one by one, measures the time of each, and adds it to
/// `times`.
static void walkMeasured(ingot_context &context, void *const *slots,
                         std::span<const ingot_launch> rows, bool isShared,
                         MeasuredLaunchTimes &times) {
  using std::chrono::steady_clock;
  steady_clock::time_point start = steady_clock::now();
  for (size_t i = 0; i < rows.size(); ++i) {
    runRow(context, rows[i], slots, isShared);
    steady_clock::time_point end = steady_clock::now();
    std::chrono::nanoseconds time = end - start;
    times.add(i, time.count(), isShared);
    start = end;
  }
}

static void runSchedule(ingot_context &context, const uint8_t *arena,
                        std::span<const ingot_launch> rows,
                        const LaunchSchedule &schedule) {
  auto *slots = reinterpret_cast<void *const *>(arena);
  if (!pointToDisjoint(schedule.dynamicSlots, schedule.fixedMemory, slots))
    return runRows(context, rows, slots);
  for (const LaunchesBetweenBarriers &phase : schedule.phases)
    if (phase.group)
      runGroup(*phase.group, context.kernels, slots, rows.data());
    else
      runRow(context, rows[phase.row], slots, phase.isShared);
}

/// Makes candidate schedules for the launches from their measured times, and
/// stores them in `sequence`. Returns their kinds. The tuner then times the
/// candidates.
static std::vector<ScheduleKind> plan(ingot_context &context,
                                      void *const *slots,
                                      std::span<const ingot_launch> rows,
                                      LaunchSequenceTuning &sequence) {
  sequence.plans.clear();
  std::vector<ScheduleKind> kinds;
  std::vector<std::pair<ScheduleKind, LaunchScheduleOptions>> options;
  if (sequence.times.gainsByMixing())
    options.push_back({ScheduleKind::MixedGrids, {.runsConcurrently = false}});
  if (runsConcurrently(context))
    options.push_back({ScheduleKind::Concurrent, {}});
  options.push_back({ScheduleKind::CutGrids, {.isCut = true}});
  const ingot_entry &entry = *context.schedules->entry;
  for (const auto &[kind, option] : options) {
    LaunchSchedule schedule = scheduleLaunches(
        *context.program, context.target, context.kernels, context.threads,
        slots, {entry.arguments, entry.num_arguments}, rows, sequence.times,
        option);
    if (schedule.phases.empty())
      continue;
    sequence.plans.push_back(std::move(schedule));
    kinds.push_back(kind);
  }
  if (context.scheduleObserver) {
    sequence.onOneThread = partsOnOneThread(context, rows, sequence);
    if (sequence.predicted.empty())
      sequence.predicted = predictedTimes(context, slots, rows, sequence.times);
  }
  sequence.times = MeasuredLaunchTimes(rows.size());
  sequence.isPlanned = true;
  return kinds;
}

/// Runs the launches with the schedule that was made last, without timing it.
/// Used in tests of thread safety (isParallelForced()), so that even launches
/// that are too short to gain from a schedule run in parallel.
static void runShort(ingot_context &context, const uint8_t *arena,
                     std::span<const ingot_launch> rows,
                     LaunchSequenceTuning &sequence) {
  auto *slots = reinterpret_cast<void *const *>(arena);
  if (!sequence.isPlanned)
    plan(context, slots, rows, sequence);
  if (!sequence.plans.empty())
    return runSchedule(context, arena, rows, sequence.plans.back());
  runRows(context, rows, slots);
}

/// Runs the launches with a schedule that the tuner has chosen, and times them
/// if it asked for that. `waking` is the time that waking the pool has taken.
static void runChosen(ingot_context &context, const uint8_t *arena,
                      std::span<const ingot_launch> rows,
                      LaunchSequenceTuning &sequence,
                      const LaunchTuner::LaunchScheduleChoice &turn,
                      int64_t waking) {
  auto *slots = reinterpret_cast<void *const *>(arena);
  using std::chrono::steady_clock;
  steady_clock::time_point start =
      turn.isTimed ? steady_clock::now() : steady_clock::time_point();
  bool isShared = turn.way != LaunchTuner::alone;
  if (turn.isByLaunch)
    walkMeasured(context, slots, rows, isShared, sequence.times);
  else if (turn.way >= LaunchTuner::numFixedCandidates)
    runSchedule(context, arena, rows,
                sequence.plans[turn.way - LaunchTuner::numFixedCandidates]);
  else
    runRows(context, rows, slots, isShared);
  if (turn.isTimed)
    sequence.trials.finish(
        turn, std::chrono::nanoseconds(steady_clock::now() - start).count(),
        waking);
}

/// Runs the launches with the schedule that the tuner chooses: the fastest one,
/// or a candidate that is being timed.
static void runTried(ingot_context &context, const uint8_t *arena,
                     std::span<const ingot_launch> rows,
                     LaunchSequenceTuning &sequence) {
  if (isParallelForced())
    return runShort(context, arena, rows, sequence);
  auto *slots = reinterpret_cast<void *const *>(arena);
  LaunchTuner &trials = sequence.trials;
  bool wasOver = trials.isOver(), wasResting = trials.isResting();
  if (trials.wantsPlans())
    trials.plan(plan(context, slots, rows, sequence));
  LaunchTuner::LaunchScheduleChoice turn =
      trials.next(sequence.dynamicGridRows.empty()
                      ? 0
                      : sizeOf(context, slots, rows, sequence));
  // Wake the pool's threads before a candidate schedule is timed: sleeping
  // threads would start too late for a short sequence, and the time would
  // include the delay.
  bool isTrial = turn.isTimed && !turn.isWatched;
  int64_t waking = 0;
  if (isTrial && turn.way != LaunchTuner::alone &&
      turn.way != sequence.triedWay)
    waking = wakePool(context.threads);
  if (isTrial)
    sequence.triedWay = turn.way;
  runChosen(context, arena, rows, sequence, turn, waking);
  if (!wasOver && trials.isOver())
    reportTrial(context, rows, sequence);
  else if (!wasResting && trials.isResting())
    reportRest(context, rows, sequence);
}

void ingot_rt_run(ingot_context *ctx, uint8_t *arena, const ingot_launch *rows,
                  int64_t count) {
  auto *slots = reinterpret_cast<void *const *>(arena);
  if (ctx->observer ||
      ThreadActivity::isWatched.load(std::memory_order_relaxed))
    return walkObserved(*ctx, arena, rows, count);
  if (runsOnDevice(*ctx, arena))
    return runOnDevice(*ctx, arena, {rows, static_cast<size_t>(count)},
                       /*showsAll=*/false);
  std::span<const ingot_launch> all(rows, count);
  LaunchSequenceTuning *sequence = sequenceOf(*ctx, arena, all);
  bool isAlone = sequence && ctx->schedules->turn.isAlone;
  if (sequence && !isAlone)
    return runTried(*ctx, arena, all, *sequence);
  runRows(*ctx, all, slots, !isAlone);
}

void ingot_rt_parallel(ingot_context *ctx, ingot_kernel kernel, int64_t count,
                       void *const *arguments) {
  parallelFor(ctx->threads, kernel, count, arguments);
}
