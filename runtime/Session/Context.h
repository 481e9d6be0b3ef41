//===- Context.h - State of a running program -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Defines ingot_context, which is opaque in the ABI: the program's variables
// and iterators, and what runtime calls need while compiled code runs.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_CONTEXT_H
#define INGOT_RUNTIME_SESSION_CONTEXT_H

#include "runtime/ABI/Calls.h"
#include "runtime/Device/LaunchTuner.h"
#include "runtime/Device/StaticLaunchSchedules.h"
#include "runtime/Input/Iterator.h"
#include "runtime/Session/AlignedBuffer.h"
#include "runtime/Session/BatchSliceExchanges.h"
#include "runtime/Session/DeviceSession.h"
#include "runtime/Session/LookupTables.h"
#include "runtime/Support/RunArena.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ingot {

class RunObserver;
class ScheduleObserver;
class SummaryCollector;

/// One of the program's iterators, with the position at which it will start.
struct SessionDatasetIterator {
  std::unique_ptr<Iterator> iterator;
  /// The saved position at which the iterator continues when it is made; "" if
  /// it starts at the first element.
  std::string state;
  /// The addresses of the current element's components.
  std::vector<const void *> components;
  /// True if the program has requested the iterator, but it will be made only
  /// when its first element is requested (ingot_context::deferIterators).
  bool pending = false;
  /// The index of the input pipeline over which Iterator::make() makes the
  /// iterator. A program may have several pipelines for one iterator.
  uint32_t pipeline = 0;
};

/// How threads execute a sequence of launches (kernel calls) that follow each
/// other in a launch table: the measured times of the launches, and the
/// candidate schedules.
struct LaunchSequenceTuning {
  MeasuredLaunchTimes times;
  LaunchTuner trials;
  /// The index of the candidate schedule that was timed last.
  size_t triedWay = LaunchTuner::alone;
  /// The schedules that were made from measured times. They are the candidates
  /// of `trials` from index LaunchTuner::numFixedCandidates on; the candidates
  /// before them are fixed: one thread, or all threads.
  std::vector<LaunchSchedule> plans;
  bool isPlanned = false;
  /// The indices of the launches whose number of iterations (grid) is known
  /// only at run time.
  std::vector<uint32_t> dynamicGridRows;
  /// True if one thread must run all launches, because no launch can be divided
  /// among threads.
  bool isForOne = false;
  /// What one thread runs by itself in each candidate schedule, for the trace.
  std::vector<OneThreadPart> onOneThread;
  /// What the launches would take on other numbers of threads. Computed only if
  /// a ScheduleObserver listens.
  std::vector<PredictedTime> predicted;
};

/// How threads execute one entry (a compiled function, such as the training
/// step): a LaunchSequenceTuning for each of its straight sequences of
/// launches, and the choice between one thread and several.
struct EntryLaunchTuning {
  const ingot_entry *entry = nullptr;
  /// The entry's sequences of launches, keyed by the address of their first
  /// launch.
  std::unordered_map<const ingot_launch *, LaunchSequenceTuning> byRow;
  EntryThreadTuner trials;
  /// The state of the run of the compiled function: `turn` says whether the run
  /// uses only one thread and whether it is timed, `numSequences` counts the
  /// sequences of launches that it has executed, and `waited` is the time in
  /// nanoseconds that it has waited for input.
  EntryThreadTuner::ThreadCountChoice turn;
  int64_t numSequences = 0, waited = 0;

  bool areSettled() const;
};

} // namespace ingot

/// The state of a running program. One context belongs to one Session.
struct ingot_context {
  const ingot_program *program = nullptr;
  /// The index of the program's target that this machine executes.
  uint32_t target = 0;
  unsigned threads = 1;
  /// The program's kernels with their code for the CPU target `target`, indexed
  /// like ingot_program.kernels.
  std::vector<ingot::CpuKernel> kernels;
  /// The arena of the entry that is running. Launches of dataset functions,
  /// which run on other threads, have another arena. ingot_rt_run() compares
  /// the arenas, because only launches of the entry may use `schedules`.
  std::atomic<const uint8_t *> entryArena = nullptr;
  ingot::EntryLaunchTuning *schedules = nullptr;
  ingot::FileSystem *fileSystem = nullptr;

  /// The addresses of the variables, by index, aligned to INGOT_ALIGNMENT.
  /// `storage` owns the bytes, which are zero at first.
  std::vector<void *> variables;
  std::vector<bool> initialized;
  /// For variables with INGOT_VARIABLE_CONSTANT_INIT: a hash of the value that
  /// the graph's init op has assigned. Empty if the init op has not run.
  std::vector<std::optional<uint64_t>> initialValues;
  ingot::AlignedBuffer storage;
  /// The device that runs kernels; null if they run on the host's CPU.
  std::unique_ptr<ingot::DeviceSession> device;
  /// The elements of string variables that have been set, indexed by variable.
  /// The ingot_string elements of these variables point to them.
  std::vector<std::vector<std::string>> strings;

  /// If true, ingot_rt_iterator_make() does not make the iterator, but only
  /// sets SessionDatasetIterator::pending; the iterator is made when its first
  /// element is requested. The flag is true while a session is prepared, so
  /// that an iterator is made only once, after its position has been restored.
  bool deferIterators = true;
  /// If true, checkpoints also contain the positions of iterators in
  /// TensorFlow's own form.
  bool savesForTensorFlow = false;

  ingot::LookupTables tables;
  /// The directory against which relative names of data files are resolved.
  std::string dataDirectory;
  ingot::DataMap dataMap;

  /// The indices of the variables without a value, stored by the last run of an
  /// entry that checks this (role ready or ready_for_local_init).
  std::vector<uint32_t> uninitialized;
  /// Collects the summaries of the running step; null if none are written.
  ingot::SummaryCollector *summaries = nullptr;
  /// Is notified of each kernel that runs; may be null.
  ingot::RunObserver *observer = nullptr;
  /// Is notified of each choice of a schedule; may be null.
  ingot::ScheduleObserver *scheduleObserver = nullptr;

  /// Combines values over the slices into which all ranks (processes that train
  /// together) split a batch, as an all-reduce or all-gather does.
  std::unique_ptr<ingot::BatchSliceExchanges> exchanges;

  /// This is the last member, so that it is destroyed first: threads of
  /// iterators run dataset functions, which use other members until the threads
  /// are joined.
  std::vector<ingot::SessionDatasetIterator> iterators;
};

namespace ingot {

/// Creates a context that runs the code of `program` for target `target`.
/// Variables have no values yet, and iterators are not made. The context must
/// not be moved. Returns an error if memory for the variables is short, or if
/// Iterator::create() fails.
Expected<std::unique_ptr<ingot_context>>
createContext(const ingot_program &program, uint32_t target, unsigned threads,
              FileSystem &fileSystem, const std::string &dataDirectory,
              const DataMap &dataMap = {});

/// Sets the seed of random ops that have no seeds of their own. Without `seed`,
/// draws a number that differs from session to session.
void setRandomSeed(ingot_context &context, std::optional<int64_t> seed);

/// Return the host's copy of a variable, after copying a newer value from the
/// device. Use changeVariable() to modify the copy. If the device fails, the
/// next run of a compiled function returns the failure.
void *readVariable(const ingot_context &context, uint32_t variable);
void *changeVariable(ingot_context &context, uint32_t variable);

/// Returns the value of the program's global step, or std::nullopt if it has
/// none.
std::optional<int64_t> globalStepOf(const ingot_context &context);

/// Starts or restarts an iterator, at its saved position if it has one.
Status makeIterator(ingot_context &context, uint32_t iterator);

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_CONTEXT_H
