//===- Context.h - State of a running program -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The definition of the ABI's opaque ingot_context: variables, iterators and
// what the runtime's calls need while compiled code runs.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_CONTEXT_H
#define INGOT_RUNTIME_SESSION_CONTEXT_H

#include "runtime/ABI/Calls.h"
#include "runtime/Device/LaunchGroups.h"
#include "runtime/Device/LaunchTuner.h"
#include "runtime/Input/Iterator.h"
#include "runtime/Session/AlignedBuffer.h"
#include "runtime/Session/DeviceSession.h"
#include "runtime/Session/Tables.h"
#include "runtime/Support/RunMemory.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ingot {

class RunObserver;
class SummaryCollector;

/// One of the program's iterators, and where it is to start.
struct IteratorSlot {
  std::unique_ptr<Iterator> iterator;
  /// The position to continue at when the iterator is made; empty: the first
  /// element.
  std::string state;
  /// The addresses of the current element's components.
  std::vector<const void *> components;
  /// To be made at its first use (ingot_context::deferIterators).
  bool pending = false;
  /// Over which of its pipelines (Iterator::make).
  uint32_t pipeline = 0;
};

/// How a run of launches is walked by several threads.
struct LaunchRun {
  LaunchTimes times;
  LaunchTuner trials;
  /// In which way it was tried last.
  size_t triedWay = LaunchTuner::alone;
  /// Schedules for those candidates of the trials that have one, in their
  /// order.
  std::vector<LaunchSchedule> plans;
  bool isPlanned = false;
  /// Kernels whose grids input decides on.
  std::vector<uint32_t> dynamicGridRows;
  /// Nothing in it may be shared.
  bool isForOne = false;
};

/// How several threads run an entry.
struct LaunchSchedules {
  const ingot_entry *entry = nullptr;
  /// Its runs of launches, by their first row.
  std::unordered_map<const ingot_launch *, LaunchRun> byRow;
  EntryTuner trials;
  /// State of the current run: whether it is for one thread, how many runs of
  /// launches it had, and how long it has waited for input, in nanoseconds.
  EntryTuner::Turn turn;
  int64_t numRuns = 0, waited = 0;

  bool areSettled() const;
};

} // namespace ingot

struct ingot_context {
  const ingot_program *program = nullptr;
  /// Which of the program's targets this machine executes.
  uint32_t target = 0;
  unsigned threads = 1;
  /// The program's kernels on this machine, by index.
  std::vector<ingot::KernelPlan> kernels;
  /// The arena of the entry that runs, by which its launches are told from
  /// those of datasets' functions, on threads of their own, and their
  /// schedules.
  std::atomic<const uint8_t *> entryArena = nullptr;
  ingot::LaunchSchedules *schedules = nullptr;
  ingot::FileSystem *fileSystem = nullptr;

  /// Addresses of the variables, by index, zeroed and aligned to
  /// INGOT_ALIGNMENT; `storage` owns the bytes.
  std::vector<void *> variables;
  std::vector<bool> initialized;
  ingot::AlignedBuffer storage;
  /// The device that runs kernels; null: the host does.
  std::unique_ptr<ingot::DeviceSession> device;
  /// The strings that a restore has read, by variable.
  std::vector<std::vector<std::string>> strings;

  /// MakeIterator only marks an iterator, which is made when its first element
  /// is requested: while a session is prepared, its state is restored last.
  bool deferIterators = true;

  ingot::Tables tables;
  /// The folder that relative file names refer to.
  std::string dataDirectory;
  ingot::DataMap dataMap;

  /// Variables without a value, as the ready entry that ran last found them.
  std::vector<uint32_t> uninitialized;
  /// The destination of the running step's summaries; null: none are written.
  ingot::SummaryCollector *summaries = nullptr;
  /// Notified of computations; may be null.
  ingot::RunObserver *observer = nullptr;

  /// Last, so that they go first: their threads run functions of datasets,
  /// which may use anything above until they are joined.
  std::vector<ingot::IteratorSlot> iterators;
};

namespace ingot {

/// A context for `program`, whose code for `target` will run: variables
/// without values, iterators that are not made. The context must stay where
/// it is. Fails where memory for the variables is short, or as
/// Iterator::create() does.
Expected<std::unique_ptr<ingot_context>>
createContext(const ingot_program &program, uint32_t target, unsigned threads,
              FileSystem &fileSystem, const std::string &dataDirectory,
              const DataMap &dataMap = {});

/// The seed of random ops without seeds of their own; without `seed`, a number
/// that differs from session to session.
void setRandomSeed(ingot_context &context, std::optional<int64_t> seed);

/// The host's copy of variable `variable`, as the program computed it; callers
/// may change it, too. If the device fails, the next entry reports it.
void *readVariable(const ingot_context &context, uint32_t variable);
void *changeVariable(ingot_context &context, uint32_t variable);

/// The value of the program's global step; nothing if it has none.
std::optional<int64_t> globalStepOf(const ingot_context &context);

/// (Re)starts an iterator, at its slot's state where it has one.
Status makeIterator(ingot_context &context, uint32_t iterator);

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_CONTEXT_H
